package main_test

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// leaky is a document with a trigger and a prompt that it answers.
func leaky(name string) map[string]string {
	return map[string]string{
		promotable + name: strings.Replace(strings.ReplaceAll(problem, "%", "PgxPoolExhausted by leaked connections"), "---\n",
			"---\ntriggers: [{run: crane lift}]\n", 1),
	}
}

func leakyPrompt(session string) map[string]any {
	return map[string]any{
		"hook_event_name": "UserPromptSubmit", "session_id": session,
		"prompt": "Users report PgxPoolExhausted each morning. Find out which job has leaked connections and mend it.",
	}
}

// A server of the project answers a hook's program: the same bytes, in the same session, also in the form of another
// assistant. If it is killed, stopped or at work on another project, the program does the work itself, and another
// server takes over.
func TestRecall_AsksTheServer(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	home := "CDOCS_HOME=" + t.TempDir()
	root, other := newProject(t, leaky("pool.md")), newProject(t, leaky("other.md"))
	alone := append(slices.Clone(environment), home)
	noDatabase := append(away(), home) // only a server can answer then
	open := func() *window {
		w := openWindow(t, alone...)
		w.activate(t, root)
		return w
	}
	asked := 0
	answers := func(w string, environment []string) bool {
		asked++
		return strings.Contains(answerOf(t, root, environment, leakyPrompt(fmt.Sprint(w, asked))), "pool.md")
	}
	first := open()
	until(t, "a server answers", patience, func() bool { return answers("first", noDatabase) })
	if got, want := answerOf(t, root, noDatabase, leakyPrompt("s")), answerOf(t, root, alone, leakyPrompt("t"), "--client", "claude"); got != want {
		t.Errorf("the server answers %q, and the program alone %q", got, want)
	}
	if got := answerOf(t, root, noDatabase, leakyPrompt("s")); got != "{}\n" {
		t.Errorf("a second time in the session the server answers %q", got)
	}
	act := map[string]any{"conversationId": "c", "workspacePaths": []string{root}, "toolCall": map[string]any{
		"name": "run_command", "args": map[string]any{"CommandLine": "crane lift"},
	}}
	answerOf(t, root, noDatabase, act, "--event", "PreToolUse")
	turn := map[string]any{"conversationId": "c", "workspacePaths": []string{root}}
	if got := answerOf(t, root, noDatabase, turn, "--event", "PreInvocation"); !strings.Contains(got, `"ephemeralMessage"`) {
		t.Errorf("the server answers Antigravity's next turn with %q", got)
	}
	second := open()
	first.signal(t, syscall.SIGSTOP)
	if answers("stopped", noDatabase) || !answers("stopped", alone) {
		t.Error("beside a stopped server the program does not do the work itself")
	}
	first.killed = true
	first.signal(t, syscall.SIGKILL)
	until(t, "another server takes over", patience, func() bool { return answers("killed", noDatabase) })
	second.activate(t, other)
	if answers("other", noDatabase) || !answers("other", alone) {
		t.Error("beside a server of another project the program does not do the work itself")
	}
	second.activate(t, root)
	until(t, "the server answers for its first project again", patience, func() bool { return answers("again", noDatabase) })
	began := time.Now()
	must(t, second.session.Close())
	if took := time.Since(began); took > shutdownTime {
		t.Errorf("the server took %s to end", took)
	}
	sockets, err := filepath.Glob(filepath.Join(strings.TrimPrefix(home, "CDOCS_HOME="), "hooks", "*"))
	must(t, err)
	if slices.ContainsFunc(sockets, func(name string) bool { return filepath.Ext(name) == "" }) {
		t.Errorf("after its end there is a socket: %v", sockets)
	}
}

// far takes a while for each piece.
type far time.Duration

func (f far) Write(piece []byte) (int, error) {
	time.Sleep(time.Duration(f))
	return len(piece), nil
}

func (far) Close() error { return nil }

// While a server runs, each prompt and each act is answered, however far the database is.
func TestRecall_IsAnsweredWithAFarDatabase(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "each trip to the database takes 40 ms")
	environment, _ := services(t)
	const name = "CDOCS_DATABASE_URL="
	at := slices.IndexFunc(environment, func(variable string) bool { return strings.HasPrefix(variable, name) })
	relay, url, err := testenv.StartDatabaseRelay(strings.TrimPrefix(environment[at], name), func() io.WriteCloser {
		return far(40 * time.Millisecond)
	})
	must(t, err)
	t.Cleanup(relay.Close)
	root, home := newProject(t, leaky("pool.md")), "CDOCS_HOME="+t.TempDir()
	openWindow(t, append(slices.Clone(environment), name+url, home)...).activate(t, root)
	noDatabase := append(away(), home) // only a server can answer then
	asked := 0
	answers := func(event map[string]any) bool {
		asked++
		event["session_id"] = fmt.Sprint(asked)
		return strings.Contains(answerOf(t, root, noDatabase, event), "pool.md")
	}
	until(t, "a server answers", patience, func() bool { return answers(leakyPrompt("")) })
	for range 3 {
		act := map[string]any{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": map[string]any{"command": "crane lift"}}
		if !answers(leakyPrompt("")) || !answers(act) {
			t.Error("a prompt or an act gets nothing")
		}
	}
}
