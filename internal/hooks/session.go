package hooks

import (
	"slices"
	"strings"
	"time"
)

// Shown is a document that a hook has pointed to.
type Shown struct {
	// Project is the root of the repository, and Path the document's path in the index.
	Project string `json:"project"`
	Path    string `json:"path"`
	// Rule names the trigger for which it was shown, "" for another reason. Scope says that it is a scope of files.
	Rule  string    `json:"rule,omitempty"`
	Scope bool      `json:"scope,omitempty"`
	Event string    `json:"event"`
	Why   string    `json:"why"`
	Score float64   `json:"score"`
	At    time.Time `json:"at"`
	// Call is the number of the call before or at which it was shown, 0 for a shortlist. Size is the length of the text.
	Call int `json:"call,omitempty"`
	Size int `json:"size,omitempty"`
	// Session names the session among others.
	Session string `json:"-"`
}

// Session is what the hooks of one session have seen and shown.
type Session struct {
	// Shown has the documents in the order in which they were shown.
	Shown []Shown `json:"shown"`
	// Forgotten is how many of Shown were there before the conversation was last
	// compacted: the assistant knows nothing of these any more.
	Forgotten int `json:"forgotten"`
	// Listed says that there was a task since the last compaction, with a shortlist if documents were found.
	Listed bool `json:"listed,omitempty"`
	// Wrote says that the session has written a document since the last compaction.
	Wrote bool `json:"wrote"`
	// RemindDue says that the next prompt brings a reminder.
	RemindDue bool `json:"remind_due"`
	// Waiting is a text for the next event at which the assistant takes one.
	Waiting string `json:"waiting,omitempty"`
	// Calls counts the calls of a tool in the session.
	Calls int `json:"calls,omitempty"`
	// Tasks wait for their subagents to begin, in order.
	Tasks []Task `json:"tasks,omitempty"`
	// Failed are the last commands that failed. Asked says that the assistant was asked to write
	// down why, which happens once.
	Failed []string `json:"failed,omitempty"`
	Asked  bool     `json:"asked,omitempty"`
}

// Task is what a subagent is told when it begins, "" for nothing.
type Task struct {
	Agent string `json:"agent,omitempty"`
	Text  string `json:"text,omitempty"`
}

const (
	// At its acts a session is shown at most maxPointers documents, and maxShownSize characters of them, in any
	// windowCalls calls of a tool. With the requests to write a document that is less than 500 tokens. Its prompts
	// have a budget of their own, and the shortlist comes once and does not count.
	maxPointers    = 6
	maxShownSize   = 1400
	maxAnswers     = 2
	maxAnswersSize = 600
	windowCalls    = 200
	// maxScopes bounds the pointers for scopes of files in a session.
	maxScopes = 3
	// maxKept bounds the tasks and the failed commands of a session, and maxCommand the length of one in bytes.
	maxKept    = 20
	maxCommand = 300
)

// shown returns what is kept of a document that a text points to.
func (s *Session) shown(p Project, e Event, c candidate, text string, now time.Time) Shown {
	return Shown{
		Project: p.Root, Path: c.Path, Rule: c.rule, Scope: c.scope, Event: e.Event, Why: c.why, Score: c.Score,
		At: now.UTC().Truncate(time.Second), Call: s.Calls + 1, Size: len(text),
	}
}

// knows reports whether the assistant knows a document from an earlier pointer, or a rule of it: each trigger is heard once.
func (s *Session) knows(root string, c candidate) bool {
	return slices.ContainsFunc(s.Shown[max(0, min(s.Forgotten, len(s.Shown))):], func(shown Shown) bool {
		return shown.Project == root && shown.Path == c.Path && (shown.Rule == c.rule || c.rule == "")
	})
}

// scopes counts the pointers of the session for scopes of files alone.
func (s *Session) scopes() int {
	count := 0
	for _, shown := range s.Shown {
		if shown.Scope {
			count++
		}
	}
	return count
}

// admits reports whether the last calls leave room for the text about a document. Prompts and acts have budgets of
// their own, so that no act silences the answer to a question.
func (s *Session) admits(next Shown) bool {
	count, size := 1, next.Size
	for _, shown := range s.Shown {
		if shown.Call > max(0, next.Call-windowCalls) && (shown.Event == Prompt) == (next.Event == Prompt) {
			count, size = count+1, size+shown.Size
		}
	}
	if next.Event == Prompt {
		return count <= maxAnswers && size <= maxAnswersSize
	}
	return count <= maxPointers && size <= maxShownSize
}

// taskOf returns the index of the task with which a subagent begins now, -1 for none. Subagents of a kind begin
// in the order of their tasks.
func (s *Session) taskOf(agent string) int {
	return slices.IndexFunc(s.Tasks, func(t Task) bool { return t.Agent == "" || agent == "" || t.Agent == agent })
}

// compact forgets the pointers, because the assistant summarises the conversation. A reminder is
// due unless the session wrote.
func (s *Session) compact() {
	s.Forgotten = len(s.Shown)
	s.RemindDue, s.Wrote, s.Listed = !s.Wrote, false, false
}

// cutCommand returns a command as a session keeps it, without half a character at its end.
func cutCommand(command string) string {
	command = strings.TrimSpace(command)
	return strings.ToValidUTF8(command[:min(len(command), maxCommand)], "")
}

func without(commands []string, command string) []string {
	return slices.DeleteFunc(slices.Clone(commands), func(c string) bool { return c == command })
}

// last returns the end of a list, as long as a session keeps it.
func last[T any](list []T) []T { return list[max(0, len(list)-maxKept):] }
