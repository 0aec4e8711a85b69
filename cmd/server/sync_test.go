package main_test

import (
	"bufio"
	"bytes"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/indexstate"
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

// It ends well if every passage has a vector of the model that Ollama has now. That the
// model was replaced under its name, nobody but Ollama knows.
func TestSync_AfterTheModelWasReplaced(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "everything is embedded several times")
	environment, fake := services(t)
	database := strings.TrimPrefix(environment[0], "CDOCS_DATABASE_URL=")
	root := newProject(t, map[string]string{
		"csharp-compounding-docs/problems/pool.md": strings.ReplaceAll(problem, "%", "Connection pool exhausted"),
		"csharp-compounding-docs/problems/leak.md": strings.ReplaceAll(problem, "%", "Handles leak"),
	})
	vectors := func(digest string) string {
		rows, err := indexstate.Lines(t.Context(), indexstate.OpenPool(t, database), `SELECT count(e.hash) || ' of ' || count(*)
			FROM document_chunks c LEFT JOIN (SELECT e.hash FROM embeddings e JOIN embedding_models m ON m.id = e.model_id AND m.digest = $1) e
			ON e.hash = c.passage_hash`, digest)
		must(t, err)
		return rows[0]
	}
	embeddings := []string{"/api/embed"}
	for _, step := range []struct {
		name, digest string
		faults       fakeollama.Faults
		code         int
		vectors      string
		says         string
	}{
		{"the first model", "sha256:first", fakeollama.Faults{}, 0, "4 of 4", "passages: 4 of 4"},
		{"another model", "sha256:second", fakeollama.Faults{}, 0, "4 of 4", ""}, // measured first, then made at once
		{"another one, cut off", "sha256:third", fakeollama.Faults{Paths: embeddings, HangUp: true}, 0, "0 of 4", "4 of 4 passages have no vector yet: "},
		{"the same, which refuses a text", "sha256:third", fakeollama.Faults{Reject: []string{"Handles leak"}}, 1, "2 of 4", "2 of 4 passages have no vector yet: the model refuses"},
		{"the same", "sha256:third", fakeollama.Faults{}, 0, "4 of 4", "passages: 4 of 4"},
		{"Ollama is away", "sha256:third", fakeollama.Faults{HangUp: true}, 0, "4 of 4", "ollama"},
	} {
		fake.AddModel("mxbai-embed-large", step.digest)
		fake.SetFaults(step.faults)
		o := run(t, root, environment, "sync")
		if o.code != step.code || !strings.Contains(o.stderr, step.says) {
			t.Errorf("%s: it ends with %d and says %q, want %d and %q", step.name, o.code, o.stderr, step.code, step.says)
		}
		if got := vectors(step.digest); got != step.vectors {
			t.Errorf("%s: %s passages have a vector, want %s", step.name, got, step.vectors)
		}
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
	told := false
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
		told = told || strings.HasPrefix(lines.Text(), "note: interrupted: ") && strings.Contains(lines.Text(), "0 of 2 passages with a vector")
	}
	if !told || stdout.Len() > 0 {
		t.Errorf("it says what is done: %v, and prints %q", told, &stdout)
	}
	_ = command.Wait() // its code is checked
	if code := command.ProcessState.ExitCode(); code != 130 {
		t.Errorf("it ends with %d, want 130", code)
	}
}
