package main_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/pgserver"
	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// ownDatabase is a project whose servers have no database URL.
type ownDatabase struct {
	home, root  string
	environment []string
	windows     [2]*window
	names       []string // of the documents, sorted
	slowest     time.Duration
}

// newOwnDatabase skips the test where there is no PostgreSQL to make a cluster with.
func newOwnDatabase(t *testing.T) *ownDatabase {
	t.Helper()
	if _, err := pgserver.Find(t.Context()); errors.Is(err, pgserver.ErrNotInstalled) {
		t.Skip(err)
	}
	home, err := os.MkdirTemp("", "cdocs-home-") //nolint:usetesting // PostgreSQL's account may not enter that of t.TempDir
	if err == nil {
		err = os.Chmod(home, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	o := &ownDatabase{home: home, root: newProject(t, nil)}
	o.environment = []string{"CDOCS_HOME=" + home, "CDOCS_OLLAMA_HOST=" + fakeollama.Start(t).URL(), "CDOCS_LOG_LEVEL=warn"}
	t.Cleanup(func() {
		o.end(t)
		if err := os.RemoveAll(home); err != nil {
			t.Error(err)
		}
	})
	return o
}

// end stops the cluster, whatever state it is in.
func (o *ownDatabase) end(t *testing.T) {
	t.Helper()
	for text := range o.processes(t) {
		if pid, err := strconv.Atoi(text); err == nil {
			_ = syscall.Kill(pid, syscall.SIGQUIT)
			for deadline := time.Now().Add(10 * time.Second); syscall.Kill(pid, 0) == nil && time.Now().Before(deadline); {
				time.Sleep(10 * time.Millisecond)
			}
		}
	}
}

// processes are the numbers in the files of the cluster's servers.
func (o *ownDatabase) processes(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(o.home, "postgres", "*", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	processes := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has just ended
		}
		pid, _, _ := strings.Cut(string(text), "\n")
		processes[pid] = true
	}
	return processes
}

func (o *ownDatabase) save(t *testing.T, name string) {
	t.Helper()
	write(t, o.root, promotable+name+".md", strings.ReplaceAll(problem, "%", "The "+name+" is ripe"))
	o.names = append(o.names, name)
	slices.Sort(o.names)
}

// open starts a server in a window's place, and activates the project.
func (o *ownDatabase) open(t *testing.T, i int) {
	t.Helper()
	o.windows[i] = openWindow(t, o.environment...)
	o.windows[i].activate(t, o.root)
}

// openTogether starts both servers at the same instant.
func (o *ownDatabase) openTogether(t *testing.T) {
	t.Helper()
	for i := range o.windows {
		o.windows[i] = openWindow(t, o.environment...)
	}
	answered := make(chan error)
	for _, w := range o.windows {
		go func() {
			_, isError, err := w.session.Answer(t.Context(), "activate_project", activation(o.root))
			if isError {
				err = errors.New("activation fails")
			}
			answered <- err
		}()
	}
	for range o.windows {
		if err := <-answered; err != nil {
			t.Fatal(err)
		}
	}
}

// mustWork waits until every living server finds all documents.
func (o *ownDatabase) mustWork(t *testing.T, after string) {
	t.Helper()
	began := time.Now()
	for i, w := range o.windows {
		if w.killed {
			continue
		}
		until(t, fmt.Sprintf("after %s, server %d finds all documents", after, i), patience, func() bool {
			return slices.Equal(w.search(t).titles(), o.names)
		})
	}
	took := time.Since(began)
	t.Logf("%s: works after %s", after, took.Round(time.Millisecond))
	o.slowest = max(o.slowest, took)
}

func (o *ownDatabase) killWindow(i int) {
	o.windows[i].killed = true
	o.windows[i].session.Kill()
}

func (o *ownDatabase) killCluster(t *testing.T) {
	t.Helper()
	for text := range o.processes(t) {
		pid, err := strconv.Atoi(text)
		if err == nil {
			err = syscall.Kill(pid, syscall.SIGKILL)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Two servers that start at the same instant, with no cluster yet, make one. Whatever is
// killed then, the system works on and has lost nothing.
func TestServe_OwnDatabaseSurvivesKills(t *testing.T) {
	t.Parallel()
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	o := newOwnDatabase(t)
	random := rand.New(rand.NewPCG(testSeed(t), 2))
	o.save(t, "first")
	o.openTogether(t)
	if n := len(o.processes(t)); n != 1 {
		t.Fatalf("%d clusters run, want 1", n)
	}
	o.mustWork(t, "the start")

	for round := range rounds {
		o.save(t, "round-"+strconv.Itoa(round))
		time.Sleep(time.Duration(random.IntN(600)) * time.Millisecond) // the random moment
		victim := (round + random.IntN(2)) % 5                         // each in turn, or the next
		switch victim {
		case 0, 1:
			o.killWindow(victim)
			o.mustWork(t, "a server was killed")
			o.open(t, victim)
		case 2:
			o.killCluster(t)
		case 3:
			mustRun(t, o.root, o.environment, "down")
			if len(o.processes(t)) > 0 {
				t.Fatal("the database runs after down")
			}
			mustRun(t, o.root, o.environment, "up")
		default:
			o.killCluster(t)
			o.killWindow(1)
			o.mustWork(t, "the cluster and a server were killed")
			o.open(t, 1)
		}
		o.mustWork(t, fmt.Sprintf("round %d", round))
	}
	t.Logf("the slowest took %s", o.slowest)
}

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
			Ollama   []struct {
				Running bool     `json:"running"`
				Missing []string `json:"missing_models"`
			} `json:"ollama"`
		}
		if err := json.Unmarshal([]byte(mustRun(t, o.root, o.environment, "status", "--json").stdout), &answer); err != nil {
			t.Fatal(err)
		}
		if answer.Home != o.home || len(answer.Ollama) != 1 || !answer.Ollama[0].Running || len(answer.Ollama[0].Missing) > 0 {
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
			if err := proxy.Open(); err != nil {
				t.Error(err)
			}
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
