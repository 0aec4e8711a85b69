package main_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// A pipe that nobody reads any more is no error, also if it is closed while an answer
// comes.
func TestCommands_IntoAClosedPipe(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	root := newProject(t, map[string]string{
		"csharp-compounding-docs/problems/pool.md": strings.ReplaceAll(problem, "%", "Connection pool exhausted"),
	})
	for _, arguments := range [][]string{
		{"sync"}, {"search", "pool"}, {"search", "--json", "pool"}, {"ask", "--min-relevance-score", "0", "pool"}, {"search", "--explain", "pool"}, {"help"},
	} {
		reader, writer, err := os.Pipe()
		must(t, err)
		must(t, reader.Close())
		command := exec.CommandContext(t.Context(), testenv.Program(t), arguments...)
		var stderr bytes.Buffer
		command.Dir, command.Stdout, command.Stderr = root, writer, &stderr
		command.Env = append([]string{"CDOCS_HOME=" + t.TempDir(), "PATH=/nowhere"}, environment...)
		if err := command.Run(); err != nil || strings.Contains(stderr.String(), "compound-docs: ") {
			t.Errorf("%v ends with %v and says %q", arguments, err, stderr.String())
		}
		if err := writer.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A command beside a server that has the project open leaves it the index, sees what it
// indexes, and prints what the tool of the server answers.
func TestCommands_BesideAServer(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	root := newProject(t, map[string]string{
		"csharp-compounding-docs/problems/pool.md": strings.ReplaceAll(problem, "%", "Connection pool exhausted"),
	})
	session := connect(t, server(t, environment...))
	activateWhole(t, session, root)
	for _, arguments := range [][]string{{"search", "pool"}, {"sync"}, {"promote", "problems/pool.md", "critical"}} {
		o := mustRun(t, root, environment, arguments...)
		if !strings.Contains(o.stdout, "pool.md") && !strings.Contains(o.stdout, "1 document in the index") {
			t.Errorf("%v prints %q and says %q", arguments, o.stdout, o.stderr)
		}
	}
	write(t, root, "csharp-compounding-docs/problems/labels.md", strings.ReplaceAll(problem, "%", "Umlauts on labels"))
	if o := mustRun(t, root, environment, "sync"); !strings.HasSuffix(o.stdout, "2 documents in the index\n") {
		t.Errorf("a sync just after a file was saved prints %q", o.stdout)
	}
	if o := mustRun(t, root, environment, "search", "--explain", "umlauts"); !strings.Contains(o.stdout, "100 % of the passages with a vector") {
		t.Errorf("after the sync a search is explained as %q", o.stdout)
	}
	w := &window{session: session}
	for _, same := range []struct {
		tool      string
		arguments map[string]any
		command   []string
	}{
		{"semantic_search", map[string]any{"query": "pool", "limit": 1}, []string{"search", "--limit", "1", "pool"}},
		{"rag_query", map[string]any{"query": "pool", "min_relevance_score": 0}, []string{"ask", "--min-relevance-score", "0", "pool"}},
	} {
		until(t, "the server has seen the promotion", patience, func() bool { return w.index(t) == nil })
		var byTool, byCommand map[string]any
		call(t, session, same.tool, same.arguments, &byTool)
		must(t, json.Unmarshal([]byte(mustRun(t, root, environment, append(same.command, "--json")...).stdout), &byCommand))
		if diff := cmp.Diff(byTool, byCommand); diff != "" || len(byTool) == 0 {
			t.Errorf("%s and %v answer (-tool +command):\n%s", same.tool, same.command, diff)
		}
	}
	must(t, session.Close())
}

// A command whose output could not be written, such as to a full disk, has failed.
func TestCommands_FailWhenTheDiskIsFull(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	root := newProject(t, map[string]string{
		"csharp-compounding-docs/problems/pool.md": strings.ReplaceAll(problem, "%", "Connection pool exhausted"),
	})
	calls := [][]string{
		{"sync"}, {"search", "pool"}, {"ask", "pool"}, {"lint"}, {"page"}, {"doctor"}, {"help"}, {"recall", "--hook"}, {"--version"},
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	must(t, err)
	defer full.Close() //nolint:errcheck // nothing is in it
	for _, arguments := range calls {
		command := exec.CommandContext(t.Context(), testenv.Program(t), arguments...)
		var stderr bytes.Buffer
		command.Dir, command.Stdout, command.Stderr = root, full, &stderr
		command.Stdin = strings.NewReader(`{"hook_event_name": "UserPromptSubmit", "session_id": "1", "prompt": "pool"}`)
		command.Env = append([]string{"CDOCS_HOME=" + t.TempDir(), "PATH=/nowhere", "CLAUDE_CONFIG_DIR=" + t.TempDir()}, environment...)
		err := command.Run()
		if code := command.ProcessState.ExitCode(); code != 1 || !strings.Contains(stderr.String(), "no space left on device") {
			t.Errorf("%v ends with %d (%v) and says %q", arguments, code, err, stderr.String())
		}
	}
}
