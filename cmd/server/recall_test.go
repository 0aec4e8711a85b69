package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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
	transcript := filepath.Join(t.TempDir(), "session.jsonl")
	gemini := map[string]any{
		"hook_event_name": "BeforeAgent", "session_id": "g", "prompt": prompt["prompt"], "transcript_path": transcript,
	}
	for i, compacted := range []string{"", "", geminiTranscript("1"), geminiTranscript("1"), geminiTranscript("2")} {
		write(t, filepath.Dir(transcript), filepath.Base(transcript), compacted)
		if got, want := strings.Contains(hook(gemini), "pool.md"), i%2 == 0; got != want {
			t.Errorf("prompt %d of Gemini CLI has the document: %v, want %v", i, got, want)
		}
	}
	if got := hook(map[string]any{"hook_event_name": "UserPromptSubmit", "session_id": "t", "prompt": "continue"}); got != "{}\n" {
		t.Errorf("for an everyday prompt it gets %s", got)
	}
	if got := run(t, root, environment, "recall", "--hook"); got.code != 1 || !strings.Contains(got.stderr, "stdin has no event") {
		t.Errorf("without an event it ends with %d: %s", got.code, got.stderr)
	}
}

// geminiTranscript is what Gemini CLI keeps of a conversation that it compacted into a summary with an identifier.
func geminiTranscript(id string) string {
	return `{"sessionId":"g","kind":"main"}` + "\n" +
		`{"$set":{"messages":[{"id":"0","timestamp":"2026-11-27T09:56:48.270Z","type":"user","content":[{"text":"context"}]},` +
		`{"id":"` + id + `","timestamp":"2026-11-27T09:56:48.487Z","type":"user","content":[{"text":"<scratchpad>\"a\\b\"</scratchpad>\n` +
		`<state_snapshot>We work on lunch.</state_snapshot>"}]}]}}` + "\n"
}

// The first prompt is answered in a new project with the private database: no other process may have started it yet.
func TestRecall_StartsTheDatabase(t *testing.T) {
	t.Parallel()
	o := newOwnDatabase(t)
	write(t, o.root, promotable+"pool.md", strings.ReplaceAll(problem, "%", "PgxPoolExhausted by leaked connections"))
	got := answerOf(t, o.root, o.environment, map[string]any{
		"hook_event_name": "UserPromptSubmit", "session_id": "s",
		"prompt": "Users report PgxPoolExhausted each morning. Find out which job has leaked connections and mend it.",
	})
	if !strings.Contains(got, "pool.md") {
		t.Errorf("the hook gets %s, want the document", got)
	}
}

// answerOf returns what a hook prints for an event.
func answerOf(t *testing.T, root string, environment []string, event map[string]any) string {
	t.Helper()
	text, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), testenv.Program(t), "recall", "--hook")
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
