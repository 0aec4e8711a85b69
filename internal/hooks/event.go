package hooks

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/hooks/trigger"
	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// Events that hooks answer. The names are those of Claude Code, except Resume.
const (
	Prompt  = "UserPromptSubmit"
	Before  = "PreToolUse"
	After   = "PostToolUse"
	Failure = "PostToolUseFailure"
	Started = "SubagentStart"
	Compact = "PreCompact"
	// Resume comes before each call of the model. Only assistants that take no text at a tool call send this event.
	Resume = "Resume"
)

// Event is what an assistant tells a hook.
type Event struct {
	Event     string `json:"event"`
	SessionID string `json:"session_id"`
	// Prompt is the user's prompt, or the task of a subagent.
	Prompt   string `json:"prompt,omitempty"`
	ToolName string `json:"tool_name,omitempty"`
	FilePath string `json:"file_path,omitempty"`
	Command  string `json:"command,omitempty"`
	// SQL is a statement that a tool of another MCP server sends to a database.
	SQL string `json:"sql,omitempty"`
	// An edit replaces OldString with NewString, or writes Content as the whole file. Content may also be a
	// list of edits in JSON.
	NewString string `json:"new_string,omitempty"`
	OldString string `json:"old_string,omitempty"`
	Content   string `json:"content,omitempty"`
	// Error is the output of a failed command.
	Error string `json:"error,omitempty"`
	// Agent is the type of a subagent.
	Agent string `json:"agent_type,omitempty"`
	// Folder is the working folder of the session.
	Folder string `json:"cwd,omitempty"`
	// Root is the root of the project that must answer, or "" for the active project.
	Root string `json:"-"`
	// Client is the assistant's name in [Assistants], or "" for Claude Code.
	Client string `json:"-"`
	// Late says that the assistant sends an event only after a tool call. It also counts as the event before the call.
	Late bool `json:"-"`
	// Waits says that the assistant now takes only a denial. Any other text waits for the next event that has Resumes.
	Waits   bool `json:"-"`
	Resumes bool `json:"-"`
	// Patch has the edits of a patch, which may change several files.
	Patch []trigger.Edit `json:"-"`
}

// act is what happens at an event.
type act int

const (
	nothing    act = iota
	asking         // a prompt
	running        // a command that is about to run
	failing        // a command that has failed
	succeeding     // a command that has run
	reading        // a file that is read
	writing        // a file that is written
	delegating     // the assistant gives a task to a subagent
	beginning      // a subagent starts
)

// act returns what happens at the event. The fields of the event decide more than the name of the tool, because
// assistants name their tools differently.
func (e Event) act() act {
	tool := strings.ToLower(e.ToolName)
	reads := strings.HasPrefix(tool, "read") || strings.HasPrefix(tool, "view") || tool == "fs_read"
	switch isCommand := e.Command != "" || e.SQL != ""; {
	case e.Event == Prompt:
		return asking
	case e.Event == Started:
		return beginning
	case e.Event == Failure && isCommand:
		return failing
	case e.Event == After && isCommand:
		return succeeding
	case e.Event != Before:
		return nothing
	case isCommand:
		return running
	case e.FilePath != "" && reads:
		return reading
	case e.FilePath != "":
		return writing
	case e.Prompt != "":
		return delegating
	default:
		return nothing
	}
}

// look returns the documents that may help at an event, best first.
func (p Project) look(ctx context.Context, e Event) ([]candidate, error) {
	switch e.act() {
	case asking, delegating:
		return p.search(ctx, e)
	case running:
		return p.onCommand(ctx, e)
	case failing:
		found, err := p.onFailure(ctx, e)
		if err != nil || !e.Late {
			return found, err
		}
		warnings, err := p.onCommand(ctx, e)
		return append(found, warnings...), err
	case reading:
		if p.IsDocument(e.FilePath) {
			return nil, nil
		}
		found, err := p.naming(ctx, e.FilePath, "")
		isAtEdit := func(c candidate) bool { return c.Level == catalog.Critical } // kept for the edit, which it may deny
		return slices.DeleteFunc(found, isAtEdit), err
	case writing:
		return p.onEdits(ctx, e, e.edits())
	default:
		return nil, nil
	}
}

// subject returns the text to search with: the user's own words in a prompt, and the text that the user has pasted. A
// long part loses its middle.
func (e Event) subject() string {
	const end = 350 // bytes at each end: a hook can search for this many words within 50 ms
	said, pasted := e.parts()
	if said == "" || len(pasted) == 0 {
		return ends(e.Prompt, 2*end)
	}
	return ends(said, end) + "\n" + ends(strings.Join(pasted, "\n"), end)
}

// task returns a prompt that describes a task, without pasted text unless the whole prompt is pasted. It returns "" for
// a slash command, and for a prompt with fewer than fewestTerms content words.
func (e Event) task() string {
	said, _ := e.parts()
	said = cmp.Or(said, e.Prompt)
	word, _, _ := strings.Cut(strings.TrimSpace(e.Prompt), " ")
	isCommand := len(word) > 1 && word[0] == '/' && strings.Count(word, "/") == 1 // otherwise the word is a path
	if e.act() != asking || isCommand || countTerms(said) < fewestTerms {
		return ""
	}
	return said
}

// parts splits a prompt into the user's own words and the pasted lines. It ignores the middle of a long prompt.
func (e Event) parts() (said string, pasted []string) {
	const end = 4_000
	return terms.Parts(ends(e.Prompt, end))
}

// ends returns the first and the last bytes of a text, length bytes each. A text of up to 2*length bytes stays whole.
func ends(text string, length int) string {
	if len(text) <= 2*length {
		return text
	}
	return strings.ToValidUTF8(text[:length]+"\n"+text[len(text)-length:], "")
}

var (
	escapes  = lazyregexp.New("\x1b\\[[0-9;?]*[A-Za-z]")
	exitCode = lazyregexp.New(`(?mi)^(?:Exit code:?|Command exited with|exit status) (\d+)\s*$`)
)

// maxText is how many bytes hooks read: the end of an output, or the beginning of a text that an edit writes.
const maxText = 64 << 10

// line returns the command, or the SQL statement, in the form that triggers compare.
func (e Event) line() trigger.Line {
	if e.SQL != "" {
		return trigger.Statement(strings.ToValidUTF8(e.SQL, ""))
	}
	return trigger.Read(strings.ToValidUTF8(e.Command, ""), e.Folder)
}

// edits returns the edits of the event's patch. Without a patch it returns one edit, of the event's file.
func (e Event) edits() []trigger.Edit {
	if len(e.Patch) > 0 {
		return e.Patch
	}
	text := e.NewString + "\n" + e.Content
	if several := editsIn(strings.TrimSpace(text)); several != "" {
		text = several // the plugin passes the assistant's list of edits on as JSON
	}
	return []trigger.Edit{{Path: e.FilePath, New: bounded(text), Old: bounded(e.OldString)}}
}

// in returns the event with paths relative to the repository root. A path outside the repository becomes "".
func (e Event) in(root string) Event {
	if !filepath.IsAbs(e.Folder) { // an assistant may send the name of a variable instead of its value
		e.Folder = ""
	}
	if e.FilePath != "" {
		e.FilePath = relativePath(root, e.Folder, e.FilePath)
	}
	e.Patch = relative(e.Patch, root, e.Folder)
	return e
}

// relative returns a copy of the edits, with each path converted by relativePath.
func relative(edits []trigger.Edit, root, folder string) []trigger.Edit {
	edits = slices.Clone(edits)
	for i, edit := range edits {
		edits[i].Path = relativePath(root, folder, edit.Path)
	}
	return edits
}

// bounded returns the first maxText bytes of a text, as valid UTF-8 and without space at the ends.
func bounded(text string) string {
	return strings.TrimSpace(strings.ToValidUTF8(text[:min(len(text), maxText)], ""))
}

// relativePath returns the path of a file relative to root, or "" for a file outside. file may be relative to folder.
// It may also be a Windows path, if the server runs in WSL and the assistant runs in Windows.
func relativePath(root, folder, file string) string {
	if filepath.Separator == '/' && strings.Contains(file, `\`) {
		file = strings.ReplaceAll(file, `\`, "/")
		if drive, rest, found := strings.Cut(file, ":/"); found && len(drive) == 1 {
			file = "/mnt/" + strings.ToLower(drive) + "/" + rest
		}
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(cmp.Or(folder, root), file)
	}
	resolved, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil { // the folder does not exist yet
		resolved = filepath.Dir(file)
	}
	name, err := filepath.Rel(root, filepath.Join(resolved, filepath.Base(file)))
	if err != nil || !filepath.IsLocal(name) || name == "." {
		return ""
	}
	return filepath.ToSlash(name)
}
