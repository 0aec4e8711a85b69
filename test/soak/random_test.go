package soak_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/indexstate"
	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/tail"
	"github.com/compound-docs/compound-docs/test/testenv"
)

const servers = 3

// pace is how random operations follow one another.
type pace struct {
	// round is how many lie between two times of quiet, burst how many at most
	// between two pauses.
	round, burst int
	kills        bool
}

// Whatever happens to the files and to the servers: no document is half-written
// at any instant, and once it is quiet the index equals the files.
func TestSoak_RandomOperationsAndKills(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "processes are killed at random moments")
	randomOperations(t, *operations, pace{round: max(min(1000, *operations/2), 1), burst: 60, kills: true})
}

// A server that takes over reads the folder and finds what was missed. Where
// none takes over, the events have to tell.
func TestSoak_RandomOperations(t *testing.T) {
	t.Parallel()
	randomOperations(t, max(*operations/10, 50), pace{round: 25, burst: 5})
}

func randomOperations(t *testing.T, count int, pace pace) {
	t.Helper()
	chosen := chooseSeed(t, "operations")
	repo := newRepository(t, chosen)
	databaseURL := testenv.DatabaseURL(t)
	pool, reference := indexstate.OpenPool(t, databaseURL), indexstate.OpenPool(t, testenv.IndexURL(t))
	fake := fakeollama.Start(t)
	fake.SetFaults(fakeollama.Faults{EmbedTime: 2 * time.Millisecond}) // so that kills meet it
	in := install(t, repo.Root, databaseURL, fake, 100)
	fleet := startFleet(t, in, servers)
	reader := startReader(t, pool)

	for done := 0; done < count && !t.Failed(); {
		round := min(pace.round, count-done)
		stopKilling := func() {}
		if pace.kills {
			stopKilling = fleet.killSometimes(t, chosen+uint64(done))
		}
		repo.log = nil
		repo.disturb(round, pace.burst)
		stopKilling()
		done += round
		want := freshIndex(t, in, reference, repo.branch)
		diff, err := indexstate.Difference(t.Context(), pool, repo.branch, want)
		repo.Must(err)
		if diff != "" {
			t.Errorf("after %d operations the index of %s differs from the files (-want +got):\n%.8000s", done, repo.branch, diff)
			t.Logf("what has happened since it was:\n%s", strings.Join(repo.log, "\n"))
			fleet.showLogs(t)
		}
		t.Logf("%d operations, %d documents on %s, %d servers killed", done, len(want), repo.branch, fleet.killed)
	}
	reader.stop()
	t.Logf("the reader looked %d times, at %d documents in all", reader.looks, reader.seen)
	if reader.seen == 0 {
		t.Error("the reader never saw a document: it shows nothing")
	}
	if pace.kills && fleet.killed == 0 {
		t.Error("no server was killed: the test shows nothing")
	}
}

// disturb does operations in bursts, with pauses between them.
func (r *repository) disturb(operations, maxBurst int) {
	for operations > 0 {
		burst := min(1+r.random.IntN(maxBurst), operations)
		for range burst {
			r.step()
		}
		operations -= burst
		time.Sleep(time.Duration(50+r.random.IntN(700)) * time.Millisecond) // people pause
	}
}

// fleet is the servers of several windows on one repository.
type fleet struct {
	in      mcpclient.Installation
	servers []*server
	killed  int
	logs    []*tail.Buffer
}

func startFleet(t *testing.T, in mcpclient.Installation, servers int) *fleet {
	t.Helper()
	f := &fleet{in: in}
	for range servers {
		if err := f.add(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, s := range f.servers {
			s.kill()
		}
	})
	return f
}

func (f *fleet) add(ctx context.Context) error {
	s, err := start(ctx, f.in)
	if err != nil {
		return err
	}
	s.activate(ctx)
	f.servers = append(f.servers, s)
	return nil
}

// killSometimes kills one of the servers soon, and then every few seconds, and starts another
// in its place, until stop is called.
func (f *fleet) killSometimes(t *testing.T, seed uint64) (stop func()) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		const shortest, soon, later = 100, 400, 4000 // milliseconds
		for most := soon; ; most = later {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Duration(shortest+random.IntN(most)) * time.Millisecond):
			}
			i := random.IntN(len(f.servers))
			victim := f.servers[i]
			f.servers = slices.Delete(f.servers, i, i+1)
			victim.kill()
			f.killed++
			f.logs = append(f.logs, victim.Log)
			if err := f.add(t.Context()); err != nil {
				t.Error(err)
				return
			}
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}

func (f *fleet) showLogs(t *testing.T) {
	t.Helper()
	for _, s := range f.servers {
		f.logs = append(f.logs, s.Log)
	}
	for _, log := range f.logs[max(0, len(f.logs)-5):] {
		t.Logf("a server's log ends with:\n%s", log)
	}
}
