package hooks

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
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
	// NewString and Content are what an edit is about to write.
	NewString string `json:"new_string,omitempty"`
	Content   string `json:"content,omitempty"`
	// Error is what a failed command has printed.
	Error string `json:"error,omitempty"`
	// Agent is the kind of a subagent.
	Agent string `json:"agent_type,omitempty"`
	// Late says that the assistant sends no event before an act: this one counts for both.
	Late bool `json:"-"`
	// Summary names what replaced a compacted conversation, for an assistant without an event for it. Gemini CLI sends
	// PreCompress with each request.
	Summary string `json:"-"`
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
	switch isCommand := e.Command != ""; {
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
	case e.FilePath != "" && strings.HasPrefix(strings.ToLower(e.ToolName), "read"):
		return reading
	case e.FilePath != "":
		return writing
	case e.Prompt != "":
		return delegating
	default:
		return nothing
	}
}

// look returns the documents that an event may need, best first.
func (p Project) look(ctx context.Context, e Event) ([]candidate, error) {
	switch e.act() {
	case asking:
		query := rag.Query{Text: e.subject(), Patience: embeddingWait, MinScore: min(leadingScore, p.Threshold)}
		if e.isTask() {
			query.Limit = 2 * maxCandidates
		}
		return p.search(ctx, query, "answers this")
	case delegating:
		return p.search(ctx, rag.Query{Text: e.subject(), Patience: embeddingWait}, "answers this")
	case running:
		documents, book := p.Cited(ctx)
		return p.passages(ctx, documents, book.Command(e.Command), "same command")
	case failing:
		found, err := p.onFailure(ctx, e.output())
		if !e.Late {
			return found, err
		}
		documents, book := p.Cited(ctx)
		warning, errCited := p.passages(ctx, documents, book.Command(e.Command), "same command")
		return append(found, warning...), errors.Join(err, errCited)
	case reading:
		return p.onRead(ctx, e.FilePath)
	case writing:
		return p.onEdit(ctx, e.FilePath, e.written())
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

// decision is what a hook says.
type decision struct {
	text string // "" for nothing
	deny bool   // the act must not happen before text is read
	// shown are the documents that text points to, none for another text.
	shown []Shown
}

// decide returns what to say: a shortlist or a pointer to the first candidate that the session does not know, or
// what is due without one. It changes nothing.
func decide(s Session, p Project, e Event, found []candidate, now time.Time) decision {
	act := e.act()
	found = slices.DeleteFunc(slices.Clone(found), func(c candidate) bool {
		return !c.holdsFor(act) || c.pointer() == "" || s.knows(p.Root, c.Path)
	})
	var fitting []candidate
	if !s.Listed && e.isTask() {
		fitting = forTask(e.task(), found)
	}
	if len(fitting) > 0 {
		text, listed := shortlist(fitting)
		said := decision{text: text}
		for _, c := range listed {
			shown := s.shown(p, e, c, text, now)
			shown.Call = 0 // no budget counts it
			said.shown = append(said.shown, shown)
		}
		return said
	}
	for _, c := range found[:min(len(found), maxCandidates)] {
		if c.Score < p.Threshold {
			continue
		}
		text := c.pointer()
		deny := p.Allowed == project.RecallGuard && c.Level == catalog.Critical && (act == running || act == writing)
		switch {
		case deny:
			text += " Read it first. If the act still applies, repeat it: it is allowed then."
		case act == delegating: // a subagent does not know the tools
			text += " Search for more with semantic_search, or ask rag_query."
		}
		shown := s.shown(p, e, c, text, now)
		if s.admits(shown) {
			return decision{text, deny, []Shown{shown}}
		}
	}
	switch {
	case act == asking && s.RemindDue && p.Allowed != project.RecallPrompt:
		return decision{text: reminder}
	case act == succeeding && slices.Contains(s.Failed, cutCommand(e.Command)) && !s.Asked && !s.Wrote:
		return decision{text: solved}
	case act == beginning && s.taskOf(e.Agent) >= 0:
		return decision{text: s.Tasks[s.taskOf(e.Agent)].Text}
	default:
		return decision{}
	}
}

// note keeps an event and the decision on it in the session.
func (s *Session) note(p Project, e Event, said decision) {
	if e.Event == Before || e.Late {
		s.Calls++
	}
	s.follow(p, e)
	s.Shown = append(s.Shown, said.shown...)
	switch e.act() {
	case asking:
		s.Listed = s.Listed || e.isTask()
		s.RemindDue = s.RemindDue && said.text != reminder
	case reading:
		for i, shown := range s.Shown {
			s.Shown[i].Opened = shown.Opened || shown.Project == p.Root && shown.Path == e.FilePath
		}
	case writing:
		if e.FilePath != "" && p.IsDocument(e.FilePath) {
			s.Wrote, s.RemindDue = true, false
		}
	case failing:
		command := cutCommand(e.Command)
		s.Failed = last(append(without(s.Failed, command), command))
	case succeeding:
		command := cutCommand(e.Command)
		for i, shown := range s.Shown {
			s.Shown[i].Succeeded = shown.Succeeded || shown.Command == command
		}
		s.Failed, s.Asked = without(s.Failed, command), s.Asked || said.text == solved
	case delegating:
		s.Tasks = last(append(s.Tasks, Task{Agent: e.Agent, Text: said.text}))
	case beginning:
		if i := s.taskOf(e.Agent); i >= 0 {
			s.Tasks = slices.Delete(s.Tasks, i, i+1)
		}
	case nothing, running:
	}
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

// written returns the text that an edit is about to write.
func (e Event) written() string {
	text := e.NewString + "\n" + e.Content
	if list := edits(""); list.UnmarshalJSON([]byte(strings.TrimSpace(text))) == nil && list != "" {
		text = string(list) // the plugin gives the list of edits as it is
	}
	return strings.TrimSpace(strings.ToValidUTF8(text[:min(len(text), maxText)], ""))
}

// relativePath returns the path of a file in the repository, "" for one outside.
func relativePath(root, file string) string {
	if !filepath.IsAbs(file) {
		file = filepath.Join(root, file)
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
