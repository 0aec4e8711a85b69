package hooks

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"github.com/compound-docs/compound-docs/internal/hooks/trigger"
	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// Events of an assistant that are answered.
const (
	Prompt  = "UserPromptSubmit"
	Before  = "PreToolUse"
	After   = "PostToolUse"
	Failure = "PostToolUseFailure"
	Started = "SubagentStart"
	Compact = "PreCompact"
	// Resume comes before each call of the model, for an assistant that takes no text at the act.
	Resume = "Resume"
)

// Event is what a hook says of an assistant.
type Event struct {
	Event     string `json:"event"`
	SessionID string `json:"session_id"`
	// Prompt is the person's, or the task of a subagent.
	Prompt   string `json:"prompt,omitempty"`
	ToolName string `json:"tool_name,omitempty"`
	FilePath string `json:"file_path,omitempty"`
	Command  string `json:"command,omitempty"`
	// SQL is a statement that a tool of another MCP server sends to a database.
	SQL string `json:"sql,omitempty"`
	// NewString and Content are what an edit is about to write, and OldString is what it replaces.
	NewString string `json:"new_string,omitempty"`
	OldString string `json:"old_string,omitempty"`
	Content   string `json:"content,omitempty"`
	// Error is what a failed command has printed.
	Error string `json:"error,omitempty"`
	// Agent is the kind of a subagent.
	Agent string `json:"agent_type,omitempty"`
	// Folder is where the session works.
	Folder string `json:"cwd,omitempty"`
	// Root is the project that must answer, "" for the active one.
	Root string `json:"-"`
	// Client is the assistant by its name in [Assistants], "" for Claude Code.
	Client string `json:"-"`
	// Late says that the assistant sends no event before an act: this one counts for both.
	Late bool `json:"-"`
	// Waits says that the assistant takes nothing but a denial now: the text waits for an event that Resumes.
	Waits   bool `json:"-"`
	Resumes bool `json:"-"`
	// Patch has the edits of a patch, which may be of several files.
	Patch []trigger.Edit `json:"-"`
}

// act is what an event is about.
type act int

const (
	nothing    act = iota
	asking         // a prompt
	running        // a command that is about to run
	failing        // a command that has failed
	succeeding     // a command that has run
	reading        // of a file
	writing        // of a file
	delegating     // a task to a subagent
	beginning      // of a subagent
)

// act returns what the event is about. Other assistants name some tools in other words.
func (e Event) act() act {
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
	case e.FilePath != "" && reads(e.ToolName):
		return reading
	case e.FilePath != "":
		return writing
	case e.Prompt != "":
		return delegating
	default:
		return nothing
	}
}

// reads reports whether a tool reads a file.
func reads(tool string) bool {
	tool = strings.ToLower(tool)
	return strings.HasPrefix(tool, "read") || strings.HasPrefix(tool, "view") || tool == "fs_read"
}

// look returns the documents that an event may need, best first.
func (p Project) look(ctx context.Context, e Event) ([]candidate, error) {
	switch e.act() {
	case asking:
		query := rag.Query{Text: e.subject(), EmbeddingWait: embeddingWait, MinScore: min(leastFound, p.Settings.RecallThreshold)}
		if e.isTask() {
			query.Limit = maxFound
		}
		return p.search(ctx, query, "answers this")
	case delegating:
		return p.search(ctx, rag.Query{Text: e.subject(), EmbeddingWait: embeddingWait}, "answers this")
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
		return p.onRead(ctx, e.FilePath)
	case writing:
		return p.onEdits(ctx, e)
	default:
		return nil, nil
	}
}

// subject returns what a prompt says and what is pasted beside it, each without its middle if it is long.
func (e Event) subject() string {
	const end = 350 // of each: a hook searches for as many words within 50 ms
	said, pasted := e.parts()
	if said == "" || len(pasted) == 0 {
		return ends(e.Prompt, 2*end)
	}
	return ends(said, end) + "\n" + ends(strings.Join(pasted, "\n"), end)
}

// task returns what a prompt says, or all of one that is pasted.
func (e Event) task() string {
	said, _ := e.parts()
	return cmp.Or(said, e.Prompt)
}

// parts returns what a prompt says and the lines that are pasted beside it. The middle of a very long one, such as a
// log, is not read.
func (e Event) parts() (said string, pasted []string) {
	const end = 4_000
	return terms.Parts(ends(e.Prompt, end))
}

// ends returns the first and the last bytes of a text, so many of each at most.
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

// maxText bounds the texts that are looked at, in bytes: the end of an output, the beginning of a file.
const maxText = 64 << 10

// output returns the text to search for after a failure: the output of the command, without colours.
func (e Event) output() string {
	text := strings.ToValidUTF8(e.Error[max(0, len(e.Error)-maxText):], "")
	return strings.TrimSpace(exitCode().ReplaceAllString(escapes().ReplaceAllString(text, ""), ""))
}

// line returns the command as triggers see it.
func (e Event) line() trigger.Line {
	if e.SQL != "" {
		return trigger.Statement(strings.ToValidUTF8(e.SQL, ""))
	}
	return trigger.Read(strings.ToValidUTF8(e.Command, ""), e.Folder)
}

// edits returns the edits of an event: of a patch, or of one file.
func (e Event) edits() []trigger.Edit {
	if len(e.Patch) > 0 {
		return e.Patch
	}
	text := e.NewString + "\n" + e.Content
	if several := editsIn(strings.TrimSpace(text)); several != "" {
		text = several // the plugin gives the list of edits as it is
	}
	return []trigger.Edit{{Path: e.FilePath, New: bounded(text), Old: bounded(e.OldString)}}
}

// in returns the event with its paths as those of a repository.
func (e Event) in(root string) Event {
	if !filepath.IsAbs(e.Folder) { // an assistant may leave a field of its settings as it is
		e.Folder = ""
	}
	if e.FilePath != "" {
		e.FilePath = relativePath(root, e.Folder, e.FilePath)
	}
	return e
}

// bounded returns the beginning of a text that is valid UTF-8.
func bounded(text string) string {
	return strings.TrimSpace(strings.ToValidUTF8(text[:min(len(text), maxText)], ""))
}

// relativePath returns the path of a file in the repository, "" for one outside. file may be relative to the folder of the
// session, or a path of Windows for a server in its Linux.
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
	if err != nil { // the folder is about to be made
		resolved = filepath.Dir(file)
	}
	name, err := filepath.Rel(root, filepath.Join(resolved, filepath.Base(file)))
	if err != nil || !filepath.IsLocal(name) || name == "." {
		return ""
	}
	return filepath.ToSlash(name)
}
