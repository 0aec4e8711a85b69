package hooks

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/hooks/trigger"
)

// assistant describes how an assistant sends events and reads answers, according to the assistant's documentation or to
// reports of users. docs/plugin.md says which assistants were tried.
type assistant struct {
	// events maps the assistant's names of events to their meaning: the fields Event, Late, Waits and Resumes.
	events map[string]Event
	// loads has the folders and file names of rules that the assistant loads by itself, without a hook.
	loads []string
	// answer converts an answer to the assistant's format. event is the assistant's name of the event.
	answer func(event string, a Answer) any
}

// Names of assistants that the code treats in a special way.
const (
	claude      = "claude"
	antigravity = "antigravity"
)

// assistants returns the known assistants, by name. Gemini CLI sends an event after a tool call, but none before it.
func assistants() map[string]assistant {
	usual := map[string]Event{
		Prompt: {Event: Prompt}, Before: {Event: Before}, After: {Event: After}, Failure: {Event: Failure},
		Started: {Event: Started}, Compact: {Event: Compact},
	}
	return map[string]assistant{
		claude:  {events: usual, loads: []string{".claude/rules/", "CLAUDE.md"}, answer: specificOutput},
		"codex": {events: usual, loads: []string{"AGENTS.md"}, answer: specificOutput},
		"gemini": {
			events: map[string]Event{"BeforeAgent": {Event: Prompt}, "AfterTool": {Event: Before, Late: true}},
			loads:  []string{"GEMINI.md"}, answer: specificOutput,
		},
		"cursor": {
			events: map[string]Event{
				"beforeSubmitPrompt": {Event: Prompt}, "preToolUse": {Event: Before}, "postToolUse": {Event: After},
				"postToolUseFailure": {Event: Failure}, "subagentStart": {Event: Started}, "preCompact": {Event: Compact},
			},
			loads: []string{".cursor/rules/", "AGENTS.md"}, answer: cursorOutput,
		},
		"copilot": {
			events: map[string]Event{
				"userPromptSubmitted": {Event: Prompt}, "preToolUse": {Event: Before, Waits: true},
				"postToolUse": {Event: After, Resumes: true}, "postToolUseFailure": {Event: Failure, Resumes: true},
			},
			loads: []string{".github/instructions/", "AGENTS.md", "CLAUDE.md"}, answer: copilotOutput,
		},
		antigravity: {
			events: map[string]Event{
				"PreInvocation": {Event: Resume, Resumes: true}, Before: {Event: Before, Waits: true},
				After: {Event: Before, Late: true, Waits: true},
			},
			loads: []string{".agents/rules/", "AGENTS.md", "GEMINI.md"}, answer: antigravityOutput,
		},
		"kiro": {
			events: map[string]Event{"userPromptSubmit": {Event: Prompt}, Prompt: {Event: Prompt}},
			loads:  []string{".kiro/steering/", "AGENTS.md"},
			answer: func(_ string, a Answer) any { text, _ := a.said(); return text }, // Kiro reads the printed text
		},
	}
}

// Assistants returns the names of the assistants whose hooks the server understands.
func Assistants() []string { return slices.Sorted(maps.Keys(assistants())) }

// loads reports whether an assistant loads a rule by itself before it edits a file in the rule's scope. For a new file
// Claude Code loads no rule.
func loads(client, rule string, isNew bool) bool {
	client = cmp.Or(client, claude)
	if client == claude && isNew {
		return false
	}
	return slices.ContainsFunc(assistants()[client].loads, func(own string) bool {
		return strings.HasPrefix(rule, own) || path.Base(rule) == own
	})
}

// Hook is an event of one assistant. Its method Answer converts an answer to that assistant's format.
type Hook struct {
	Event

	// name is the assistant's own name of the event.
	name string
}

// maxEvent bounds an event, in bytes.
const maxEvent = 4 << 20

// ReadHook reads an event as JSON from the stdin of a hook. client is the assistant's name, or "" to guess it. event is
// the assistant's name of the event, or "" if the JSON has it.
func ReadHook(stdin io.Reader, client, event string) (Hook, error) {
	content, err := io.ReadAll(io.LimitReader(stdin, maxEvent+1))
	if err != nil {
		return Hook{}, fmt.Errorf("read the event from stdin: %w", err)
	}
	if len(content) > maxEvent {
		return Hook{}, fmt.Errorf("the event on stdin has more than %d MiB, and is not read", maxEvent>>20)
	}
	var in map[string]any
	err = json.Unmarshal([]byte(strings.TrimPrefix(string(content), "\ufeff")), &in)
	if err != nil {
		return Hook{}, fmt.Errorf("stdin has no event as JSON (%w); give one such as "+
			`{"hook_event_name": "UserPromptSubmit", "session_id": "1", "prompt": "why is the pool exhausted?"}`, err)
	}
	name := cmp.Or(event, text(in, "hook_event_name"))
	if client == "" {
		client = clientOf(name, in)
	}
	known, isKnown := assistants()[client]
	if !isKnown {
		return Hook{}, errors.New("there is no assistant " + client + "; give --client with one of " + strings.Join(Assistants(), ", "))
	}
	at := known.events[name]
	e := eventOf(in)
	e.Event, e.Late, e.Client, e.Waits, e.Resumes = at.Event, at.Late, client, at.Waits, at.Resumes
	if e.Error != "" && (at.Event == Before && at.Late || at.Event == After) {
		e.Event = Failure
	}
	if e.Event != Failure {
		e.Error = ""
	}
	return Hook{e, name}, nil
}

// clientOf guesses the assistant by the name and the fields of an event. Codex uses Claude Code's names of events, and
// adds turn_id.
func clientOf(event string, in map[string]any) string {
	switch {
	case text(in, "turn_id") != "":
		return "codex"
	case in["toolCall"] != nil || event == "PreInvocation":
		return antigravity
	}
	for _, name := range []string{claude, "gemini", "cursor", "copilot", "kiro"} {
		if _, has := assistants()[name].events[event]; has {
			return name
		}
	}
	return claude
}

// eventOf reads the fields of an event. Each assistant names the fields differently.
func eventOf(in map[string]any) Event {
	tool := text(in, "tool_name", "toolName", "toolCall.name")
	arguments, patch := argumentsOf(in)
	e := Event{
		SessionID: text(in, "session_id", "conversation_id", "sessionId", "conversationId"),
		Prompt:    cmp.Or(text(in, "prompt"), text(arguments, "prompt", "message")),
		ToolName:  tool,
		Folder:    text(in, "cwd", "workspacePaths.0", "workspace_roots.0"),
		FilePath: text(arguments, "file_path", "path", "relative_path", "notebook_path", "TargetFile", "AbsolutePath",
			"filePath"),
		Command: cmp.Or(text(arguments, "command", "cmd", "CommandLine"), text(in, "command"), patch),
		NewString: cmp.Or(text(arguments, "new_string", "new_str", "newStr", "ReplacementContent"),
			editsIn(arguments["edits"]), editsIn(arguments["ReplacementChunks"])),
		OldString: text(arguments, "old_string", "old_str", "oldStr", "TargetContent"),
		Content:   text(arguments, "content", "contents", "new_source", "file_text", "text", "CodeContent"),
		Error:     text(in, "error", "error_message"),
		Agent:     cmp.Or(text(in, "agent_type", "subagent_type"), text(arguments, "subagent_type")),
	}
	if strings.Contains(strings.ToLower(tool), "mcp") {
		e.SQL = text(arguments, "sql", "query", "statement")
	}
	if e.FilePath != "" { // then command is an operation of the editing tool, such as create
		e.Command, e.SQL = "", ""
	}
	if e.Error == "" {
		e.Error = failureIn(cmp.Or[any](in["tool_response"], in["tool_output"], in["toolResult"]))
	}
	if strings.Contains(e.Command, "*** Begin Patch") { // Codex applies patches with its own tool or in a shell
		e.Patch = trigger.Patched(e.Command)
		e.Command = ""
		if len(e.Patch) > 0 {
			e.FilePath = e.Patch[0].Path
		}
	}
	return e
}

// argumentsOf returns the arguments of a tool call, or its patch. Copilot sends arguments as JSON in a string, and a
// patch as plain text.
func argumentsOf(in map[string]any) (arguments map[string]any, patch string) {
	call, _ := in["toolCall"].(map[string]any)
	for _, given := range []any{in["tool_input"], in["toolArgs"], call["args"]} {
		switch given := given.(type) {
		case map[string]any:
			return given, ""
		case string:
			if json.Unmarshal([]byte(given), &arguments) != nil {
				patch = given
			}
			return arguments, patch
		}
	}
	return nil, ""
}

// text returns the first of the named fields that holds a text, or "". It joins a list of texts, such as the words of a
// command, with spaces. The name "a.b" means field b of the field a, and "a.0" the first item of the list a.
func text(in map[string]any, names ...string) string {
	for _, name := range names {
		first, rest, isNested := strings.Cut(name, ".")
		value := in[first]
		list, isList := value.([]any)
		switch inner, isMap := value.(map[string]any); {
		case isNested && isMap:
			value = inner[rest]
		case isNested && isList && len(list) > 0:
			value = list[0]
		case isList:
			var words []string
			for _, item := range list {
				if word, isText := item.(string); isText {
					words = append(words, word)
				}
			}
			value = strings.Join(words, " ")
		}
		if found, isText := value.(string); isText && found != "" {
			return found
		}
	}
	return ""
}

// editsIn returns the new texts in a list of edits, which may be JSON in a string. It returns "" for any other value.
func editsIn(value any) string {
	if encoded, isText := value.(string); isText {
		_ = json.Unmarshal([]byte(encoded), &value) // a text that is not JSON has no edits
	}
	list, _ := value.([]any)
	var all strings.Builder
	for _, item := range list {
		edit, _ := item.(map[string]any)
		written := text(edit, "new_string", "newText", "ReplacementContent")
		if written != "" {
			all.WriteString(written + "\n")
		}
	}
	return all.String()
}

// failureIn returns the output of a failed command from a tool's response, or "" if the command did not fail.
func failureIn(response any) string {
	output, _ := response.(string)
	if strings.HasPrefix(strings.TrimSpace(output), "{") { // Cursor sends JSON in a string
		_ = json.Unmarshal([]byte(output), &response) // a text that is not JSON is the output itself
	}
	fields, _ := response.(map[string]any)
	code, _ := fields["exitCode"].(float64)
	if fields != nil {
		printed := text(fields, "stdout") + text(fields, "stderr")
		output = cmp.Or(text(fields, "llmContent", "textResultForLlm"), printed, text(fields, "error"))
	}
	printed := exitCode().FindStringSubmatch(output)
	if fields["error"] != nil || code != 0 || printed != nil && printed[1] != "0" {
		return cmp.Or(output, "failed")
	}
	return ""
}
