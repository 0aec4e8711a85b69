package clients

import (
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v4"
)

// Registered returns all registrations with which assistants start the server in the repository at root. It skips files
// that cannot be read.
func Registered(root string) []Registration {
	var all []Registration
	claude, _ := FindClaude(root) // after an error Command is ""
	if claude.Command != "" {
		all = append(all, claude)
	}
	for _, c := range All() {
		folder, _ := c.Folder(root) // without a home, no file of the user is found
		change := Change{Folder: folder, File: c.file}
		content, err := change.current()
		known := slices.ContainsFunc(all, func(r Registration) bool { return r.File == change.Path() })
		if command := c.commandIn(content); err == nil && !known && command != "" {
			all = append(all, Registration{Name: ServerName, File: change.Path(), Command: command})
		}
	}
	return all
}

// commandIn returns the program with which the client starts the server, by the content of the client's file, or "".
func (c Client) commandIn(content []byte) string {
	var file map[string]any
	switch path.Ext(c.file) {
	case ".toml":
		_ = toml.Unmarshal(content, &file) // an invalid file has no server
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

// Missing reports whether the program does not exist or cannot run. It returns false for a relative path and for a path
// with variables, because only the assistant can resolve such a path.
func (r Registration) Missing() bool {
	if r.Command == "" || strings.ContainsAny(r.Command, `/\$%~`) && !filepath.IsAbs(r.Command) {
		return false
	}
	_, err := exec.LookPath(r.Command)
	return err != nil
}
