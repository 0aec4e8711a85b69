package hooks

import (
	"slices"
	"strings"
)

// Shown is a document that a hook has pointed to.
type Shown struct {
	// Project is the root of the repository. Path is the document's path in the index.
	Project string `json:"project"`
	Path    string `json:"path"`
	// Rule is the matching trigger, or "". Scope says that the trigger is a scope: the files for which a rule is written.
	Rule  string `json:"rule,omitempty"`
	Scope bool   `json:"scope,omitempty"`
	Event string `json:"event"`
	// Call is one more than the number of earlier tool calls in the session. It is 0 for a shortlist. Size is the length
	// of the hook's text in bytes.
	Call int `json:"call,omitempty"`
	Size int `json:"size,omitempty"`
}

// Session is what hooks remember of one session.
type Session struct {
	// Shown has the documents in the order in which they were shown.
	Shown []Shown `json:"shown"`
	// Forgotten is how many of Shown came before the last compaction, in which a summary replaced the conversation. The
	// assistant no longer knows these documents.
	Forgotten int `json:"forgotten"`
	// Listed says that a task has come since the last compaction. Only the first task may get a shortlist.
	Listed bool `json:"listed,omitempty"`
	// Wrote says that the assistant has written a document since the last compaction.
	Wrote bool `json:"wrote"`
	// RemindDue says that the next prompt may bring the reminder to write a document.
	RemindDue bool `json:"remind_due"`
	// Waiting is a text that the assistant gets at the next event that can take a text, or "".
	Waiting string `json:"waiting,omitempty"`
	// Calls counts the tool calls of the session.
	Calls int `json:"calls,omitempty"`
	// Tasks has one task for each subagent that begins later, oldest first.
	Tasks []Task `json:"tasks,omitempty"`
	// Failed are the last commands that failed and have not succeeded since. Asked says that a hook has asked the
	// assistant to write down the cause of a failure. A hook asks only once in a session.
	Failed []string `json:"failed,omitempty"`
	Asked  bool     `json:"asked,omitempty"`
}

// Task has the text for a subagent that begins later. Text is "" if there is nothing to say.
type Task struct {
	Agent string `json:"agent,omitempty"`
	Text  string `json:"text,omitempty"`
}

const (
	// During windowCalls tool calls, commands and edits bring at most maxPointers pointers, with maxShownSize bytes in
	// all. Together with the texts reminder and solved, this is less than 500 tokens. Prompts bring at most maxAnswers
	// pointers, with maxAnswersSize bytes in all. A shortlist does not count.
	maxPointers    = 6
	maxShownSize   = 1400
	maxAnswers     = 2
	maxAnswersSize = 600
	windowCalls    = 200
	// maxScopes is how many pointers a session gets because of scopes of files.
	maxScopes = 3
	// maxKept bounds the lists of tasks and of failed commands. maxCommand bounds a stored command, in bytes.
	maxKept    = 20
	maxCommand = 300
)

// shown returns the record of a pointer to a document.
func (s *Session) shown(p Project, e Event, c candidate, text string) Shown {
	return Shown{
		Project: p.Root, Path: c.Path, Rule: c.rule, Scope: c.scope, Event: e.Event, Call: s.Calls + 1, Size: len(text),
	}
}

// knows reports whether the assistant has got a pointer to the document since the last compaction. For a candidate with
// a trigger, only a pointer by that trigger counts, so that each trigger is shown once. After maxScopes pointers
// because of scopes, knows is true for each candidate whose trigger is a scope.
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

// admits reports whether the budget of the last windowCalls calls leaves room for the next pointer. Prompts have their
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

// taskOf returns the index of the task of a subagent that begins now, or -1. Subagents of one type begin in the order
// of their tasks. An unknown type, "", fits any task.
func (s *Session) taskOf(agent string) int {
	return slices.IndexFunc(s.Tasks, func(t Task) bool { return t.Agent == "" || agent == "" || t.Agent == agent })
}

// Compact forgets the pointers, because the assistant has replaced the conversation by a summary. A reminder is due
// unless the assistant has written a document.
func (s *Session) Compact() {
	s.Forgotten = len(s.Shown)
	s.RemindDue, s.Wrote, s.Listed = !s.Wrote, false, false
}

// cutCommand returns the first maxCommand bytes of a command, without half a character at the end.
func cutCommand(command string) string {
	command = strings.TrimSpace(command)
	return strings.ToValidUTF8(command[:min(len(command), maxCommand)], "")
}

func without(commands []string, command string) []string {
	return slices.DeleteFunc(slices.Clone(commands), func(c string) bool { return c == command })
}

// last returns the last maxKept items of a list.
func last[T any](list []T) []T { return list[max(0, len(list)-maxKept):] }
