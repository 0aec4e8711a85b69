package recall_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/recall"
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
		want   recall.Event
		act    recall.Act
		answer map[string]any
	}{
		"Claude Code, command": {
			`{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "make seed"}}`,
			recall.Event{Event: recall.Before, SessionID: "s", ToolName: "Bash", Command: "make seed"},
			recall.Running, context("PreToolUse"),
		},
		"Claude Code, failure": {
			`{"hook_event_name": "PostToolUseFailure", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "x"}, "error": "Exit code 1\nno"}`,
			recall.Event{Event: recall.Failure, SessionID: "s", ToolName: "Bash", Command: "x", Error: "Exit code 1\nno"},
			recall.Failing, context("PostToolUseFailure"),
		},
		"Claude Code, subagent": {
			`{"hook_event_name": "SubagentStart", "session_id": "s", "agent_type": "Explore"}`,
			recall.Event{Event: recall.Started, SessionID: "s", Agent: "Explore"},
			recall.Beginning, context("SubagentStart"),
		},
		"Claude Code, task": {
			`{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Agent", "tool_input": {"prompt": "look", "subagent_type": "Explore"}}`,
			recall.Event{Event: recall.Before, SessionID: "s", ToolName: "Agent", Prompt: "look", Agent: "Explore"},
			recall.Delegating, context("PreToolUse"),
		},
		"Codex, words of a command": {
			`{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": ["git", "push", "-f"]}}`,
			recall.Event{Event: recall.Before, SessionID: "s", ToolName: "Bash", Command: "git push -f"},
			recall.Running, context("PreToolUse"),
		},
		"Codex, failure": {
			`{"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "x"}, "tool_response": "Exit code 2\nno such thing"}`,
			recall.Event{Event: recall.Failure, SessionID: "s", ToolName: "Bash", Command: "x", Error: "Exit code 2\nno such thing"},
			recall.Failing, context("PostToolUse"),
		},
		"Codex, patch": {
			`{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "apply_patch", "tool_input": {"command": "*** Begin Patch\n*** Update File: a.go\n-old\n+new\n*** End Patch"}}`,
			recall.Event{Event: recall.Before, SessionID: "s", ToolName: "apply_patch", FilePath: "a.go", Content: "new\n"},
			recall.Writing, context("PreToolUse"),
		},
		"Gemini CLI, prompt": {
			`{"hook_event_name": "BeforeAgent", "session_id": "s", "prompt": "why?"}`,
			recall.Event{Event: recall.Prompt, SessionID: "s", Prompt: "why?"},
			recall.Asking, context("BeforeAgent"),
		},
		"Gemini CLI, command": {
			`{"hook_event_name": "AfterTool", "session_id": "s", "tool_name": "run_shell_command", "tool_input": {"command": "ls"}, "tool_response": {"llmContent": "a"}}`,
			recall.Event{Event: recall.Before, SessionID: "s", ToolName: "run_shell_command", Command: "ls"},
			recall.Running, context("AfterTool"),
		},
		"Gemini CLI, failure": {
			`{"hook_event_name": "AfterTool", "session_id": "s", "tool_name": "run_shell_command", "tool_input": {"command": "ls"}, "tool_response": {"llmContent": "no", "error": {"message": "m"}}}`,
			recall.Event{Event: recall.Failure, SessionID: "s", ToolName: "run_shell_command", Command: "ls", Error: "no"},
			recall.Failing, context("AfterTool"),
		},
		"Gemini CLI, before a tool": {
			`{"hook_event_name": "BeforeTool", "session_id": "s", "tool_name": "run_shell_command", "tool_input": {"command": "ls"}}`,
			recall.Event{Event: "BeforeTool", SessionID: "s", ToolName: "run_shell_command", Command: "ls"},
			recall.Nothing, context("BeforeTool"),
		},
		"Cursor, command": {
			`{"hook_event_name": "postToolUse", "conversation_id": "c", "tool_name": "Shell", "tool_input": {"command": "ls"}}`,
			recall.Event{Event: recall.Before, SessionID: "c", ToolName: "Shell", Command: "ls"},
			recall.Running, cursor,
		},
		"Gemini CLI, exit code": {
			`{"hook_event_name": "AfterTool", "session_id": "s", "tool_name": "run_shell_command", "tool_input": {"command": "x"}, "tool_response": {"llmContent": "Output: no\nExit Code: 3\nProcess Group PGID: 7"}}`,
			recall.Event{Event: recall.Failure, SessionID: "s", ToolName: "run_shell_command", Command: "x", Error: "Output: no\nExit Code: 3\nProcess Group PGID: 7"},
			recall.Failing, context("AfterTool"),
		},
		"Cursor, failure": {
			`{"hook_event_name": "postToolUseFailure", "conversation_id": "c", "tool_name": "Shell", "tool_input": {"command": "ls"}, "error_message": "no"}`,
			recall.Event{Event: recall.Failure, SessionID: "c", ToolName: "Shell", Command: "ls", Error: "no"},
			recall.Failing, cursor,
		},
		"Cursor, exit code": {
			`{"hook_event_name": "postToolUse", "conversation_id": "c", "tool_name": "Shell", "tool_input": {"command": "x"}, "tool_output": "{\"exitCode\":1,\"stdout\":\"no\"}"}`,
			recall.Event{Event: recall.Failure, SessionID: "c", ToolName: "Shell", Command: "x", Error: "no"},
			recall.Failing, cursor,
		},
		"Cursor, command that ran": {
			`{"hook_event_name": "postToolUse", "conversation_id": "c", "tool_name": "Shell", "tool_input": {"command": "x"}, "tool_output": "{\"exitCode\":0,\"stdout\":\"All tests passed\"}", "tool_use_id": "t", "cwd": "/p", "duration": 5432, "model": "m"}`,
			recall.Event{Event: recall.Before, SessionID: "c", ToolName: "Shell", Command: "x"},
			recall.Running, cursor,
		},
	} {
		hook, err := recall.ReadHook(strings.NewReader(test.stdin))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(test.want, hook.Event); diff != "" || hook.Act() != test.act {
			t.Errorf("%s: act %d, want %d (-want +got):\n%s", name, hook.Act(), test.act, diff)
		}
		if diff := cmp.Diff(test.answer, printed(t, hook.Answer(recall.Answer{Hook: &recall.Output{Event: hook.Event.Event, Context: "c"}}))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if silence := printed(t, hook.Answer(recall.Answer{})); len(silence) > 0 {
			t.Errorf("%s: silence is %v", name, silence)
		}
	}
	hook, err := recall.ReadHook(strings.NewReader(`{"hook_event_name": "PreToolUse"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"systemMessage": "m", "hookSpecificOutput": map[string]any{
		"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "r",
	}}
	denial := recall.Answer{Hook: &recall.Output{Decision: "deny", Reason: "r"}, Message: "m"}
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
