package main_test

import (
	"bufio"
	"bytes"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/compound-docs/compound-docs/test/testenv"
)

func TestSync_WithoutOllama(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	environment = append(environment, "CDOCS_OLLAMA_HOST=http://127.0.0.1:1")
	root := newProject(t, map[string]string{
		"csharp-compounding-docs/problems/pool.md": strings.ReplaceAll(problem, "%", "Connection pool exhausted"),
		"csharp-compounding-docs/problems/bad.md":  "No front matter.\n",
	})
	o := run(t, root, environment, "sync")
	if o.code != 0 || !strings.Contains(o.stderr, "found by words and built-in vectors, and 2 of 2 passages have no vector yet") {
		t.Errorf("it ends with %d and says %q", o.code, o.stderr)
	}
	for _, want := range []string{"1 document in the index", "2 passages without a vector", "problems/bad.md: the front matter does not fit"} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("it prints %q, want %q in it", o.stdout, want)
		}
	}
	if o = mustRun(t, root, environment, "search", "pool"); !strings.Contains(o.stdout, "pool.md") ||
		!strings.Contains(o.stderr, "searched by words and built-in vectors; compound-docs doctor says why") {
		t.Errorf("a search prints %q and says %q, want the document, and how it was found", o.stdout, o.stderr)
	}
	if o = mustRun(t, root, environment, "search", "--mode", "lexical", "pool"); !strings.Contains(o.stdout, "pool.md") ||
		!strings.Contains(o.stderr, "1 file cannot be indexed; compound-docs lint says why") {
		t.Errorf("a search by words prints %q and says %q", o.stdout, o.stderr)
	}
}

// A command that a signal ends has a shell's exit code for that, and says what is done.
func TestSync_IsInterrupted(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	root := newProject(t, map[string]string{
		"csharp-compounding-docs/problems/pool.md": strings.ReplaceAll(problem, "%", "Connection pool exhausted"),
	})
	command := exec.CommandContext(t.Context(), testenv.Program(t), "sync")
	command.Dir = root
	command.Env = append([]string{"CDOCS_HOME=" + t.TempDir(), "PATH=/nowhere"}, append(environment, "CDOCS_OLLAMA_HOST=http://127.0.0.1:1")...)
	var stdout bytes.Buffer
	command.Stdout = &stdout
	stderr, err := command.StderrPipe()
	must(t, err)
	must(t, command.Start())
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "passages: 0 of") {
			break
		}
	}
	must(t, command.Process.Signal(syscall.SIGINT))
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "compound-docs: ") {
			t.Errorf("it says %q", lines.Text())
		}
	}
	if stdout.Len() > 0 {
		t.Errorf("it prints %q", &stdout)
	}
	_ = command.Wait() // its code is checked
	if code := command.ProcessState.ExitCode(); code != 130 {
		t.Errorf("it ends with %d, want 130", code)
	}
}
