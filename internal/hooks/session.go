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
	// Rule names the trigger that matched, or is "" for another reason. Scope says that the trigger is a scope of files.
	Rule  string    `json:"rule,omitempty"`
	Scope bool      `json:"scope,omitempty"`
	Event string    `json:"event"`
	Why   string    `json:"why"`
	Score float64   `json:"score"`
	At    time.Time `json:"at"`
	// Call is the number of the tool call at or before which the hook pointed to it, or 0 for a shortlist. Size is the
	// length of the text in bytes.
	Call int `json:"call,omitempty"`
	Size int `json:"size,omitempty"`
}

// Session is what hooks remember of one session.
type Session struct {
	// Shown has the documents in the order in which they were shown.
	Shown []Shown `json:"shown"`
	// Forgotten is how many of Shown came before the last compaction of the conversation. The assistant no longer
	// knows them.
	Forgotten int `json:"forgotten"`
	// Listed says that a task has got its list of documents since the last compaction. No other task gets one.
	Listed bool `json:"listed,omitempty"`
	// Wrote says that the assistant has written a document since the last compaction.
	Wrote bool `json:"wrote"`
	// RemindDue says that the next prompt may bring a reminder.
	RemindDue bool `json:"remind_due"`
	// Waiting is a text that the assistant gets at the next event that can take it, or "".
	Waiting string `json:"waiting,omitempty"`
	// Calls counts the tool calls of the session.
	Calls int `json:"calls,omitempty"`
	// Tasks are the tasks of subagents that have not begun yet, in order.
	Tasks []Task `json:"tasks,omitempty"`
	// Failed are the last commands that failed. Asked says that a hook has asked the assistant to write down the
	// cause of a failure. A hook asks only once in a session.
	Failed []string `json:"failed,omitempty"`
	Asked  bool     `json:"asked,omitempty"`
}

// Task has the text that a subagent gets when it begins. Text is "" if there is nothing to say.
type Task struct {
	Agent string `json:"agent,omitempty"`
	Text  string `json:"text,omitempty"`
}

const (
	// Within windowCalls tool calls, commands and edits bring at most maxPointers pointers of maxShownSize bytes
	// together. With the requests to write a document this is less than 500 tokens. Prompts have their own budget,
	// maxAnswers and maxAnswersSize. The shortlist comes once and does not count.
	maxPointers    = 6
	maxShownSize   = 1400
	maxAnswers     = 2
	maxAnswersSize = 600
	windowCalls    = 200
	// maxScopes bounds the pointers for scopes of files in a session.
	maxScopes = 3
	// maxKept bounds the lists of tasks and of failed commands. maxCommand bounds a command, in bytes.
	maxKept    = 20
	maxCommand = 300
)

// shown returns the record of a pointer to a document.
func (s *Session) shown(p Project, e Event, c candidate, text string, now time.Time) Shown {
	return Shown{
		Project: p.Root, Path: c.Path, Rule: c.rule, Scope: c.scope, Event: e.Event, Why: c.why, Score: c.Score,
		At: now.UTC().Truncate(time.Second), Call: s.Calls + 1, Size: len(text),
	}
}

// knows reports whether the assistant has had a pointer to the candidate since the last compaction, or enough pointers
// for scopes of files. A candidate with a rule counts as known only if the same rule brought the pointer, so that each
// trigger is heard once.
func (s *Session) knows(root string, c candidate) bool {
	scopes := 0
	for i, shown := range s.Shown {
		if shown.Scope {
			scopes++
		}
		isSame := shown.Project == root && shown.Path == c.Path && (shown.Rule == c.rule || c.rule == "")
		if isSame && i >= s.Forgotten {
			return true
		}
	}
	return c.scope && scopes >= maxScopes
}

// admits reports whether the budget of the last windowCalls calls leaves room for another pointer. Prompts have their
// own budget, so that pointers at commands and edits cannot silence the answer to a question.
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

// taskOf returns the index of the task of a subagent that begins now, or -1. Subagents of the same kind begin in the
// order of their tasks.
func (s *Session) taskOf(agent string) int {
	return slices.IndexFunc(s.Tasks, func(t Task) bool { return t.Agent == "" || agent == "" || t.Agent == agent })
}

// compact forgets the pointers, because the assistant has summarised the conversation and lost them. A reminder is
// due unless the assistant wrote a document.
func (s *Session) compact() {
	s.Forgotten = len(s.Shown)
	s.RemindDue, s.Wrote, s.Listed = !s.Wrote, false, false
}

// cutCommand returns the beginning of a command, as a session keeps it. It does not end in half a character.
func cutCommand(command string) string {
	command = strings.TrimSpace(command)
	return strings.ToValidUTF8(command[:min(len(command), maxCommand)], "")
}

func without(commands []string, command string) []string {
	return slices.DeleteFunc(slices.Clone(commands), func(c string) bool { return c == command })
}

// last returns the last maxKept items of a list.
func last[T any](list []T) []T { return list[max(0, len(list)-maxKept):] }
