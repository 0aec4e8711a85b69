package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// An assistant whose hooks start a program is pointed to the document that answers a
// prompt, once in a session, and hears nothing else.
func TestRecall_AnswersAHook(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	documents := map[string]string{
		promotable + "pool.md": strings.ReplaceAll(problem, "%", "PgxPoolExhausted when the connection pool was exhausted by leaked connections"),
	}
	for i := range 12 {
		documents[fmt.Sprintf("%sother-%d.md", promotable, i)] = strings.ReplaceAll(problem, "%", fmt.Sprintf("Lunch number %d is late", i))
	}
	root := newProject(t, documents)
	environment = append(environment, "CDOCS_HOME="+t.TempDir())
	mustRun(t, root, environment, "sync")
	hook := func(event map[string]any) string {
		t.Helper()
		return answerOf(t, root, environment, event)
	}
	prompt := map[string]any{
		"hook_event_name": "UserPromptSubmit", "session_id": "s",
		"prompt": "why PgxPoolExhausted, was the connection pool exhausted by leaked connections?",
	}
	got := hook(prompt)
	for _, want := range []string{`"hookEventName": "UserPromptSubmit"`, "./" + promotable + "pool.md:"} {
		if !strings.Contains(got, want) {
			t.Errorf("the hook gets %s, want %s in it", got, want)
		}
	}
	if again := hook(prompt); again != "{}\n" {
		t.Errorf("a second time in the session it gets %s", again)
	}
	if got := hook(map[string]any{"hook_event_name": "UserPromptSubmit", "session_id": "t", "prompt": "continue"}); got != "{}\n" {
		t.Errorf("for an everyday prompt it gets %s", got)
	}
	// Acts are answered from the index as it is, and prompts compare the files with it first.
	write(t, root, promotable+"ebb.md", strings.Replace(strings.ReplaceAll(problem, "%", "Ebb"), "---\n", "---\ntriggers: [{run: ebb}]\n", 1))
	act := map[string]any{"hook_event_name": "PreToolUse", "session_id": "u", "tool_name": "Bash", "tool_input": map[string]any{"command": "ebb"}}
	if got := hook(act); got != "{}\n" {
		t.Errorf("an act before the next prompt gets %s", got)
	}
	hook(map[string]any{"hook_event_name": "UserPromptSubmit", "session_id": "u", "prompt": "continue"})
	if got := hook(act); !strings.Contains(got, "ebb.md") {
		t.Errorf("an act after the next prompt gets %s", got)
	}
	if got := run(t, root, environment, "recall", "--hook"); got.code != 1 || !strings.Contains(got.stderr, "stdin has no event") {
		t.Errorf("without an event it ends with %d: %s", got.code, got.stderr)
	}
}

// recall says to people what hooks would say, and why. Another assistant's hook is answered in its form, and what it takes no
// text at is told at its next event.
func TestRecall_TriesTriggers(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	root := newProject(t, map[string]string{
		promotable + "crane.md": strings.Replace(strings.ReplaceAll(problem, "%", "Cranes"), "---\n",
			"---\ntriggers: [{run: crane lift, say: Only with the brake.}, {edit: '*.crane', writes: lift}, {fails: brake is hot}]\n", 1),
	})
	environment = append(environment, "CDOCS_HOME="+t.TempDir())
	for _, test := range []struct {
		arguments []string
		want      string
	}{
		{[]string{"--run", "sudo crane lift 7"}, "crane.md:"},
		{[]string{"--run", "crane lift"}, "for this command: run crane lift"},
		{[]string{"--edit", "a.crane", "--writes", "lift 7"}, "for this edit: edit *.crane, writes lift"},
		{[]string{"--fails", "the brake is HOT"}, "for this failure: fails brake is hot"},
		{[]string{"--run", "crane park"}, "Hooks say nothing at this."},
	} {
		if got := mustRun(t, root, environment, append([]string{"recall"}, test.arguments...)...).stdout; !strings.Contains(got, test.want) {
			t.Errorf("recall %q says %q, want %q in it", test.arguments, got, test.want)
		}
	}
	if got := run(t, root, environment, "recall"); got.code != 2 || !strings.Contains(got.stderr, "[hook run edit fails]") {
		t.Errorf("recall alone ends with %d: %s", got.code, got.stderr)
	}
	act := map[string]any{"conversationId": "c", "workspacePaths": []string{root}, "toolCall": map[string]any{
		"name": "run_command", "args": map[string]any{"CommandLine": "crane lift"},
	}}
	elsewhere := t.TempDir()
	if got := answerOf(t, elsewhere, environment, act, "--event", "PostToolUse"); got != "{}\n" {
		t.Errorf("Antigravity gets %q behind a tool", got)
	}
	turn := map[string]any{"conversationId": "c", "workspacePaths": []string{root}, "invocationNum": 1}
	for _, want := range []string{`"ephemeralMessage": "From this project's memory`, "{}\n"} {
		if got := answerOf(t, elsewhere, environment, turn, "--client", "antigravity", "--event", "PreInvocation"); !strings.Contains(got, want) {
			t.Errorf("Antigravity gets %q at its turn, want %q", got, want)
		}
	}
}

// The first prompt is answered in a new project with the private database: no other process may have started it yet.
func TestRecall_StartsTheDatabase(t *testing.T) {
	t.Parallel()
	o := newOwnDatabase(t)
	write(t, o.root, promotable+"pool.md", strings.ReplaceAll(problem, "%", "PgxPoolExhausted by leaked connections"))
	var got string
	for _, session := range []string{"first", "second", "third"} { // a busy machine needs more than a hook's four seconds
		got = answerOf(t, o.root, o.environment, map[string]any{
			"hook_event_name": "UserPromptSubmit", "session_id": session,
			"prompt": "Users report PgxPoolExhausted each morning. Find out which job has leaked connections and mend it.",
		})
		if strings.Contains(got, "pool.md") {
			return
		}
	}
	t.Errorf("the hook gets %s, want the document", got)
}

// Assistants take the code 2 of a hook for a veto, and wait for its end.
func TestRecall_HookNeverEndsWithAVeto(t *testing.T) {
	t.Parallel()
	for _, arguments := range [][]string{{"recall", "--hook", "--nope"}, {"recall", "--hook", "extra"}, {"nope", "--hook"}, {"recall", "--hook"}} {
		if got := run(t, t.TempDir(), nil, arguments...); got.code != 1 {
			t.Errorf("%v ends with %d: %s", arguments, got.code, got.stderr)
		}
	}
	for name, signal := range map[string]os.Signal{"the runtime ends it": syscall.SIGQUIT, "its input has no end": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := exec.CommandContext(t.Context(), testenv.Program(t), "recall", "--hook")
			command.Dir, command.Env = t.TempDir(), []string{"CDOCS_HOME=" + t.TempDir()}
			var stderr bytes.Buffer
			command.Stderr = &stderr
			stdin, err := command.StdinPipe()
			must(t, err)
			must(t, command.Start())
			defer stdin.Close() //nolint:errcheck // the program does not wait for it
			began := time.Now()
			if signal != nil {
				time.Sleep(300 * time.Millisecond) // until the runtime takes signals; sooner, the system ends the program
				must(t, command.Process.Signal(signal))
			}
			_ = command.Wait() // its code follows
			if code, took := command.ProcessState.ExitCode(), time.Since(began); code == 2 || code == 0 || took > 10*time.Second {
				t.Errorf("it ends with %d after %s: %.300s", code, took, &stderr)
			}
		})
	}
}

// Hooks of a user's own settings run in each folder.
func TestRecall_HookOutsideAProjectIsSilent(t *testing.T) {
	t.Parallel()
	for _, client := range []string{"claude", "codex", "gemini"} {
		got := answerOf(t, t.TempDir(), []string{"CDOCS_HOME=" + t.TempDir()}, map[string]any{
			"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "a pool",
		}, "--client", client)
		if strings.TrimSpace(got) != "{}" {
			t.Errorf("%s gets %q, want nothing", client, got)
		}
	}
}

// answerOf returns what a hook prints for an event.
func answerOf(t *testing.T, root string, environment []string, event map[string]any, flags ...string) string {
	t.Helper()
	text, err := json.Marshal(event)
	must(t, err)
	command := exec.CommandContext(t.Context(), testenv.Program(t), append([]string{"recall", "--hook"}, flags...)...)
	command.Dir, command.Stdin = root, strings.NewReader(string(text))
	command.Env = append([]string{"PATH=" + os.Getenv("PATH")}, environment...)
	var stderr strings.Builder
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("recall --hook: %v: %s", err, &stderr)
	}
	return string(output)
}
