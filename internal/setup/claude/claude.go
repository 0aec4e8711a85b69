// Package claude knows where Claude Code keeps the MCP servers that it starts, and the command that adds one.
// It changes none of its files, and knows nothing of what the server does.
package claude

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/contain"
)

// ServerName is the name under which the server is registered.
const ServerName = "compound-docs"

// Where a registration is valid: for one user in one project, for all who share the
// project's repository, for one user everywhere. The first one counts.
const (
	ScopeLocal   = "local"
	ScopeProject = "project"
	ScopeUser    = "user"
)

// projectFile is the file of a repository that registers servers.
const projectFile = ".mcp.json"

// Registration is an MCP server that Claude Code starts.
type Registration struct {
	Name  string
	Scope string
	// File is where it stands.
	File string
	// Rejected is set if the user has turned down the project's registration.
	Rejected bool

	Command string
	Args    []string
	Env     map[string]string
}

// server is an entry of mcpServers.
type server struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

type servers struct {
	MCPServers map[string]server `json:"mcpServers"` //nolint:tagliatelle // Claude Code's name
}

// userConfig is .claude.json, as far as it matters.
type userConfig struct {
	servers

	Projects map[string]userProject `json:"projects"`
}

// userProject lists the servers that one user has registered and turned down in a project.
type userProject struct {
	servers

	Rejected []string `json:"disabledMcpjsonServers"` //nolint:tagliatelle // Claude Code's name
}

// project returns the entry of the project at root. On Windows, Claude Code has written
// the folder with either separator.
func (c userConfig) project(root string) userProject {
	if found, ok := c.Projects[root]; ok {
		return found
	}
	for folder, found := range c.Projects {
		if windowsFolder(folder) == windowsFolder(root) {
			return found
		}
	}
	return userProject{}
}

// windowsFolder returns one spelling of a path that begins with a drive, and any other path as it is.
func windowsFolder(folder string) string {
	if len(folder) < 2 || folder[1] != ':' {
		return folder
	}
	return strings.ToUpper(folder[:1]) + strings.ReplaceAll(folder[1:], `\`, "/")
}

// ConfigFile returns the path of the user's file. The file may not exist.
func ConfigFile() (string, error) {
	folder, err := userFolder(".")
	return filepath.Join(folder, ".claude.json"), err
}

// userFolder returns the folder of Claude Code's files, usually this one of the user's home.
func userFolder(usual string) (string, error) {
	if folder := os.Getenv("CLAUDE_CONFIG_DIR"); folder != "" {
		return folder, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, usual), err
}

// Find returns the registration of compound-docs that counts in the project at root,
// which is absolute. The error is [fs.ErrNotExist] without one.
func Find(root string) (Registration, error) {
	file, err := ConfigFile()
	if err != nil {
		return Registration{}, err
	}
	var user userConfig
	if err := read(file, &user); err != nil {
		return Registration{}, err
	}
	var shared servers
	sharedPath := filepath.Join(root, projectFile)
	if err := read(sharedPath, &shared); err != nil {
		return Registration{}, err
	}
	project := user.project(root)
	if found, ok := project.find(ScopeLocal, file); ok {
		return found, nil
	}
	if found, ok := shared.find(ScopeProject, sharedPath); ok {
		found.Rejected = slices.Contains(project.Rejected, found.Name)
		return found, nil
	}
	if found, ok := user.find(ScopeUser, file); ok {
		return found, nil
	}
	found, ok, err := findPlugin(root)
	if err == nil && !ok {
		err = fs.ErrNotExist
	}
	return found, err
}

// find returns the server under its usual name, or else one that starts the program.
func (s servers) find(scope, file string) (Registration, bool) {
	names := slices.Sorted(maps.Keys(s.MCPServers))
	is := func(name string) bool { return name == ServerName }
	if !slices.ContainsFunc(names, is) {
		is = func(name string) bool {
			program := path.Base(strings.ReplaceAll(s.MCPServers[name].Command, `\`, "/"))
			return strings.TrimSuffix(program, ".exe") == ServerName
		}
	}
	i := slices.IndexFunc(names, is)
	if i < 0 {
		return Registration{}, false
	}
	entry := s.MCPServers[names[i]]
	return Registration{
		Name: names[i], Scope: scope, File: file, Command: entry.Command, Args: entry.Args, Env: entry.Env,
	}, true
}

// maxFile bounds a file that may come with a repository.
const maxFile = 64 << 20

// read decodes a file. One that does not exist leaves out as it is.
func read(path string, out any) error {
	text, err := contain.ReadFile(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, out)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// Quote returns a word as a shell reads it.
func Quote(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+,="
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// QuoteLine returns a command line as a shell reads it.
func QuoteLine(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = Quote(word)
	}
	return strings.Join(quoted, " ")
}
