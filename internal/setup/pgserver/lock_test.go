package pgserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// lockingProcess tells this test binary to be another process, which holds the lock of the
// home that is its working directory.
const lockingProcess = "CDOCS_TEST_LOCKING_PROCESS"

// findingProcess tells this test binary to print what Find finds, as JSON. Its value is the folder of programs, and
// that of shared files, which a pg_config prints: that is this binary too.
const findingProcess = "CDOCS_TEST_FINDING_PROCESS"

// beAnotherProgram plays PostgreSQL's programs in the roots of TestFind_OnEachSystem.
func beAnotherProgram() {
	switch filepath.Base(os.Args[0]) {
	case "postgres":
		_, _ = os.Stdout.WriteString("postgres (PostgreSQL) 17.6\n")
	case "pg_config":
		_, share, _ := strings.Cut(os.Getenv(findingProcess), ":")
		_, _ = os.Stdout.WriteString(share + "\n")
	default:
		bin, _, _ := strings.Cut(os.Getenv(findingProcess), ":")
		found, err := Find(context.Background(), bin)
		if err != nil {
			panic(err)
		}
		if err := json.NewEncoder(os.Stdout).Encode([]string{found.Bin, found.PostgreSQL, found.Pgvector}); err != nil {
			panic(err)
		}
	}
	os.Exit(0)
}

func TestMain(m *testing.M) {
	if os.Getenv(findingProcess) != "" {
		beAnotherProgram()
	}
	if os.Getenv(lockingProcess) != "" {
		p, err := layoutOf(".")
		if err == nil {
			_, err = p.lock(context.Background(), lockWait)
		}
		if err != nil {
			panic(err)
		}
		_, _ = os.Stdout.WriteString("locked\n")
		_, _ = os.Stdin.Read(make([]byte, 1)) // until the test ends it
		os.Exit(0)
	}
	code := m.Run()
	if err := os.RemoveAll(prepared.home); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// lockFromOutside returns the process that holds the lock until the test ends.
func lockFromOutside(t *testing.T, home string) *os.Process {
	t.Helper()
	holder := exec.Command(os.Args[0])
	holder.Dir, holder.Stderr = home, t.Output()
	holder.Env = append(os.Environ(), lockingProcess+"=yes")
	in, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = holder.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "locked\n" {
		t.Fatalf("the process that should hold the lock says %q, %v", line, err)
	}
	return holder.Process
}

// A process that waits for the lock says in time how to go on.
func TestServer_LockHeldByAnotherProcess(t *testing.T) {
	t.Parallel()
	s := newServer(t, homeWithCluster(t))
	s.lockWait = time.Second
	holder := lockFromOutside(t, s.home)
	attempts := map[string]func() error{
		"start": func() error { _, err := s.URL(t.Context()); return err },
		"stop":  func() error { _, err := s.Stop(t.Context()); return err },
	}
	for name, attempt := range attempts {
		began := time.Now()
		problem, ok := errors.AsType[*Error](attempt())
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s waits for %s", name, took)
		}
		if !ok || !strings.Contains(problem.Err.Error(), "another process is starting") || !strings.Contains(problem.Hint, "fuser -v "+s.home) {
			t.Errorf("%s: %v; want how to find the process, and how to go on", name, problem)
		}
	}
	if err := holder.Kill(); err != nil {
		t.Fatal(err)
	}
	if got := query(t, mustStart(t, s), "SELECT '1'"); got != "1" {
		t.Errorf("after the holder's end the server answers %q", got)
	}
}

// A call does not wait for a long start, which goes on without it.
func TestServer_StartWait(t *testing.T) {
	t.Parallel()
	s := newServer(t, homeWithCluster(t))
	s.StartWait = time.Second / 4
	holder := lockFromOutside(t, s.home)
	problem, ok := errors.AsType[*Error](func() error { _, err := s.URL(t.Context()); return err }())
	if !ok || !strings.Contains(problem.Hint, "try again in a minute") {
		t.Fatalf("URL: %v; want that the start goes on", problem)
	}
	if err := holder.Kill(); err != nil {
		t.Fatal(err)
	}
	s.StartWait = 0
	if got := query(t, mustStart(t, s), "SELECT '1'"); got != "1" {
		t.Errorf("the server answers %q", got)
	}
}
