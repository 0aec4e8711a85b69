package main_test

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// What up starts, down stops, and status says.
func TestUpDownStatus(t *testing.T) {
	t.Parallel()
	o := newOwnDatabase(t)
	type database struct {
		Own        bool   `json:"own"`
		Running    bool   `json:"running"`
		URL        string `json:"url"`
		Folder     string `json:"folder"`
		PostgreSQL string `json:"postgresql"`
		Pgvector   string `json:"pgvector"`
		Error      string `json:"error"`
	}
	status := func() database {
		t.Helper()
		var answer struct {
			Home     string   `json:"home"`
			Database database `json:"database"`
			Ollama   struct {
				Running bool     `json:"running"`
				Missing []string `json:"missing_models"`
			} `json:"ollama"`
		}
		if err := json.Unmarshal([]byte(mustRun(t, o.root, o.environment, "status", "--json").stdout), &answer); err != nil {
			t.Fatal(err)
		}
		if answer.Home != o.home || !answer.Ollama.Running || len(answer.Ollama.Missing) > 0 {
			t.Errorf("status says %+v", answer)
		}
		return answer.Database
	}
	if before := status(); before.Running || !before.Own || before.Error != "" {
		t.Errorf("before up: %+v", before)
	}
	if text := mustRun(t, o.root, o.environment, "up").stdout; !strings.Contains(text, "database: running, PostgreSQL ") ||
		!strings.Contains(text, "with both models") {
		t.Errorf("up prints %s", text)
	}
	o.save(t, "plum")
	o.openTogether(t)
	o.mustWork(t, "up")
	running := status()
	if !running.Running || running.PostgreSQL == "" || running.Pgvector == "" || !strings.HasPrefix(running.Folder, o.home) ||
		!strings.HasPrefix(running.URL, "postgres://postgres@/postgres?host=") {
		t.Errorf("after up: %+v", running)
	}

	if text := mustRun(t, o.root, o.environment, "down").stdout; !strings.Contains(text, "database: stopped") {
		t.Errorf("down prints %s", text)
	}
	if len(o.processes(t)) > 0 || status().Running {
		t.Error("the database runs after down")
	}
	if answer := o.windows[0].search(t); !strings.Contains(answer.Message, "run: compound-docs up") {
		t.Errorf("a server after down answers %+v, want how to start the database", answer)
	}
	if text := mustRun(t, o.root, o.environment, "down").stdout; !strings.Contains(text, "database: was not running") {
		t.Errorf("a second down prints %s", text)
	}
	mustRun(t, o.root, o.environment, "up")
	o.mustWork(t, "another up")
	if diff := cmp.Diff(running, status()); diff != "" {
		t.Errorf("status after another up (-before +after):\n%s", diff)
	}
}

// A URL wins over the user's own database, which is not made then, and its password is
// not shown.
func TestStatus_OfAnotherDatabase(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	environment := append(away(), "CDOCS_HOME="+home)
	text := mustRun(t, home, environment, "status").stdout
	if !strings.Contains(text, "at postgres://nobody@127.0.0.1:1/none?sslmode=disable") || strings.Contains(text, "s3cret") {
		t.Errorf("status prints %s", text)
	}
	if text := mustRun(t, home, environment, "down").stdout; !strings.Contains(text, "did not start") {
		t.Errorf("down prints %s", text)
	}
	entries, err := os.ReadDir(home)
	if err != nil || len(entries) > 0 {
		t.Errorf("the home has %v, %v; want nothing", entries, err)
	}
}

// Ollama is started where it is installed and does not run.
func TestUp_StartsOllama(t *testing.T) {
	t.Parallel()
	fake := fakeollama.Start(t)
	fake.RemoveModel("mistral")
	target, err := url.Parse(fake.URL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := testenv.NewFaultProxy(t, target.Host)
	proxy.Shut()
	folder, home := t.TempDir(), t.TempDir()
	told := filepath.Join(folder, "told")
	program := "#!/bin/sh\necho \"$1 $OLLAMA_HOST\" >" + told + ".new && mv " + told + ".new " + told +
		"\ntrap 'kill $!; exit' TERM\nsleep 600 &\nwait\n"
	if err := os.WriteFile(filepath.Join(folder, "ollama"), []byte(program), 0o700); err != nil {
		t.Fatal(err)
	}
	environment := []string{
		"CDOCS_DATABASE_URL=" + testenv.DatabaseURL(t), "CDOCS_OLLAMA_HOST=http://" + proxy.Address(),
		"CDOCS_HOME=" + home, "PATH=" + folder + ":" + os.Getenv("PATH"),
	}
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		for t.Context().Err() == nil {
			if _, err := os.Stat(told); err != nil {
				time.Sleep(5 * time.Millisecond)
				continue
			}
			proxy.Open()
			return
		}
	}()
	up := mustRun(t, folder, environment, "up")
	<-opened
	if text, err := os.ReadFile(told); string(text) != "serve "+proxy.Address()+"\n" {
		t.Errorf("ollama was started with %q, %v", text, err)
	}
	if !strings.Contains(up.stdout, "with both models") || !strings.Contains(up.stderr, "pull mistral: ") {
		t.Errorf("up prints %s%s", up.stdout, up.stderr)
	}
	if text := mustRun(t, folder, environment, "down").stdout; !strings.Contains(text, "ollama:   stopped") {
		t.Errorf("down prints %s", text)
	}
}
