package hooks

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/hooks/trigger"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// Each assistant's form of an event is understood, and answered in the same form.
func TestReadHook_UnderstandsAssistants(t *testing.T) {
	t.Parallel()
	context := func(event string) map[string]any {
		return map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": event, "additionalContext": "c"}}
	}
	cursor := map[string]any{"additional_context": "c"}
	for name, test := range map[string]struct {
		stdin  string
		want   Event
		act    act
		answer map[string]any
	}{
		"Claude Code, command": {
			`{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "make seed"}}`,
			Event{Event: Before, SessionID: "s", ToolName: "Bash", Command: "make seed", Client: "claude"},
			running, context("PreToolUse"),
		},
		"Claude Code, failure": {
			`{"hook_event_name": "PostToolUseFailure", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "x"}, "error": "Exit code 1\nno"}`,
			Event{Event: Failure, SessionID: "s", ToolName: "Bash", Command: "x", Error: "Exit code 1\nno", Client: "claude"},
			failing, context("PostToolUseFailure"),
		},
		"Claude Code, subagent": {
			`{"hook_event_name": "SubagentStart", "session_id": "s", "agent_type": "Explore"}`,
			Event{Event: Started, SessionID: "s", Agent: "Explore", Client: "claude"},
			beginning, context("SubagentStart"),
		},
		"Claude Code, task": {
			`{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Agent", "tool_input": {"prompt": "look", "subagent_type": "Explore"}}`,
			Event{Event: Before, SessionID: "s", ToolName: "Agent", Prompt: "look", Agent: "Explore", Client: "claude"},
			delegating, context("PreToolUse"),
		},
		"Claude Code, several edits": {
			`{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "MultiEdit", "tool_input": {"file_path": "a.go", "edits": [{"old_string": "o", "new_string": "n"}, {"new_string": "m"}]}}`,
			Event{Event: Before, SessionID: "s", ToolName: "MultiEdit", FilePath: "a.go", NewString: "n\nm\n", Client: "claude"},
			writing, context("PreToolUse"),
		},
		"Claude Code, notebook": {
			`{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "NotebookEdit", "tool_input": {"notebook_path": "a.ipynb", "new_source": "n"}}`,
			Event{Event: Before, SessionID: "s", ToolName: "NotebookEdit", FilePath: "a.ipynb", Content: "n", Client: "claude"},
			writing, context("PreToolUse"),
		},
		"Claude Code, tool of a server": {
			`{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "mcp__fs__edit_file", "tool_input": {"path": "a.go", "edits": [{"oldText": "o", "newText": "n"}]}}`,
			Event{Event: Before, SessionID: "s", ToolName: "mcp__fs__edit_file", FilePath: "a.go", NewString: "n\n", Client: "claude"},
			writing, context("PreToolUse"),
		},
		"Codex, words of a command": {
			`{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": ["git", "push", "-f"]}}`,
			Event{Event: Before, SessionID: "s", ToolName: "Bash", Command: "git push -f", Client: "claude"},
			running, context("PreToolUse"),
		},
		"Codex, failure": {
			`{"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "x"}, "tool_response": "Exit code 2\nno such thing"}`,
			Event{Event: Failure, SessionID: "s", ToolName: "Bash", Command: "x", Error: "Exit code 2\nno such thing", Client: "claude"},
			failing, context("PostToolUse"),
		},
		"Codex, patch": {
			`{"hook_event_name": "PreToolUse", "session_id": "s", "turn_id": "t", "tool_name": "apply_patch", "tool_input": {"command": "*** Begin Patch\n*** Update File: a.go\n-old\n+new\n*** End Patch"}}`,
			Event{Event: Before, SessionID: "s", ToolName: "apply_patch", FilePath: "a.go", Patch: []trigger.Edit{{Path: "a.go", New: "new\n", Old: "old\n"}}, Client: "codex"},
			writing, context("PreToolUse"),
		},
		"Gemini CLI, prompt": {
			`{"hook_event_name": "BeforeAgent", "session_id": "s", "prompt": "why?"}`,
			Event{Event: Prompt, SessionID: "s", Prompt: "why?", Client: "gemini"},
			asking, context("BeforeAgent"),
		},
		"Gemini CLI, command": {
			`{"hook_event_name": "AfterTool", "session_id": "s", "tool_name": "run_shell_command", "tool_input": {"command": "ls"}, "tool_response": {"llmContent": "a"}}`,
			Event{Event: Before, SessionID: "s", ToolName: "run_shell_command", Command: "ls", Client: "gemini", Late: true},
			running, context("AfterTool"),
		},
		"Gemini CLI, failure": {
			`{"hook_event_name": "AfterTool", "session_id": "s", "tool_name": "run_shell_command", "tool_input": {"command": "ls"}, "tool_response": {"llmContent": "no", "error": {"message": "m"}}}`,
			Event{Event: Failure, SessionID: "s", ToolName: "run_shell_command", Command: "ls", Error: "no", Late: true, Client: "gemini"},
			failing, context("AfterTool"),
		},
		"an event that is not known": {
			`{"hook_event_name": "BeforeTool", "session_id": "s", "tool_name": "run_shell_command", "tool_input": {"command": "ls"}}`,
			Event{SessionID: "s", ToolName: "run_shell_command", Command: "ls", Client: "claude"},
			nothing, context("BeforeTool"),
		},
		"Cursor, command": {
			`{"hook_event_name": "preToolUse", "conversation_id": "c", "workspace_roots": ["/p"], "tool_name": "Shell", "tool_input": {"command": "ls"}}`,
			Event{Event: Before, SessionID: "c", ToolName: "Shell", Command: "ls", Folder: "/p", Client: "cursor"},
			running,
			map[string]any{"permission": "allow", "agent_message": "c", "additional_context": "c"},
		},
		"Gemini CLI, exit code": {
			`{"hook_event_name": "AfterTool", "session_id": "s", "tool_name": "run_shell_command", "tool_input": {"command": "x"}, "tool_response": {"llmContent": "Output: no\nExit Code: 3\nProcess Group PGID: 7"}}`,
			Event{Event: Failure, SessionID: "s", ToolName: "run_shell_command", Command: "x", Error: "Output: no\nExit Code: 3\nProcess Group PGID: 7", Late: true, Client: "gemini"},
			failing, context("AfterTool"),
		},
		"Cursor, failure": {
			`{"hook_event_name": "postToolUseFailure", "conversation_id": "c", "tool_name": "Shell", "tool_input": {"command": "ls"}, "error_message": "no"}`,
			Event{Event: Failure, SessionID: "c", ToolName: "Shell", Command: "ls", Error: "no", Client: "cursor"},
			failing, cursor,
		},
		"Cursor, exit code": {
			`{"hook_event_name": "postToolUse", "conversation_id": "c", "tool_name": "Shell", "tool_input": {"command": "x"}, "tool_output": "{\"exitCode\":1,\"stdout\":\"no\"}"}`,
			Event{Event: Failure, SessionID: "c", ToolName: "Shell", Command: "x", Error: "no", Client: "cursor"},
			failing, cursor,
		},
		"Cursor, command that ran": {
			`{"hook_event_name": "postToolUse", "conversation_id": "c", "tool_name": "Shell", "tool_input": {"command": "x"}, "tool_output": "{\"exitCode\":0,\"stdout\":\"All tests passed\"}", "tool_use_id": "t", "cwd": "/p", "duration": 5432, "model": "m"}`,
			Event{Event: After, SessionID: "c", ToolName: "Shell", Command: "x", Folder: "/p", Client: "cursor"},
			succeeding, cursor,
		},
	} {
		hook, err := ReadHook(strings.NewReader(test.stdin), "", "")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(test.want, hook.Event); diff != "" || hook.act() != test.act {
			t.Errorf("%s: act %d, want %d (-want +got):\n%s", name, hook.act(), test.act, diff)
		}
		if diff := cmp.Diff(test.answer, printed(t, hook.Answer(Answer{Hook: &Output{Event: hook.Event.Event, Context: "c"}}))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		silence := printed(t, hook.Answer(Answer{}))
		delete(silence, "permission") // Cursor may take an empty answer for a denial
		if len(silence) > 0 {
			t.Errorf("%s: silence is %v", name, silence)
		}
	}
	hook, err := ReadHook(strings.NewReader(`{"hook_event_name": "PreToolUse"}`), "", "")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"systemMessage": "m", "hookSpecificOutput": map[string]any{
		"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "r",
	}}
	denial := Answer{Hook: &Output{Decision: "deny", Reason: "r"}, Message: "m"}
	if diff := cmp.Diff(want, printed(t, hook.Answer(denial))); diff != "" {
		t.Errorf("a denial (-want +got):\n%s", diff)
	}
}

// Assistants that take no text at an act get it at their next event. The fields are those of samples in threads and pages.
func TestReadHook_AssistantsThatWait(t *testing.T) {
	t.Parallel()
	said := Answer{Hook: &Output{Context: "c"}}
	denied := Answer{Hook: &Output{Decision: "deny", Reason: "r"}}
	for name, test := range map[string]struct {
		client, event, stdin string
		want                 Event
		answer               Answer
		printed              string
	}{
		"Antigravity, command": {
			"", "PreToolUse", `{"conversationId": "c", "workspacePaths": ["/p"], "toolCall": {"name": "run_command", "args": {"CommandLine": "dropdb ledger"}}}`,
			Event{Event: Before, SessionID: "c", ToolName: "run_command", Command: "dropdb ledger", Folder: "/p", Client: "antigravity", Waits: true},
			denied,
			`{"decision":"deny","reason":"r"}`,
		},
		"Antigravity, silence before a command": {
			"", "PreToolUse", `{"conversationId": "c", "toolCall": {"name": "run_command", "args": {"CommandLine": "ls"}}}`,
			Event{Event: Before, SessionID: "c", ToolName: "run_command", Command: "ls", Client: "antigravity", Waits: true},
			Answer{},
			"null",
		},
		"Antigravity, file": {
			"", "PostToolUse", `{"conversationId": "c", "error": "", "toolCall": {"name": "write_to_file", "args": {"TargetFile": "/p/a.go", "CodeContent": "x"}}}`,
			Event{Event: Before, SessionID: "c", ToolName: "write_to_file", FilePath: "/p/a.go", Content: "x", Client: "antigravity", Waits: true, Late: true},
			Answer{},
			"{}",
		},
		"Antigravity, turn": {
			"antigravity", "PreInvocation", `{"conversationId": "c", "workspacePaths": ["/p"], "invocationNum": 0}`,
			Event{Event: Resume, SessionID: "c", Folder: "/p", Client: "antigravity", Resumes: true},
			said, `{"injectSteps":[{"ephemeralMessage":"c"}]}`,
		},
		"Copilot CLI, edit": {
			"copilot", "preToolUse", `{"sessionId": "c", "cwd": "/p", "toolName": "edit", "toolArgs": "{\"path\": \"a.go\", \"old_str\": \"o\", \"new_str\": \"n\"}"}`,
			Event{Event: Before, SessionID: "c", ToolName: "edit", FilePath: "a.go", NewString: "n", OldString: "o", Folder: "/p", Client: "copilot", Waits: true},
			denied,
			`{"permissionDecision":"deny","permissionDecisionReason":"r"}`,
		},
		"Copilot CLI, exit code": {
			"copilot", "postToolUse", `{"sessionId": "c", "toolName": "bash", "toolArgs": {"command": "x"}, "toolResult": {"resultType": "success", "textResultForLlm": "no\nExit code: 1"}}`,
			Event{Event: Failure, SessionID: "c", ToolName: "bash", Command: "x", Error: "no\nExit code: 1", Client: "copilot", Resumes: true},
			said, `{"additionalContext":"c"}`,
		},
		"Kiro, prompt": {
			"kiro", "", `{"hook_event_name": "userPromptSubmit", "cwd": "/p", "prompt": "why?"}`,
			Event{Event: Prompt, Prompt: "why?", Folder: "/p", Client: "kiro"},
			said, `"c"`,
		},
	} {
		hook, err := ReadHook(strings.NewReader(test.stdin), test.client, test.event)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(test.want, hook.Event); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		printed, err := json.Marshal(hook.Answer(test.answer))
		if err != nil || string(printed) != test.printed {
			t.Errorf("%s: %s, %v; want %s", name, printed, err, test.printed)
		}
	}
}

// What waits is told at the next event that takes it, once.
func TestNote_TextsWait(t *testing.T) {
	t.Parallel()
	var s Session
	document := about("docs/a.md")
	document.Level = catalog.Standard // a critical one denies
	step(&s, Event{Event: Before, Command: "make", Waits: true}, document)
	if !strings.Contains(s.Waiting, "docs/a.md") {
		t.Errorf("waiting: %q", s.Waiting)
	}
	if step(&s, Event{Event: Resume, Resumes: true}); s.Waiting != "" {
		t.Errorf("still waiting: %q", s.Waiting)
	}
}

// printed returns an answer as an assistant reads it.
func printed(t *testing.T, answer any) (read map[string]any) {
	t.Helper()
	content, err := json.Marshal(answer)
	if err == nil {
		err = json.Unmarshal(content, &read)
	}
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// The plugin's hooks give the edits of a tool as a list in JSON.
func TestEvent_EditsOfATool(t *testing.T) {
	t.Parallel()
	for _, e := range []Event{
		{Content: `[{"old_string": "o", "new_string": "n"}]`}, {NewString: `[{"oldText": "o", "newText": "n"}]`}, {NewString: "n"},
	} {
		if got := e.edits()[0].New; got != "n" {
			t.Errorf("%+v writes %q", e, got)
		}
	}
	if got := (Event{Content: "[1, 2]"}).edits()[0].New; got != "[1, 2]" {
		t.Errorf("a list of numbers is read as %q", got)
	}
}

// Events that are too large, no JSON or no text are refused, and hostile ones are read within bounds.
func TestReadHook_IsBounded(t *testing.T) {
	t.Parallel()
	for stdin, want := range map[string]string{
		`{"prompt": "` + strings.Repeat("x", 50<<20) + `"}`: "more than 4 MiB",
		"no": "no event as JSON",
		`{"hook_event_name": "PreToolUse", "tool_name": 7}`:                                        "",
		"\ufeff{\"hook_event_name\": \"PreToolUse\", \"tool_input\": {\"command\": \"\xff\xfe\"}}": "",
	} {
		_, err := ReadHook(strings.NewReader(stdin), "", "")
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.60q: %v, want %q", stdin, err, want)
		}
	}
	if _, err := ReadHook(strings.NewReader("{}"), "clippy", ""); err == nil || !strings.Contains(err.Error(), "antigravity, claude, codex") {
		t.Errorf("an unknown assistant: %v", err)
	}
}
