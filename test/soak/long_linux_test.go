package soak_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/tail"
	"github.com/compound-docs/compound-docs/test/testenv"
)

const (
	// settled is the share of a long run after which what a server takes is judged. Until
	// then its caches fill.
	settled = 1.0 / 3
	// judgedRun is the shortest run that is judged.
	judgedRun = 10 * time.Minute
	// maxGrowth is by how much the heap of a server may grow, in MiB an hour.
	maxGrowth = 4
	// goroutineMargin is by how many goroutines two idle servers may differ, because
	// connections of their pools come and go.
	goroutineMargin = 8
)

// usage is what a server takes at a time.
type usage struct {
	at          time.Duration
	heap        float64 // MiB, after a collection
	connections int
}

// A server that has met everything for hours takes no more than it did at first.
func TestSoak_StaysFlat(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "memory and processor time are measured")
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
		taken = append(taken, usage{time.Since(began), heapOf(t, log), w.connectionsOf(t, watched)})
	}
	first, last := taken[0], taken[len(taken)-1]
	t.Logf("%d schedules in %v; a server has a heap of %.1f MiB and %d connections after the first, %.1f MiB and %d after the last",
		len(taken), last.at.Round(time.Second), first.heap, first.connections, last.heap, last.connections)
	growth := slope(taken)
	t.Logf("its heap grows by %.2f MiB an hour", growth)
	if *long >= judgedRun && growth > maxGrowth {
		t.Errorf("the heap grows by %.2f MiB an hour, more than %d: %v", growth, maxGrowth, taken)
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

// heapOf returns what was left of a server's heap by its last collection, in MiB, as the
// log says: the program collects every two minutes at least.
func heapOf(t *testing.T, log string) float64 {
	t.Helper()
	written, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^gc \d+ .* \d+->\d+->(\d+) MB`).FindAllSubmatch(written, -1)
	if len(found) == 0 {
		t.Fatalf("the log names no collection:\n%.2000s", written)
	}
	heap, err := strconv.ParseFloat(string(found[len(found)-1][1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return heap
}

// slope fits a line to the heap after caches have filled, by least squares, and returns
// how steep it is, in MiB an hour.
func slope(taken []usage) float64 {
	taken = taken[int(settled*float64(len(taken))):]
	var x, y, xx, xy float64
	for _, u := range taken {
		hours := u.at.Hours()
		x, y, xx, xy = x+hours, y+u.heap, xx+hours*hours, xy+hours*u.heap
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
	command.Env = append(command.Env, "GODEBUG=gctrace=1")
	client, err := mcpclient.Start(t.Context(), command)
	if err != nil {
		t.Fatal(err)
	}
	s = &server{Client: client}
	t.Cleanup(s.kill)
	return s, log
}
