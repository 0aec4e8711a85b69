package soak_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/tail"
)

const (
	// settled is the share of a long run after which what a server takes is judged. Until
	// then its caches fill.
	settled = 1.0 / 3
	// judgedRun is the shortest run that is judged.
	judgedRun = 10 * time.Minute
	// maxGrowth is by how much the memory of a server may grow, in MiB an hour.
	maxGrowth = 4
	// goroutineMargin is by how many goroutines two idle servers may differ, because
	// connections of their pools come and go.
	goroutineMargin = 8
)

// usage is what a server takes at a time.
type usage struct {
	at          time.Duration
	memory      float64 // MiB
	connections int
}

// A server that has met everything for hours takes no more than it did at first.
func TestSoak_StaysFlat(t *testing.T) {
	t.Parallel()
	chosen := chooseSeed(t, "long")
	w := newFaultyWorld(t, chosen)
	watched, log := startLogged(t, w.through)
	began := time.Now()
	var taken []usage
	for i := 0; len(taken) < 3 || time.Since(began) < *long && !t.Failed(); i++ {
		w.servers = []*server{watched}
		w.add(t)
		w.add(t)
		w.run(t, i, rand.New(rand.NewPCG(chosen, uint64(i))))
		for _, s := range w.servers[1:] {
			if err := s.Close(); err != nil {
				t.Errorf("a server ends with %v:\n%s", err, s.Log)
			}
		}
		taken = append(taken, usage{time.Since(began), memoryOf(t, watched), w.connectionsOf(t, watched)})
	}
	first, last := taken[0], taken[len(taken)-1]
	t.Logf("%d schedules in %v; a server takes %.1f MiB and %d connections after the first, %.1f MiB and %d after the last",
		len(taken), last.at.Round(time.Second), first.memory, first.connections, last.memory, last.connections)
	growth := slope(taken)
	t.Logf("its memory grows by %.2f MiB an hour", growth)
	if *long >= judgedRun && growth > maxGrowth {
		t.Errorf("memory grows by %.2f MiB an hour, more than %d: %v", growth, maxGrowth, taken)
	}
	// Those of pgx's pool, and the one that holds the lock of the server that indexes.
	maxConnections := max(4, runtime.NumCPU()) + 1
	for _, u := range taken {
		if u.connections > maxConnections {
			t.Errorf("%d connections after %v, more than %d", u.connections, u.at, maxConnections)
		}
	}
	w.servers = []*server{watched}
	w.recovers(t)
	before := goroutinesOf(t, watched, log)
	fresh, log := startLogged(t, w.through)
	w.servers = []*server{fresh}
	w.recovers(t)
	after := goroutinesOf(t, fresh, log)
	t.Logf("the server has %d goroutines at the end, a new one %d", before, after)
	if before > after+goroutineMargin {
		t.Errorf("%d goroutines are left", before-after)
	}
}

// memoryOf returns the resident memory of a server, in MiB.
func memoryOf(t *testing.T, s *server) float64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", s.Process().Pid))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(status))[1])
	if err != nil {
		t.Fatal(err)
	}
	return float64(pages*os.Getpagesize()) / (1 << 20)
}

// slope fits a line to the memory after caches have filled, by least squares, and returns
// how steep it is, in MiB an hour.
func slope(taken []usage) float64 {
	taken = taken[int(settled*float64(len(taken))):]
	var x, y, xx, xy float64
	for _, u := range taken {
		hours := u.at.Hours()
		x, y, xx, xy = x+hours, y+u.memory, xx+hours*hours, xy+hours*u.memory
	}
	n := float64(len(taken))
	return (n*xy - x*y) / (n*xx - x*x)
}

// connectionsOf returns how many connections to the database a server holds.
func (w *faultyWorld) connectionsOf(t *testing.T, s *server) (count int) {
	t.Helper()
	err := w.pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE $1",
		fmt.Sprintf("compound-docs %d@%%", s.Process().Pid)).Scan(&count)
	if err != nil {
		t.Fatal(err)
	}
	return count
}

// goroutinesOf ends a server in the way in which Go programs say what they are doing.
func goroutinesOf(t *testing.T, s *server, log string) int {
	t.Helper()
	if err := s.Process().Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	_ = s.Wait() // says how it has ended
	written, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	count := bytes.Count(written, []byte("\ngoroutine "))
	if count == 0 {
		t.Fatalf("the server has written no goroutines:\n%s", tail.Of(written))
	}
	return count
}

// startLogged starts a server that writes its log to a file.
func startLogged(t *testing.T, in mcpclient.Installation) (s *server, log string) {
	t.Helper()
	log = filepath.Join(t.TempDir(), "log")
	file, err := os.Create(log)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // the server has it
	command := in.Command("serve", "--project", in.Root)
	command.Stderr = file
	client, err := mcpclient.Start(t.Context(), command)
	if err != nil {
		t.Fatal(err)
	}
	s = &server{Client: client}
	t.Cleanup(s.kill)
	return s, log
}
