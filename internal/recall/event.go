package recall

import (
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
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
}

// Act is what an event is about.
type Act int

// The acts.
const (
	Nothing    Act = iota
	Asking         // a prompt
	Running        // a command that is about to run
	Failing        // a command that has failed
	Succeeding     // a command that has run
	Reading        // of a file
	Writing        // of a file
	Delegating     // a task to a subagent
	Beginning      // of a subagent
	Compacting     // of the conversation
)

// Act returns what the event is about. Other assistants name some tools in other words.
func (e Event) Act() Act {
	switch e.Event {
	case Prompt:
		return Asking
	case Compact:
		return Compacting
	case Started:
		return Beginning
	case Failure:
		if e.Command != "" {
			return Failing
		}
	case After:
		if e.Command != "" {
			return Succeeding
		}
	case Before:
		switch {
		case e.Command != "":
			return Running
		case e.FilePath != "" && strings.HasPrefix(strings.ToLower(e.ToolName), "read"):
			return Reading
		case e.FilePath != "":
			return Writing
		case e.Prompt != "":
			return Delegating
		}
	}
	return Nothing
}

var (
	escapes  = lazyregexp.New("\x1b\\[[0-9;?]*[A-Za-z]")
	exitCode = lazyregexp.New(`(?mi)^(?:Exit code:?|Command exited with|exit status) (\d+)\s*$`)
)

// maxText bounds the texts that are looked at, in bytes: the end of an output, the beginning of a file.
const maxText = 64 << 10

// Output returns the text to search for after a failure: the output of the command, without colours.
func (e Event) Output() string {
	text := strings.ToValidUTF8(e.Error[max(0, len(e.Error)-maxText):], "")
	return strings.TrimSpace(exitCode().ReplaceAllString(escapes().ReplaceAllString(text, ""), ""))
}

// Written returns the text that an edit is about to write.
func (e Event) Written() string {
	text := e.NewString + "\n" + e.Content
	return strings.TrimSpace(strings.ToValidUTF8(text[:min(len(text), maxText)], ""))
}
