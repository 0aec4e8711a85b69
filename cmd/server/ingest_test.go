package main_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/ragtest"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// promotable is the folder of documents that fit problem.
const promotable = "csharp-compounding-docs/problems/"

const problem = `---
title: %
date: 2026-01-15
summary: %
significance: performance
problem_type: performance
symptoms: [slow]
root_cause: a cause
solution: a solution
---

% in a few words.
`

// outcome is how a command ended.
type outcome struct {
	stdout, stderr string
	code           int
}

// run runs the real binary in dir until it ends.
func run(t *testing.T, dir string, environment []string, arguments ...string) outcome {
	t.Helper()
	command := exec.CommandContext(t.Context(), testenv.Program(t), arguments...)
	command.Dir = dir
	command.Env = append([]string{
		"CDOCS_HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), testenv.EnvPrograms + "=" + testenv.Programs(t),
	}, environment...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := command.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{stdout: stdout.String(), stderr: stderr.String(), code: command.ProcessState.ExitCode()}
}

// mustRun runs a command that succeeds, and returns what it prints.
func mustRun(t *testing.T, dir string, environment []string, arguments ...string) outcome {
	t.Helper()
	o := run(t, dir, environment, arguments...)
	if o.code != 0 {
		t.Fatalf("%v ends with %d: %s", arguments, o.code, o.stderr)
	}
	return o
}

// services are a database of the test's own and a fake Ollama.
func services(t *testing.T) (environment []string, fake *fakeollama.Server) {
	t.Helper()
	fake = fakeollama.Start(t)
	return []string{
		"CDOCS_DATABASE_URL=" + ragtest.IndexURL(t), "CDOCS_OLLAMA_HOST=" + fake.URL(), "CDOCS_LOG_LEVEL=warn",
	}, fake
}

// newHandbook makes a folder of the given name with the given files.
func newHandbook(t *testing.T, name string, files map[string]string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), name)
	for file, content := range files {
		write(t, dir, file, content)
	}
	return dir
}

// searchHandbook returns the answer's text and whether it is an error.
func searchHandbook(t *testing.T, session *mcpclient.Client, query string) (text string, failed bool) {
	t.Helper()
	text, failed, err := session.Answer(t.Context(), "search_handbook", map[string]any{"query": query})
	must(t, err)
	return text, failed
}

// sources searches the handbook and returns the sources found, in order. If there are no sources,
// it returns the whole answer.
func sources(t *testing.T, session *mcpclient.Client, query string) []string {
	t.Helper()
	text, _ := searchHandbook(t, session, query)
	var found []string
	for line := range strings.Lines(text) {
		if source, ok := strings.CutPrefix(line, "Source: "); ok {
			found = append(found, strings.TrimSpace(source))
		}
	}
	if len(found) == 0 {
		return []string{text}
	}
	return found
}

// A server that runs sees what another process ingests.
func TestIngest_KeepsTheHandbookLikeItsFolders(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	session := connect(t, server(t, environment...))
	if got := sources(t, session, "passwords")[0]; !strings.Contains(got, "compound-docs ingest DIR") {
		t.Errorf("an empty handbook answers %q, want it to name ingest", got)
	}

	handbook := newHandbook(t, "handbook", map[string]string{
		"passwords.md":        "# Secrets\n\nPasswords have twelve characters.\n",
		"office/kitchen.md":   "# Kitchen\n\nWash the cups.\n",
		"office/visitors.md":  "# Guests\n\nVisitors wear badges.\n",
		"notes.txt":           "Passwords in a file that is no markdown.\n",
		".drafts/password.md": "Passwords in a hidden folder.\n",
	})
	o := mustRun(t, filepath.Dir(handbook), environment, "ingest", "handbook")
	if diff := cmp.Diff("handbook: 3 added, 0 updated, 0 removed, 0 unchanged, 0 failed\n", o.stdout); diff != "" {
		t.Errorf("first ingest (-want +got):\n%s", diff)
	}
	if !strings.Contains(o.stderr, "handbook: 3 of 3\n") {
		t.Errorf("stderr %q does not tell the progress", o.stderr)
	}
	want := []string{"handbook/passwords.md", "handbook/office/kitchen.md", "handbook/office/visitors.md"}
	got := sources(t, session, "passwords")
	if diff := cmp.Diff(want[0], got[0]); diff != "" || len(got) != len(want) {
		t.Errorf("sources %v, want %v", got, want)
	}

	write(t, handbook, "passwords.md", "# Cups\n\nMore about cups.\n")
	write(t, handbook, "keys.md", "# Keys\n\nA password is a key.\n")
	must(t, os.Remove(filepath.Join(handbook, "office", "kitchen.md")))
	o = mustRun(t, handbook, environment, "ingest", ".")
	if diff := cmp.Diff("handbook: 1 added, 1 updated, 1 removed, 1 unchanged, 0 failed\n", o.stdout); diff != "" {
		t.Errorf("second ingest (-want +got):\n%s", diff)
	}
	got = sources(t, session, "passwords")
	if diff := cmp.Diff("handbook/keys.md", got[0]); diff != "" || len(got) != 3 {
		t.Errorf("sources %v of a query that was asked before, want three, handbook/keys.md first", got)
	}

	policies := newHandbook(t, "policies", map[string]string{"passwords.md": "# Passwords\n\nChange your password.\n"})
	o = mustRun(t, "", environment, "ingest", policies)
	if diff := cmp.Diff("policies: 1 added, 0 updated, 0 removed, 0 unchanged, 0 failed\n", o.stdout); diff != "" {
		t.Errorf("ingest of another folder (-want +got):\n%s", diff)
	}
	got = sources(t, session, "passwords")
	if diff := cmp.Diff("policies/passwords.md", got[0]); diff != "" || len(got) != 4 {
		t.Errorf("sources %v, want four, policies/passwords.md first", got)
	}
	must(t, session.Close())
}

func TestIngest_TellsWhatFailed(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	handbook := newHandbook(t, "handbook", map[string]string{
		"bad.md": "Text.\n\nNo \x00 text.\n", "good.md": "Good text.\n",
	})
	o := mustRun(t, "", environment, "ingest", handbook)
	lines := strings.Split(o.stdout, "\n")
	if diff := cmp.Diff("handbook: 1 added, 0 updated, 0 removed, 0 unchanged, 1 failed", lines[0]); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(lines[1], "  handbook/bad.md: line 3: ") {
		t.Errorf("the reason is %q, want one that names file and line", lines[1])
	}

	withoutModels := append(slices.Clone(environment), "CDOCS_OLLAMA_HOST=http://127.0.0.1:1")
	another := newHandbook(t, "another", map[string]string{"c.md": "Other text.\n"})
	o = mustRun(t, "", withoutModels, "ingest", another)
	if !strings.Contains(o.stderr, "is searched by words until") {
		t.Errorf("without a model server it says %q", o.stderr)
	}

	must(t, os.Remove(filepath.Join(handbook, "good.md")))
	o = run(t, "", environment, "ingest", handbook)
	if o.code != 1 || !strings.Contains(o.stderr, "no file of "+handbook+" could be indexed") {
		t.Errorf("with bad files only it ends with %d and says %q", o.code, o.stderr)
	}
}
