package main_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/compound-docs/compound-docs/test/mcpclient"
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
	if o.code != 1 || !strings.Contains(o.stderr, "found by their words, and 2 of 2 passages have no vector yet") {
		t.Errorf("it ends with %d and says %q", o.code, o.stderr)
	}
	for _, want := range []string{"1 document in the index", "2 passages without a vector", "problems/bad.md: the front matter does not fit"} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("it prints %q, want %q in it", o.stdout, want)
		}
	}
	if o = run(t, root, environment, "search", "pool"); o.code != 1 || !strings.Contains(o.stderr, "`compound-docs search --mode lexical` searches by words and works without it") {
		t.Errorf("a search ends with %d and says %q", o.code, o.stderr)
	}
	if o = mustRun(t, root, environment, "search", "--mode", "lexical", "pool"); !strings.Contains(o.stdout, "pool.md") || !strings.Contains(o.stderr, "bad.md") {
		t.Errorf("a search by words prints %q and says %q", o.stdout, o.stderr)
	}
}

// A command that a signal ends has a shell's exit code for that, and says nothing.
func TestSync_IsInterrupted(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	root := newProject(t, map[string]string{
		"csharp-compounding-docs/problems/pool.md": strings.ReplaceAll(problem, "%", "Connection pool exhausted"),
	})
	command := exec.CommandContext(t.Context(), mcpclient.Build(t), "sync")
	command.Dir = root
	command.Env = append([]string{"CDOCS_HOME=" + t.TempDir(), "PATH=/nowhere"}, append(environment, "CDOCS_OLLAMA_HOST=http://127.0.0.1:1")...)
	stderr, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "passages: 0 of") {
			break
		}
	}
	if err := command.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "compound-docs: ") {
			t.Errorf("it says %q", lines.Text())
		}
	}
	_ = command.Wait() // its code is checked
	if code := command.ProcessState.ExitCode(); code != 130 {
		t.Errorf("it ends with %d, want 130", code)
	}
}

// A file is named as the shell sees it, or as the tools do.
func TestInspect_NeedsNoServices(t *testing.T) {
	t.Parallel()
	root := newProject(t, map[string]string{
		"csharp-compounding-docs/problems/pool.md": strings.ReplaceAll(problem, "%", "Connection pool exhausted"),
		"csharp-compounding-docs/problems/bad.md":  "No front matter.\n",
		"docs/setup.md": "# Setup\n\nWords.\n",
	})
	problems := filepath.Join(root, "csharp-compounding-docs", "problems")
	if o := mustRun(t, problems, away(), "inspect", "pool.md"); !strings.Contains(o.stdout, "problem, standard") || !strings.Contains(o.stdout, "(front matter)") {
		t.Errorf("a document is shown as %q", o.stdout)
	}
	if o := mustRun(t, os.TempDir(), away(), "inspect", filepath.Join(root, "docs", "setup.md")); !strings.Contains(o.stdout, "1 passage, 0 links") {
		t.Errorf("another file is shown as %q", o.stdout)
	}
	if o := run(t, problems, away(), "inspect", "bad.md"); o.code != 1 || !strings.Contains(o.stderr, "the front matter does not fit the doc-type") {
		t.Errorf("a document that is not valid ends with %d and says %q", o.code, o.stderr)
	}
}
