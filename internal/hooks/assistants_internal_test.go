package hooks

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
			Event{Event: Before, SessionID: "s", ToolName: "Bash", Command: "make seed"},
			running, context("PreToolUse"),
		},
		"Claude Code, failure": {
			`{"hook_event_name": "PostToolUseFailure", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "x"}, "error": "Exit code 1\nno"}`,
			Event{Event: Failure, SessionID: "s", ToolName: "Bash", Command: "x", Error: "Exit code 1\nno"},
			failing, context("PostToolUseFailure"),
		},
		"Claude Code, subagent": {
			`{"hook_event_name": "SubagentStart", "session_id": "s", "agent_type": "Explore"}`,
			Event{Event: Started, SessionID: "s", Agent: "Explore"},
			beginning, context("SubagentStart"),
		},
		"Claude Code, task": {
			`{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Agent", "tool_input": {"prompt": "look", "subagent_type": "Explore"}}`,
			Event{Event: Before, SessionID: "s", ToolName: "Agent", Prompt: "look", Agent: "Explore"},
			delegating, context("PreToolUse"),
		},
		"Claude Code, several edits": {
			`{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "MultiEdit", "tool_input": {"file_path": "a.go", "edits": [{"old_string": "o", "new_string": "n"}, {"new_string": "m"}]}}`,
			Event{Event: Before, SessionID: "s", ToolName: "MultiEdit", FilePath: "a.go", NewString: "n\nm\n"},
			writing, context("PreToolUse"),
		},
		"Claude Code, notebook": {
			`{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "NotebookEdit", "tool_input": {"notebook_path": "a.ipynb", "new_source": "n"}}`,
			Event{Event: Before, SessionID: "s", ToolName: "NotebookEdit", FilePath: "a.ipynb", Content: "n"},
			writing, context("PreToolUse"),
		},
		"Claude Code, PowerShell": {
			`{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "PowerShell", "tool_input": {"command": "Get-Item x"}}`,
			Event{Event: Before, SessionID: "s", ToolName: "PowerShell", Command: "Get-Item x"},
			running, context("PreToolUse"),
		},
		"Claude Code, tool of a server": {
			`{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "mcp__fs__edit_file", "tool_input": {"path": "a.go", "edits": [{"oldText": "o", "newText": "n"}]}}`,
			Event{Event: Before, SessionID: "s", ToolName: "mcp__fs__edit_file", FilePath: "a.go", NewString: "n\n"},
			writing, context("PreToolUse"),
		},
		"Codex, words of a command": {
			`{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": ["git", "push", "-f"]}}`,
			Event{Event: Before, SessionID: "s", ToolName: "Bash", Command: "git push -f"},
			running, context("PreToolUse"),
		},
		"Codex, failure": {
			`{"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "x"}, "tool_response": "Exit code 2\nno such thing"}`,
			Event{Event: Failure, SessionID: "s", ToolName: "Bash", Command: "x", Error: "Exit code 2\nno such thing"},
			failing, context("PostToolUse"),
		},
		"Codex, patch": {
			`{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "apply_patch", "tool_input": {"command": "*** Begin Patch\n*** Update File: a.go\n-old\n+new\n*** End Patch"}}`,
			Event{Event: Before, SessionID: "s", ToolName: "apply_patch", FilePath: "a.go", Content: "new\n"},
			writing, context("PreToolUse"),
		},
		"Gemini CLI, prompt": {
			`{"hook_event_name": "BeforeAgent", "session_id": "s", "prompt": "why?"}`,
			Event{Event: Prompt, SessionID: "s", Prompt: "why?"},
			asking, context("BeforeAgent"),
		},
		"Gemini CLI, command": {
			`{"hook_event_name": "AfterTool", "session_id": "s", "tool_name": "run_shell_command", "tool_input": {"command": "ls"}, "tool_response": {"llmContent": "a"}}`,
			Event{Event: Before, SessionID: "s", ToolName: "run_shell_command", Command: "ls"},
			running, context("AfterTool"),
		},
		"Gemini CLI, failure": {
			`{"hook_event_name": "AfterTool", "session_id": "s", "tool_name": "run_shell_command", "tool_input": {"command": "ls"}, "tool_response": {"llmContent": "no", "error": {"message": "m"}}}`,
			Event{Event: Failure, SessionID: "s", ToolName: "run_shell_command", Command: "ls", Error: "no", Late: true},
			failing, context("AfterTool"),
		},
		"Gemini CLI, before a tool": {
			`{"hook_event_name": "BeforeTool", "session_id": "s", "tool_name": "run_shell_command", "tool_input": {"command": "ls"}}`,
			Event{Event: "BeforeTool", SessionID: "s", ToolName: "run_shell_command", Command: "ls"},
			nothing, context("BeforeTool"),
		},
		"Cursor, command": {
			`{"hook_event_name": "postToolUse", "conversation_id": "c", "tool_name": "Shell", "tool_input": {"command": "ls"}}`,
			Event{Event: Before, SessionID: "c", ToolName: "Shell", Command: "ls"},
			running, cursor,
		},
		"Gemini CLI, exit code": {
			`{"hook_event_name": "AfterTool", "session_id": "s", "tool_name": "run_shell_command", "tool_input": {"command": "x"}, "tool_response": {"llmContent": "Output: no\nExit Code: 3\nProcess Group PGID: 7"}}`,
			Event{Event: Failure, SessionID: "s", ToolName: "run_shell_command", Command: "x", Error: "Output: no\nExit Code: 3\nProcess Group PGID: 7", Late: true},
			failing, context("AfterTool"),
		},
		"Cursor, failure": {
			`{"hook_event_name": "postToolUseFailure", "conversation_id": "c", "tool_name": "Shell", "tool_input": {"command": "ls"}, "error_message": "no"}`,
			Event{Event: Failure, SessionID: "c", ToolName: "Shell", Command: "ls", Error: "no", Late: true},
			failing, cursor,
		},
		"Cursor, exit code": {
			`{"hook_event_name": "postToolUse", "conversation_id": "c", "tool_name": "Shell", "tool_input": {"command": "x"}, "tool_output": "{\"exitCode\":1,\"stdout\":\"no\"}"}`,
			Event{Event: Failure, SessionID: "c", ToolName: "Shell", Command: "x", Error: "no", Late: true},
			failing, cursor,
		},
		"Cursor, command that ran": {
			`{"hook_event_name": "postToolUse", "conversation_id": "c", "tool_name": "Shell", "tool_input": {"command": "x"}, "tool_output": "{\"exitCode\":0,\"stdout\":\"All tests passed\"}", "tool_use_id": "t", "cwd": "/p", "duration": 5432, "model": "m"}`,
			Event{Event: Before, SessionID: "c", ToolName: "Shell", Command: "x"},
			running, cursor,
		},
	} {
		hook, err := ReadHook(strings.NewReader(test.stdin))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(test.want, hook.Event); diff != "" || hook.act() != test.act {
			t.Errorf("%s: act %d, want %d (-want +got):\n%s", name, hook.act(), test.act, diff)
		}
		if diff := cmp.Diff(test.answer, printed(t, hook.Answer(Answer{Hook: &Output{Event: hook.Event.Event, Context: "c"}}))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if silence := printed(t, hook.Answer(Answer{})); len(silence) > 0 {
			t.Errorf("%s: silence is %v", name, silence)
		}
	}
	hook, err := ReadHook(strings.NewReader(`{"hook_event_name": "PreToolUse"}`))
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
func TestEvent_WrittenReadsEdits(t *testing.T) {
	t.Parallel()
	for _, e := range []Event{
		{Content: `[{"old_string": "o", "new_string": "n"}]`}, {NewString: `[{"oldText": "o", "newText": "n"}]`}, {NewString: "n"},
	} {
		if got := e.written(); got != "n" {
			t.Errorf("%+v writes %q", e, got)
		}
	}
	if got := (Event{Content: "[1, 2]"}).written(); got != "[1, 2]" {
		t.Errorf("a list of numbers is read as %q", got)
	}
}
