package main_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

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

// newOwnDatabase skips the test on a machine without PostgreSQL.
func newOwnDatabase(t *testing.T) *ownDatabase {
	t.Helper()
	programs := testenv.Programs(t)
	home, err := os.MkdirTemp("", "cdocs-home-") //nolint:usetesting // PostgreSQL's account may not enter that of t.TempDir
	if err == nil {
		err = os.Chmod(home, 0o755)
	}
	must(t, err)
	o := &ownDatabase{home: home, root: newProject(t, nil)}
	o.environment = []string{"CDOCS_HOME=" + home, "CDOCS_OLLAMA_HOST=" + fakeollama.Start(t).URL(), "CDOCS_LOG_LEVEL=warn", "CDOCS_POSTGRES=" + programs}
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
			until(t, "the cluster ends", patience, func() bool { return syscall.Kill(pid, 0) != nil })
		}
	}
}

// processes are the numbers in the files of the cluster's servers.
func (o *ownDatabase) processes(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(o.home, "postgres", "*", "postmaster.pid"))
	must(t, err)
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
		must(t, <-answered)
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
		must(t, err)
	}
}

// The user gave no address of the private database, so the remedy names no address.
func TestDoctor_OwnDatabaseHangs(t *testing.T) {
	t.Parallel()
	o := newOwnDatabase(t)
	mustRun(t, o.root, o.environment, "up")
	for text := range o.processes(t) {
		pid, err := strconv.Atoi(text)
		must(t, err, syscall.Kill(pid, syscall.SIGSTOP))
		defer func() { must(t, syscall.Kill(pid, syscall.SIGCONT)) }()
	}
	said := run(t, o.root, o.environment, "status")
	if said.code != 1 || !strings.Contains(said.stdout, "→ run: compound-docs down, and then compound-docs up\n") ||
		strings.Contains(said.stdout, "CDOCS_DATABASE_URL") {
		t.Errorf("exit code %d: %s", said.code, said.stdout)
	}
}

// Two servers that start at the same instant, with no cluster yet, make one. Whatever is
// killed then, the system works on and has lost nothing.
func TestServe_OwnDatabaseSurvivesKills(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "processes are killed at random moments")
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
