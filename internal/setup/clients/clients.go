// Package clients registers the server with assistants. Most assistants list their MCP servers in a file of the
// repository or of the user. The package adds an entry to a JSON file. For a TOML or YAML file it returns the entry,
// and the user adds it. Claude Code has a command that registers a server. The package also adds hooks, and a paragraph
// to the files that tell assistants about a repository. It must not know what the server does.
package clients

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/contain"
)

// Client describes an assistant and its files, or a file such as AGENTS.md that many assistants read.
type Client struct {
	// Name is the value of --client. Title is for messages.
	Name, Title string

	file string // below the repository, or below the user's home
	// ForUser says that the file is the user's own, for all projects. The entry in such a file also gets [Environment].
	ForUser bool
	// programs are the client's programs. The client is installed if one of them is on the PATH.
	programs []string
	// Paragraph says that the file is a text that every session of an assistant reads. Such a file gets a paragraph
	// instead of an entry, and only if the user asks for it.
	Paragraph bool
	// roots says that the file can name the open folder as ${workspaceFolder}.
	roots bool
	// section is the key of the servers in the file. kind is the type of a JSON entry, or "" if entries have no type.
	section, kind string
	// template is the text of the entry if this program does not write the file, so that the user pastes the entry. It is
	// "" for other clients. See [Client.pasted].
	template string
	// Command is the client's own command that registers a server for all projects of the user, or nil. The words that
	// start the server follow the command.
	Command []string
	// hooks is the file of the client's hooks, below the folder of [Client.Folder], or "" for a client without hooks.
	hooks string
	// Trust says what the user must do before the client runs new hooks, or is "".
	Trust string
}

// ErrRegistered means that the file already has the addition: the server, the hooks or the paragraph.
var ErrRegistered = errors.New("has the server already")

// All returns the clients, sorted by name. The places and forms of the files come from each client's documentation.
func All() []Client {
	const mcpServers = "mcpServers"
	return []Client{
		{Name: "AGENTS.md", Title: "AGENTS.md", file: "AGENTS.md", Paragraph: true},
		{Name: "CLAUDE.md", Title: "CLAUDE.md", file: "CLAUDE.md", Paragraph: true},
		{
			Name: "antigravity", Title: "Antigravity", file: ".gemini/config/mcp_config.json", ForUser: true, programs: []string{"agy"},
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
			Name: "goose", Title: "Goose", file: ".config/goose/config.yaml", ForUser: true, programs: []string{"goose"},
			section: "extensions", template: gooseEntry,
		},
		{
			Name: "kiro", Title: "Kiro", file: ".kiro/settings/mcp.json", programs: []string{"kiro-cli", "kiro"}, section: mcpServers,
			hooks: ".kiro/hooks/compound-docs.json",
		},
		{
			Name: "opencode", Title: "OpenCode", file: "opencode.json", programs: []string{"opencode"}, section: "mcp",
			kind: openCodeKind,
		},
		{
			Name: "vscode", Title: "VS Code", file: ".vscode/mcp.json", programs: []string{"code", "codium"}, roots: true,
			section: "servers", kind: "stdio",
		},
		{
			Name: "windsurf", Title: "Windsurf", file: ".codeium/windsurf/mcp_config.json", ForUser: true, programs: []string{"windsurf"},
			section: mcpServers,
		},
		{Name: "zed", Title: "Zed", file: ".zed/settings.json", programs: []string{"zed", "zeditor"}, section: "context_servers"},
	}
}

// UsedIn reports whether the repository at root has settings of the client. If ForUser is set, it returns false.
func (c Client) UsedIn(root string) bool {
	if c.ForUser {
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

// Change is a planned change of a file: it registers the server, or adds hooks or a paragraph.
type Change struct {
	// Folder is the repository or the user's home. File is the path below Folder.
	Folder, File string
	// Content is the file's new content. It differs from the old content only by the addition.
	Content []byte
	// old is the file's content before the change.
	old []byte
	// Pasted says that Content is only the entry, which the user must add to the file.
	Pasted bool
}

// Program returns the program to write into the client's file. This is a path for a file of the user. It is a name, if
// possible, for a file that a team shares.
func (c Client) Program() string {
	if c.ForUser {
		return Program()
	}
	return SharedProgram()
}

// Plan returns the change that registers the server in the client's file, below the folder from [Client.Folder]. A file
// of the repository gets no environment, because a team shares it. If no change is needed, the error is
// [ErrRegistered].
func (c Client) Plan(folder, program string, environment map[string]string) (Change, error) {
	change := Change{Folder: folder, File: c.file, Pasted: c.template != ""}
	words := []string{program, "serve"}
	if c.roots {
		words = append(words, "--project", "${workspaceFolder}")
	}
	server := entry{Type: c.kind, Command: program, Args: words[1:]}
	if c.kind == openCodeKind {
		server = entry{Type: c.kind, Command: words, Enabled: true}
	}
	if c.ForUser {
		server.Env = environment
	}
	old, err := change.current()
	change.old = old
	if err != nil {
		return Change{}, fmt.Errorf("read %s of %s: %w", c.file, c.Title, err)
	}
	switch {
	case c.Paragraph:
		change.Content, err = addParagraph(old)
	case change.Pasted:
		change.Content, err = c.pasted(old, server)
	default:
		change.Content, err = addServer(old, c.section, server)
	}
	if err != nil && !errors.Is(err, ErrRegistered) {
		err = fmt.Errorf("%s of %s was not changed: %w; add the server by hand, with the name %s and the command %s",
			change.Path(), c.Title, err, ServerName, strings.Join(words, " "))
	}
	return change, err
}

// Folder returns the folder above the client's files: the user's home, or the repository at root.
func (c Client) Folder(root string) (string, error) {
	if c.ForUser {
		return os.UserHomeDir()
	}
	return root, nil
}

// Path returns the file's path.
func (c Change) Path() string { return filepath.Join(c.Folder, filepath.FromSlash(c.File)) }

// open opens the folder of the change. The file can be read even if it is in a hidden folder.
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

// Write writes the file, and makes it if it is missing. It follows no symbolic link. The error is [contain.ErrChanged]
// if the file has changed since the plan.
func (c Change) Write() error {
	folder, err := c.open()
	if err != nil {
		return err
	}
	defer folder.Close() //nolint:errcheck // each write says whether it succeeded
	return folder.Save(c.File, c.old, c.Content, 0o644)
}
