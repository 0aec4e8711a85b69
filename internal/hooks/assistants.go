package hooks

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

// hookInput is what assistants give to a hook. Codex has Claude Code's form. Gemini CLI and Cursor name
// events and some fields in other words.
type hookInput struct {
	Event        string `json:"hook_event_name"`
	SessionID    string `json:"session_id"`
	Conversation string `json:"conversation_id"` // Cursor
	Prompt       string `json:"prompt"`
	ToolName     string `json:"tool_name"`
	ToolInput    struct {
		Prompt    string  `json:"prompt"`
		Message   string  `json:"message"` // Codex: the task of a subagent
		FilePath  string  `json:"file_path"`
		Path      string  `json:"path"`
		Relative  string  `json:"relative_path"` // Serena
		Notebook  string  `json:"notebook_path"`
		Source    string  `json:"new_source"`
		Edits     edits   `json:"edits"`
		Command   command `json:"command"`
		NewString string  `json:"new_string"`
		Content   string  `json:"content"`
		Contents  string  `json:"contents"`
		Agent     string  `json:"subagent_type"`
	} `json:"tool_input"`
	// Command is what Cursor gives before a shell runs it.
	Command      command         `json:"command"`
	Error        string          `json:"error"`
	ErrorMessage string          `json:"error_message"` // Cursor
	Response     json.RawMessage `json:"tool_response"`
	Output       json.RawMessage `json:"tool_output"` // Cursor
	Transcript   string          `json:"transcript_path"`
	Agent        string          `json:"agent_type"`
	Subagent     string          `json:"subagent_type"`
}

// command is a command line, or the list of its words.
type command string

// UnmarshalJSON reads either.
func (c *command) UnmarshalJSON(content []byte) error {
	var words []string
	if json.Unmarshal(content, &words) == nil {
		*c = command(strings.Join(words, " "))
		return nil
	}
	var line string
	if err := json.Unmarshal(content, &line); err != nil {
		return fmt.Errorf("a command is neither a text nor a list of words: %w", err)
	}
	*c = command(line)
	return nil
}

// edits are the new texts of several edits of a file.
type edits string

// UnmarshalJSON reads the edits of MultiEdit, or those of an MCP server for files.
func (e *edits) UnmarshalJSON(content []byte) error {
	var list []struct {
		NewString string `json:"new_string"`
		NewText   string `json:"newText"`
	}
	_ = json.Unmarshal(content, &list) // others have no texts that we know
	for _, edit := range list {
		if text := edit.NewString + edit.NewText; text != "" {
			*e += edits(text + "\n")
		}
	}
	return nil
}

// eventNames has what other assistants call the events. Gemini CLI and Cursor take no line before a tool
// runs. So they get it with the tool's result, as Claude Code's model does, and nothing is denied.
var eventNames = map[string]string{
	"BeforeAgent": Prompt, "AfterTool": Before, // Gemini CLI
	"beforeSubmitPrompt": Prompt, "postToolUse": Before, "postToolUseFailure": Failure, "subagentStart": Started, // Cursor
	"preCompact": Compact,
}

// Hook is an event with the form in which its assistant wants the answer.
type Hook struct {
	Event

	// name is the assistant's own one of the event.
	name string
}

// ReadHook reads the event that an assistant gives to a hook on stdin.
func ReadHook(stdin io.Reader) (Hook, error) {
	var in hookInput
	if err := json.NewDecoder(stdin).Decode(&in); err != nil {
		return Hook{}, fmt.Errorf("stdin has no event as JSON (%s); give one such as "+
			`{"hook_event_name": "UserPromptSubmit", "session_id": "1", "prompt": "why is the pool exhausted?"}`, err)
	}
	e := Event{
		Event: cmp.Or(eventNames[in.Event], in.Event), SessionID: cmp.Or(in.SessionID, in.Conversation),
		Prompt: cmp.Or(in.Prompt, in.ToolInput.Prompt, in.ToolInput.Message), ToolName: in.ToolName,
		FilePath:  cmp.Or(in.ToolInput.FilePath, in.ToolInput.Path, in.ToolInput.Relative, in.ToolInput.Notebook),
		Command:   string(cmp.Or(in.ToolInput.Command, in.Command)),
		NewString: cmp.Or(in.ToolInput.NewString, string(in.ToolInput.Edits)),
		Content:   cmp.Or(in.ToolInput.Content, in.ToolInput.Contents, in.ToolInput.Source),
		Error:     cmp.Or(in.Error, in.ErrorMessage), Agent: cmp.Or(in.Agent, in.Subagent, in.ToolInput.Agent),
	}
	if in.Event == "BeforeAgent" {
		e.Summary = summaryIn(in.Transcript)
	}
	if response := slices.Concat(in.Response, in.Output); e.Error == "" && len(response) > 0 {
		e.Error = failureIn(response)
	}
	if e.Error != "" {
		e.Event, e.Late = Failure, eventNames[in.Event] != ""
	}
	if strings.Contains(e.Command, "*** Begin Patch") { // Codex, by its own tool or by a shell
		e.FilePath, e.Content = readPatch(e.Command)
		e.Command = ""
	}
	return Hook{e, in.Event}, nil
}

// summary matches what replaces a compacted conversation in a transcript of Gemini CLI.
var summary = lazyregexp.New(`"id":"([^"]+)","timestamp":"[^"]*","type":"user","content":\[\{"text":"` +
	`(?:[^"\\]|\\.)*?<state_snapshot>`)

// maxTranscript is how many bytes of the end of a transcript are read. The summary is there at the first prompt after it.
const maxTranscript = 1 << 20

// summaryIn returns the identifier of the last summary in a transcript, "" without one.
func summaryIn(transcript string) string {
	info, err := os.Stat(transcript)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	file, err := os.Open(transcript)
	if err != nil {
		return ""
	}
	defer file.Close() //nolint:errcheck // opened for reading only
	content, err := io.ReadAll(io.NewSectionReader(file, max(0, info.Size()-maxTranscript), maxTranscript))
	found := summary().FindAllSubmatch(content, -1)
	if err != nil || len(found) == 0 {
		return ""
	}
	return string(found[len(found)-1][1])
}

// failureIn returns the output of a failed command in a tool's response, "" for one that did not fail.
func failureIn(response json.RawMessage) string {
	var in struct {
		Error    any    `json:"error"`
		Content  any    `json:"llmContent"` // Gemini CLI, which has the exit code in it
		ExitCode int    `json:"exitCode"`   // Cursor
		Stdout   string `json:"stdout"`
		Stderr   string `json:"stderr"`
	}
	var text string
	if json.Unmarshal(response, &text) == nil {
		response = json.RawMessage(text) // Cursor has JSON in a text
	}
	if json.Unmarshal(response, &in) == nil {
		content, _ := in.Content.(string)
		text = cmp.Or(content, in.Stdout+in.Stderr, fmt.Sprint(in.Error))
	}
	code := exitCode().FindStringSubmatch(text)
	if in.Error != nil || in.ExitCode != 0 || code != nil && code[1] != "0" {
		return text
	}
	return ""
}

var (
	patchedFile = lazyregexp.New(`(?m)^\*\*\* (?:Update|Add) File: (.+)$`)
	addedLine   = lazyregexp.New(`(?m)^\+(.*\n?)`)
)

// readPatch returns the first file of a patch in Codex' form, and what the patch adds.
func readPatch(patch string) (file, added string) {
	var lines []string
	for _, found := range addedLine().FindAllStringSubmatch(patch, -1) {
		lines = append(lines, found[1])
	}
	if found := patchedFile().FindStringSubmatch(patch); found != nil {
		file = strings.TrimSpace(found[1])
	}
	return file, strings.Join(lines, "")
}

// Answer is what a hook prints, in the form of Claude Code and Codex.
type Answer struct {
	Hook *Output `json:"hookSpecificOutput,omitempty"`
	// Message is for the person.
	Message string `json:"systemMessage,omitempty"`
}

// Output is what the model reads of an answer.
type Output struct {
	Event    string `json:"hookEventName"`
	Context  string `json:"additionalContext,omitempty"`
	Decision string `json:"permissionDecision,omitempty"`
	Reason   string `json:"permissionDecisionReason,omitempty"`
}

// Answer puts an answer into the form of the assistant that asked.
func (h Hook) Answer(answer Answer) any {
	var output Output
	if answer.Hook != nil {
		output = *answer.Hook
		output.Event = h.name
		if eventNames[h.name] != "" { // Gemini CLI and Cursor, which deny nothing
			output = Output{Event: h.name, Context: output.Context + output.Reason}
		}
		answer.Hook = &output
	}
	if h.name != "" && unicode.IsLower(rune(h.name[0])) {
		return cursorAnswer{output.Context, answer.Message}
	}
	return answer
}

// cursorAnswer is an answer in Cursor's form.
type cursorAnswer struct {
	Context string `json:"additional_context,omitempty"`
	Message string `json:"user_message,omitempty"`
}
