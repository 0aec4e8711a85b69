// Package clients registers the server with assistants. Most keep their MCP servers in a file of the repository
// or of the user. The package adds an entry to files in JSON. For files in TOML and YAML it returns the entry, and the
// user adds it. Claude Code has a command for it. The package adds hooks too, and a paragraph to the files
// that tell assistants about a repository. It must not know what the server does.
package clients

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/contain"
)

// Client is an assistant.
type Client struct {
	// The flag takes Name, and people read Title.
	Name, Title string

	file string // below the repository, or below the user's folder
	user bool
	// programs are those whose presence on the PATH says that the client is installed.
	programs []string
	// Paragraph says that the file is text that every session reads, and that a paragraph
	// is added to it. That is done for who asks for it alone.
	Paragraph bool
	// roots says that the file can name the folder that is open, as ${workspaceFolder}.
	roots bool
	// section is where the file has its servers, and kind the type in an entry of JSON; "" for none.
	section, kind string
	// template is the entry for a file that the user changes, see [Client.pasted].
	template string
	// Command is the client's own command that registers a server for all projects of the user. The words that
	// start the server follow it. It is nil for a client without one.
	Command []string
	// hooks is the file that has the client's hooks, below the same folder as file, "" for a client without hooks.
	hooks string
	// Trust says how the user lets the client run new hooks, "" if nothing is needed.
	Trust string
}

// startCommand is the command that a client runs to start the server.
type startCommand struct {
	command     string
	args        []string
	environment map[string]string
}

// ErrRegistered means that the file has the server already.
var ErrRegistered = errors.New("has the server already")

// All returns the clients, by their names. The places and forms of the files are those of
// each client's own documentation.
func All() []Client {
	const mcpServers = "mcpServers"
	return []Client{
		{Name: "AGENTS.md", Title: "AGENTS.md", file: "AGENTS.md", Paragraph: true},
		{Name: "CLAUDE.md", Title: "CLAUDE.md", file: "CLAUDE.md", Paragraph: true},
		{
			Name: "antigravity", Title: "Antigravity", file: ".gemini/config/mcp_config.json", user: true, programs: []string{"agy"},
			section: mcpServers, hooks: ".gemini/config/hooks.json",
		},
		{
			Name: "codex", Title: "Codex", file: ".codex/config.toml", programs: []string{"codex"},
			section: "mcp_servers", template: codexEntry,
			Command: []string{"codex", "mcp", "add", ServerName, "--"},
			hooks:   ".codex/hooks.json", Trust: "Codex runs them once you trust the folder, and the hooks with /hooks",
		},
		{
			Name: "copilot", Title: "Copilot CLI", file: ".mcp.json", programs: []string{"copilot"}, section: mcpServers,
			hooks: ".github/hooks/compound-docs.json", Trust: "Copilot CLI runs them once you trust the folder",
		},
		{
			Name: "cursor", Title: "Cursor", file: ".cursor/mcp.json", programs: []string{"cursor", "cursor-agent"}, roots: true,
			section: mcpServers, hooks: ".cursor/hooks.json",
		},
		{
			Name: "gemini", Title: "Gemini CLI", file: ".gemini/settings.json", programs: []string{"gemini"}, section: mcpServers,
			hooks: ".gemini/settings.json", Trust: "Gemini CLI runs them once you trust the folder",
		},
		{
			Name: "goose", Title: "Goose", file: ".config/goose/config.yaml", user: true, programs: []string{"goose"},
			section: "extensions", template: gooseEntry,
		},
		{
			Name: "kiro", Title: "Kiro", file: ".kiro/settings/mcp.json", programs: []string{"kiro-cli", "kiro"}, section: mcpServers,
			hooks: ".kiro/hooks/compound-docs.json",
		},
		{Name: "opencode", Title: "OpenCode", file: "opencode.json", programs: []string{"opencode"}, section: "mcp", kind: local},
		{
			Name: "vscode", Title: "VS Code", file: ".vscode/mcp.json", programs: []string{"code", "codium"}, roots: true,
			section: "servers", kind: "stdio",
		},
		{
			Name: "windsurf", Title: "Windsurf", file: ".codeium/windsurf/mcp_config.json", user: true, programs: []string{"windsurf"},
			section: mcpServers,
		},
		{Name: "zed", Title: "Zed", file: ".zed/settings.json", programs: []string{"zed", "zeditor"}, section: "context_servers"},
	}
}

// Names lists the names of all clients.
func Names() []string {
	var names []string
	for _, c := range All() {
		names = append(names, c.Name)
	}
	return names
}

// UsedIn reports whether the repository at root has settings of the client.
func (c Client) UsedIn(root string) bool {
	if c.user {
		return false
	}
	mark, _, _ := strings.Cut(c.file, "/")
	_, err := os.Lstat(filepath.Join(root, mark))
	return err == nil
}

// Installed reports whether the client's program is on the PATH.
func (c Client) Installed() bool {
	return slices.ContainsFunc(c.programs, func(name string) bool {
		_, err := exec.LookPath(name)
		return err == nil
	})
}

// Change is what registers the server: the new content of a file.
type Change struct {
	// Folder is the repository, or the user's folder, and File is below it.
	Folder, File string
	// Content is the file's new content. It differs from the old one by the entry alone.
	Content []byte
	// before is the old content.
	before []byte
	// Pasted says that Content is the entry alone. The user adds it to the file.
	Pasted bool
}

// Program returns the command that starts the server in the client's file.
func (c Client) Program() string {
	if c.user {
		return Program()
	}
	return SharedProgram()
}

// Plan returns what registers the server for the repository at root. A file of the repository is for all who
// share it, and has no environment. home is the user's folder. The error is [ErrRegistered] if the file needs no
// change.
func (c Client) Plan(root, home, program string, environment map[string]string) (Change, error) {
	change := c.change(root, home)
	s := startCommand{command: program, args: []string{"serve"}}
	switch {
	case c.user:
		s.environment = environment
	case c.roots:
		s.args = append(s.args, "--project", "${workspaceFolder}")
	}
	old, err := change.current()
	change.before = old
	if err != nil {
		return Change{}, fmt.Errorf("read %s of %s: %w", c.file, c.Title, err)
	}
	switch {
	case c.Paragraph:
		change.Content, err = addParagraph(old)
	case change.Pasted:
		change.Content, err = c.pasted(old, s)
	default:
		change.Content, err = addServer(old, c.section, c.kind, s)
	}
	if err != nil && !errors.Is(err, ErrRegistered) {
		err = fmt.Errorf("%s of %s was not changed: %w; add the server by hand, with the name %s and the command %s",
			change.Path(), c.Title, err, ServerName, s.command+" "+strings.Join(s.args, " "))
	}
	return change, err
}

// change returns an empty change of the client's file.
func (c Client) change(root, home string) Change {
	if c.user {
		root = home
	}
	return Change{Folder: root, File: c.file, Pasted: c.template != ""}
}

// ForUser reports whether the client's file is the user's own, for all projects. It passes the environment on.
func (c Client) ForUser() bool { return c.user }

// Path returns the file's path.
func (c Change) Path() string { return filepath.Join(c.Folder, filepath.FromSlash(c.File)) }

// open opens the folder with the hidden one in it that the file is in.
func (c Change) open() (*contain.Root, error) {
	root, err := contain.Open(c.Folder)
	if err != nil {
		return nil, err
	}
	top, _, _ := strings.Cut(c.File, "/")
	return root.Showing(top), nil
}

// current returns the content of the file, which is empty if the file is missing.
func (c Change) current() ([]byte, error) {
	folder, err := c.open()
	if err != nil {
		return nil, err
	}
	defer folder.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	old, err := folder.Read(c.File, contain.MaxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return old.Content, err
}

// Write writes the file. It follows no symbolic link. The error is [contain.ErrChanged] if the file has changed since
// the plan.
func (c Change) Write() error {
	folder, err := c.open()
	if err != nil {
		return err
	}
	defer folder.Close() //nolint:errcheck // each write says whether it succeeded
	err = folder.Replace(c.File, c.before, c.Content)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if above := path.Dir(c.File); above != "." {
		if err := folder.MkdirAll(above, 0o755); err != nil {
			return err
		}
	}
	return folder.Create(c.File, c.Content, 0o644)
}
