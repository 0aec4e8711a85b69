package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/mcpclient"
)

// terminal returns a pseudo-terminal at which a person has typed something, and a function
// that returns what was written to it once its writers have closed it.
func terminal(t *testing.T, typed string) (slave *os.File, written func() string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = master.Close() })
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	if slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := master.WriteString(typed); err != nil {
		t.Fatal(err)
	}
	text := make(chan string, 1)
	go func() {
		var all bytes.Buffer
		_, _ = io.Copy(&all, master) // ends with an error when the last writer has closed it
		text <- all.String()
	}()
	return slave, func() string {
		if err := slave.Close(); err != nil {
			t.Error(err)
		}
		return <-text
	}
}

// onTerminal runs a command at a terminal, and returns what that shows.
func onTerminal(t *testing.T, typed, dir string, environment []string, arguments ...string) string {
	t.Helper()
	slave, written := terminal(t, typed)
	command := exec.CommandContext(t.Context(), mcpclient.Build(t), arguments...)
	command.Dir, command.Stdin, command.Stdout, command.Stderr = dir, slave, slave, slave
	command.Env = append([]string{"CDOCS_HOME=" + t.TempDir(), "PATH=/nowhere", "TERM=xterm"}, environment...)
	if err := command.Run(); err != nil {
		t.Errorf("%v: %v", arguments, err)
	}
	return written()
}

// Colours and bars are for a terminal, and colours only without NO_COLOR.
func TestCommands_OnATerminalAndInAPipe(t *testing.T) {
	t.Parallel()
	environment, fake := services(t)
	root := newProject(t, map[string]string{
		"csharp-compounding-docs/problems/pool.md": strings.ReplaceAll(problem, "%", "Connection pool exhausted"),
	})
	fake.SetFaults(fakeollama.Faults{EmbedTime: time.Second})
	const escape = "\x1b["
	if shown := onTerminal(t, "", root, environment, "sync"); !regexp.MustCompile(`\rpassages .*/(s|min|hr)`).MatchString(shown) {
		t.Errorf("a terminal shows no bar with a rate: %q", shown)
	}
	if shown := onTerminal(t, "", root, environment, "search", "pool"); !strings.Contains(shown, escape) {
		t.Errorf("a terminal shows no colours: %q", shown)
	}
	if shown := onTerminal(t, "", root, append(environment, "NO_COLOR=1"), "search", "pool"); strings.Contains(shown, escape) || !strings.Contains(shown, "Connection") {
		t.Errorf("with NO_COLOR a terminal shows %q", shown)
	}
	write(t, root, "csharp-compounding-docs/problems/labels.md", strings.ReplaceAll(problem, "%", "Umlauts on labels"))
	for _, arguments := range [][]string{{"sync"}, {"search", "pool"}} {
		o := mustRun(t, root, environment, arguments...)
		if said := o.stdout + o.stderr; strings.Contains(said, escape) || strings.Contains(said, "\r") {
			t.Errorf("in a pipe %v prints %q", arguments, said)
		}
	}
}

// At a terminal no word is cut in two, what is to be copied is on one line, and so is the remedy
// of an error. In a pipe nothing is folded.
func TestCommands_FoldAtATerminal(t *testing.T) {
	t.Parallel()
	root := newProject(t, nil)
	environment := append(away(), "CDOCS_HOME="+t.TempDir(), "CLAUDE_CONFIG_DIR="+t.TempDir(), "TERM=xterm", "NO_COLOR=1")
	const columns = 80 // of a terminal that does not say
	for call, want := range map[string]string{
		"doctor":                   "\n                        ", // the remedy of the database, folded
		"search --mode lexical it": "\n  → start PostgreSQL or correct CDOCS_DATABASE_URL",
	} {
		slave, written := terminal(t, "")
		command := exec.CommandContext(t.Context(), mcpclient.Build(t), words(call)...)
		command.Dir, command.Env, command.Stdout, command.Stderr = root, environment, slave, slave
		if err := command.Run(); err == nil {
			t.Errorf("%s works without a database", call)
		}
		shown := strings.ReplaceAll(written(), "\r\n", "\n")
		if !strings.Contains(shown, want) {
			t.Errorf("%s shows no %q: %s", call, want, shown)
		}
		for line := range strings.Lines(shown) {
			if utf8.RuneCountInString(line) > columns+1 && !strings.Contains(line, "/") { // a path may be longer
				t.Errorf("%s shows a line of %d columns: %s", call, utf8.RuneCountInString(line), line)
			}
		}
		if o := run(t, root, environment, words(call)...); strings.Contains(o.stdout+o.stderr, "\n   ") && !strings.Contains(o.stdout, "→") {
			t.Errorf("in a pipe %s prints %s%s", call, o.stdout, o.stderr)
		}
	}
}

// At a terminal a deletion is asked about, and only yes deletes.
func TestDelete_AsksAtATerminal(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	root := newProject(t, map[string]string{
		"csharp-compounding-docs/problems/pool.md": strings.ReplaceAll(problem, "%", "Connection pool exhausted"),
	})
	mustRun(t, root, environment, "sync")
	for _, test := range []struct{ typed, want string }{
		{"n\n", "nothing was deleted"}, {"\n", "nothing was deleted"}, {"y\n", "] deleted 1 document "},
	} {
		shown := onTerminal(t, test.typed, root, environment, "delete", "test-project")
		if !strings.Contains(shown, "would delete 1 document of test-project, all branches") || !strings.Contains(shown, test.want) {
			t.Errorf("after %q it shows %q, want %q", test.typed, shown, test.want)
		}
	}
}

// At a terminal an import is asked about, only yes writes, and what is there stays.
func TestImport_AsksAtATerminal(t *testing.T) {
	t.Parallel()
	const there, written = "csharp-compounding-docs/insights/a.md", "csharp-compounding-docs/insights/c.md"
	root := newProject(t, map[string]string{
		there: "kept", "notes/a.md": "# A\n\nWords.\n", "notes/b.md": "# B\n\nMore words.\n", "notes/c.md": "# C\n\nOther words.\n",
	})
	shown := onTerminal(t, "n\ny\n", root, nil, "import", "notes")
	if !strings.Contains(shown, "insights/b.md from notes/b.md: B") || !strings.Contains(shown, "Write it? [y/N]") ||
		!strings.Contains(shown, "1 document written of 2 proposals") {
		t.Errorf("it shows %q", shown)
	}
	for name, want := range map[string]string{there: "kept", written: "# C\n\nOther words.\n"} {
		if content, err := os.ReadFile(filepath.Join(root, name)); err != nil || !strings.HasSuffix(string(content), want) {
			t.Errorf("%s has %q, %v", name, content, err)
		}
	}
	if _, err := os.Stat(filepath.Join(root, "csharp-compounding-docs/insights/b.md")); !os.IsNotExist(err) {
		t.Errorf("what was declined is there: %v", err)
	}
	o := run(t, root, nil, "import", "notes")
	if o.code != 2 || !strings.Contains(o.stderr, "nothing was written; give --print") {
		t.Errorf("in a pipe it ends with %d and says %q", o.code, o.stderr)
	}
	if o = run(t, root, nil, "import", "--yes"); o.code != 2 || !strings.Contains(o.stderr, "--yes needs the sources") {
		t.Errorf("--yes alone ends with %d and says %q", o.code, o.stderr)
	}
}

// A pipe that nobody reads any more is no error, also if it is closed while an answer
// comes.
func TestCommands_IntoAClosedPipe(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	root := newProject(t, map[string]string{
		"csharp-compounding-docs/problems/pool.md": strings.ReplaceAll(problem, "%", "Connection pool exhausted"),
	})
	for _, arguments := range [][]string{
		{"sync"}, {"search", "pool"}, {"search", "--json", "pool"}, {"ask", "--min-relevance-score", "0", "pool"}, {"inspect", "--query", "pool"}, {"help"},
	} {
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := reader.Close(); err != nil {
			t.Fatal(err)
		}
		command := exec.CommandContext(t.Context(), mcpclient.Build(t), arguments...)
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
	if o := mustRun(t, root, environment, "inspect", "--query", "umlauts"); !strings.Contains(o.stdout, "100 % of the passages with a vector") {
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
		{"list_doc_types", nil, []string{"doc-types"}},
	} {
		until(t, "the server has seen the promotion", patience, func() bool { return w.index(t) == nil })
		var byTool, byCommand map[string]any
		call(t, session, same.tool, same.arguments, &byTool)
		if err := json.Unmarshal([]byte(mustRun(t, root, environment, append(same.command, "--json")...).stdout), &byCommand); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(byTool, byCommand); diff != "" || len(byTool) == 0 {
			t.Errorf("%s and %v answer (-tool +command):\n%s", same.tool, same.command, diff)
		}
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}

// A command whose output could not be written, such as to a full disk, has failed.
func TestCommands_FailWhenTheDiskIsFull(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	root := newProject(t, map[string]string{
		"csharp-compounding-docs/problems/pool.md": strings.ReplaceAll(problem, "%", "Connection pool exhausted"),
		"csharp-compounding-docs/problems/rule.md": strings.Replace(strings.ReplaceAll(problem, "%", "Rule"), "\n---\n", "\npromotion_level: critical\n---\n", 1),
		"handbook/a.md": "# A\n\nWords.\n",
	})
	beir(t, filepath.Join(root, "collection"))
	calls := [][]string{
		{"sync"},
		{"search", "pool"},
		{"ask", "pool"},
		{"about", "src/pool.go"},
		{"inspect", "--query", "pool"},
		{"lint"},
		{"review"},
		{"review", "--questions"},
		{"review", "--unused", "1"},
		{"import", "--print", "handbook"},
		{"graph"},
		{"doctor"},
		{"status"},
		{"completion", "bash"},
		{"help"},
		{"doc-types"},
		{"critical"},
		{"index", "problems/pool.md"},
		{"promote", "problems/pool.md", "critical"},
		{"recall", "--hook"},
		{"ingest", "--source", "handbook"},
		{"reindex"},
		{"cleanup"},
		{"init"},
		{"up"},
		{"eval", "--corpus", "collection", "--mode", "lexical"},
		{"version"},
		{"delete", "test-project", "--yes"},
		{"down"},
	}
	listed := regexp.MustCompile(`(?m)^  ([a-z-]+)  +[A-Z]`).FindAllStringSubmatch(mustRun(t, root, environment, "help").stdout, -1)
	for _, command := range listed {
		name := command[1]
		if name != "serve" && !slices.ContainsFunc(calls, func(call []string) bool { return call[0] == name }) {
			t.Errorf("compound-docs %s is not tried", name)
		}
	}
	if len(listed) < 20 {
		t.Errorf("the help names %d commands", len(listed))
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close() //nolint:errcheck // nothing is in it
	for _, arguments := range calls {
		command := exec.CommandContext(t.Context(), mcpclient.Build(t), arguments...)
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
