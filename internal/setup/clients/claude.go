package clients

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

// LocalSettings is the path, in a repository, of a file with one user's settings of Claude Code, such as hooks.
const LocalSettings = ".claude/settings.local.json"

// Registration is an entry with which an assistant starts the server.
type Registration struct {
	Name     string
	File     string // path of the file with the entry
	Command  string // program that is started; "" if the plugin starts the server
	IsPlugin bool   // the plugin for Claude Code starts the server, and has its own hooks
}

// claudeServers are the MCP servers that a file of Claude Code lists.
type claudeServers struct {
	MCPServers map[string]struct {
		Command string `json:"command"`
	} `json:"mcpServers"` //nolint:tagliatelle // Claude Code's name
}

// claudeConfig has the fields of .claude.json with MCP servers: for all projects, and for each project by its folder.
type claudeConfig struct {
	claudeServers

	Projects map[string]claudeServers `json:"projects"`
}

// project returns the servers that are only for the project at root. On Windows, Claude Code may write the folder with
// either separator.
func (c claudeConfig) project(root string) claudeServers {
	for folder, found := range c.Projects {
		if filepath.ToSlash(folder) == filepath.ToSlash(root) {
			return found
		}
	}
	return claudeServers{}
}

// claudeFile is the name of the file with the servers that one user has registered with Claude Code.
const claudeFile = ".claude.json"

// claudeFolder returns the folder of Claude Code's files: CLAUDE_CONFIG_DIR, or else the user's folder called name.
func claudeFolder(name string) (string, error) {
	if folder := os.Getenv("CLAUDE_CONFIG_DIR"); folder != "" {
		return folder, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, name), err
}

// FindClaude returns the registration with which Claude Code starts compound-docs in the project at root. The error is
// [fs.ErrNotExist] without such a registration.
func FindClaude(root string) (Registration, error) {
	folder, err := claudeFolder(".")
	if err != nil {
		return Registration{}, err
	}
	var config claudeConfig
	userFile := filepath.Join(folder, claudeFile)
	if err := readJSON(userFile, &config); err != nil {
		return Registration{}, err
	}
	var shared claudeServers
	sharedFile := filepath.Join(root, ".mcp.json")
	if err := readJSON(sharedFile, &shared); err != nil {
		return Registration{}, err
	}
	// The first registration counts: the user's in this project, the team's in this project, the user's in all projects.
	for _, place := range []struct {
		servers claudeServers
		file    string
	}{{config.project(root), userFile}, {shared, sharedFile}, {config.claudeServers, userFile}} {
		if name := place.servers.name(); name != "" {
			return Registration{Name: name, File: place.file, Command: place.servers.MCPServers[name].Command}, nil
		}
	}
	return findPlugin(root)
}

// name returns the name under which compound-docs is registered, or "". It prefers the usual name. Otherwise it returns
// the name of a server that starts this program.
func (s claudeServers) name() string {
	if _, ok := s.MCPServers[ServerName]; ok {
		return ServerName
	}
	for _, name := range slices.Sorted(maps.Keys(s.MCPServers)) {
		if isProgram(s.MCPServers[name].Command) {
			return name
		}
	}
	return ""
}

// isProgram reports whether a command is this program, in any folder.
func isProgram(command string) bool {
	program := path.Base(strings.ReplaceAll(command, `\`, "/"))
	return strings.TrimSuffix(program, ".exe") == ServerName
}

// findPlugin returns the registration by the plugin if the plugin is enabled in the project at root. Settings of the
// project win over settings of the user. The error is [fs.ErrNotExist] if the plugin is not enabled.
func findPlugin(root string) (Registration, error) {
	const plugin = "cdocs@" // the name of a marketplace follows
	folder, err := claudeFolder(".claude")
	if err != nil {
		return Registration{}, err
	}
	for _, file := range []string{
		filepath.Join(root, filepath.FromSlash(LocalSettings)), filepath.Join(root, ".claude", "settings.json"),
		filepath.Join(folder, "settings.json"),
	} {
		var settings struct {
			Plugins map[string]any `json:"enabledPlugins"` //nolint:tagliatelle // Claude Code's name
		}
		if err := readJSON(file, &settings); err != nil {
			return Registration{}, err
		}
		for name, enabled := range settings.Plugins {
			switch {
			case !strings.HasPrefix(name, plugin):
			case enabled == false:
				return Registration{}, fs.ErrNotExist
			default:
				return Registration{Name: name, File: file, IsPlugin: true}, nil
			}
		}
	}
	return Registration{}, fs.ErrNotExist
}

// maxFile bounds the bytes of a file, because the file may come with a hostile repository.
const maxFile = 64 << 20

// readJSON decodes a file into dst. If the file does not exist, readJSON does not change dst and returns nil.
func readJSON(path string, dst any) error {
	text, err := contain.ReadFile(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if err := json.Unmarshal(text, dst); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// ClaudeCommand returns the command that registers the server with Claude Code, for one user in the current project.
// words are for exec. line is for a shell, with names of variables instead of values, because values may be secret.
//
// The flag --env takes all words up to the next flag. So another flag must stand between --env and the server's name.
func ClaudeCommand(program string, environment map[string]string) (words []string, line string) {
	words, quoted := []string{"claude", "mcp", "add"}, []string{"claude mcp add"}
	for _, name := range variables {
		if value, ok := environment[name]; ok {
			words = append(words, "--env", name+"="+value)
			quoted = append(quoted, "--env", name+`="$`+name+`"`)
		}
	}
	end := []string{"--scope", "local", ServerName, "--", program, "serve"}
	return append(words, end...), strings.Join(append(quoted, QuoteLine(end)), " ")
}
