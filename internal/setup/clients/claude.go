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

// LocalSettings is the file of a repository with one user's settings of Claude Code. It can have hooks.
const LocalSettings = ".claude/settings.local.json"

// Registration is the server as Claude Code starts it.
type Registration struct {
	Name     string
	File     string // path of the file with the registration
	Command  string // program that is started
	IsPlugin bool   // the plugin starts the server, and has its own hooks
}

// claudeServers has the MCP servers of a file.
type claudeServers struct {
	MCPServers map[string]struct {
		Command string `json:"command"`
	} `json:"mcpServers"` //nolint:tagliatelle // Claude Code's name
}

// claudeConfig has the fields of .claude.json that matter here.
type claudeConfig struct {
	claudeServers

	Projects map[string]claudeServers `json:"projects"`
}

// project returns the entry of the project at root. On Windows, Claude Code has written the folder with either
// separator.
func (c claudeConfig) project(root string) claudeServers {
	for folder, found := range c.Projects {
		if filepath.ToSlash(folder) == filepath.ToSlash(root) {
			return found
		}
	}
	return claudeServers{}
}

// claudeFile is the name of the user's own file of Claude Code.
const claudeFile = ".claude.json"

// claudeFolder returns the folder of Claude Code's files: CLAUDE_CONFIG_DIR, or the folder usual in the user's home.
func claudeFolder(usual string) (string, error) {
	if folder := os.Getenv("CLAUDE_CONFIG_DIR"); folder != "" {
		return folder, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, usual), err
}

// FindClaude returns the registration of compound-docs with Claude Code that counts in the project at root. The error is
// [fs.ErrNotExist] without a registration.
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
	// One user in one project wins over everybody in the project's repository, and that over one user in all projects.
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

// name returns the usual name of the server if there is one, or else that of a server that starts this program, or "".
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

// findPlugin returns the plugin's server if the plugin is enabled in the project at root. The project's settings win
// over the user's. The error is [fs.ErrNotExist] if the plugin is not enabled.
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

// maxFile bounds a file that may come with a repository.
const maxFile = 64 << 20

// readJSON decodes a file into out. If the file does not exist, it leaves out unchanged and returns nil.
func readJSON(path string, out any) error {
	text, err := contain.ReadFile(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// ClaudeCommand returns the command that registers the server with Claude Code, for one user in the current project.
// words is for exec. line is for a shell: it has names of variables instead of values, because values may be secret.
//
// The flag --env takes all words up to the next flag. So another flag must stand between --env and the server's name.
func ClaudeCommand(program string, environment map[string]string) (words []string, line string) {
	words, quoted := []string{"claude", "mcp", "add"}, []string{"claude mcp add"}
	for _, name := range Variables {
		if value, ok := environment[name]; ok {
			words = append(words, "--env", name+"="+value)
			quoted = append(quoted, "--env", name+`="$`+name+`"`)
		}
	}
	end := []string{"--scope", "local", ServerName, "--", program, "serve"}
	return append(words, end...), strings.Join(append(quoted, QuoteLine(end)), " ")
}
