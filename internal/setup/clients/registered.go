package clients

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v4"
)

// Registered returns how assistants start the server in the repository at root. A file that cannot be read has no
// registration.
func Registered(root string) []Registration {
	var all []Registration
	claude, _ := FindClaude(root) // after an error it has no command
	if claude.Command != "" && claude.Scope != ScopePlugin {
		all = append(all, claude)
	}
	home, _ := os.UserHomeDir() // without one, files of the user are not found
	for _, c := range All() {
		change := c.change(root, home)
		content, err := change.current()
		known := slices.ContainsFunc(all, func(r Registration) bool { return r.File == change.Path() })
		if command := c.commandIn(content); err == nil && !known && command != "" {
			all = append(all, Registration{Name: ServerName, File: change.Path(), Command: command})
		}
	}
	return all
}

// commandIn returns the program that starts the server in the client's file, "" for none.
func (c Client) commandIn(content []byte) string {
	var file map[string]any
	switch path.Ext(c.file) {
	case ".toml":
		_ = toml.Unmarshal(content, &file) // a wrong file has no server
	case ".yaml":
		_ = yaml.Unmarshal(content, &file)
	default:
		file, _ = decodeJSON(content)
	}
	servers, _ := file[c.section].(map[string]any)
	entry, _ := servers[ServerName].(map[string]any)
	for _, key := range []string{"command", "cmd"} {
		switch command := entry[key].(type) {
		case string:
			return command
		case []any:
			return fmt.Sprint(append(command, "")[0])
		}
	}
	return ""
}

// Missing reports whether the program is not there or cannot be run. A relative path, in which the assistant may
// replace something, counts as there.
func (r Registration) Missing() bool {
	if r.Command == "" || strings.ContainsAny(r.Command, `/\$%~`) && !filepath.IsAbs(r.Command) {
		return false
	}
	_, err := exec.LookPath(r.Command)
	return err != nil
}
