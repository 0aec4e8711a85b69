package soak_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/indexstate"
	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/testenv"
)

const (
	// lanes is how many schedules run at the same time, each on a repository, a
	// database and servers of its own. They mostly wait.
	lanes = 4
	// recovery is the time after which the circuit breaker lets a call through, and
	// what that call may take.
	recovery = 30*time.Second + 10*time.Second
)

// fault is something that happens to the connections of a service.
type fault struct {
	name string
	do   func(proxy *testenv.FaultProxy, random *rand.Rand)
}

var faultTable = []fault{
	{"refuse", func(proxy *testenv.FaultProxy, _ *rand.Rand) { proxy.Shut() }},
	{"stall", func(proxy *testenv.FaultProxy, _ *rand.Rand) { proxy.Stall() }},
	{"reset", toxic("reset_peer", "timeout", 1, 200)},
	{"swallow", toxic("timeout", "timeout", 1, 2000)},
	{"delay", toxic("latency", "latency", 1, 300)},
	{"slow", toxic("bandwidth", "rate", 1, 50)},
	{"truncate", toxic("limit_data", "bytes", 1, 20_000)},
	{"corrupt", toxic("corrupt", "after", 0, 20_000)},
}

// toxic has one attribute, which is between two numbers.
func toxic(name, attribute string, least, most int) func(*testenv.FaultProxy, *rand.Rand) {
	return func(proxy *testenv.FaultProxy, random *rand.Rand) {
		stream := []string{"upstream", "downstream"}[random.IntN(2)]
		value := least + random.IntN(most-least+1)
		proxy.Inject(testenv.Toxic{Type: name, Stream: stream, Attributes: map[string]int{attribute: value}})
	}
}

// Whatever happens to the connections: answers are right or errors with a code, nothing
// that was confirmed is lost, and soon after the faults the index equals the files.
func TestSoak_Faults(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "faults of services and of the machine follow each other")
	chosen := chooseSeed(t, "schedules")
	for lane := range min(lanes, *schedules) {
		t.Run(fmt.Sprint("lane ", lane), func(t *testing.T) {
			t.Parallel()
			w := newFaultyWorld(t, chosen+uint64(lane))
			w.add(t)
			w.add(t)
			for i := lane; i < *schedules && !t.Failed(); i += lanes {
				w.run(t, i, rand.New(rand.NewPCG(chosen, uint64(i))))
			}
			t.Logf("longest recovery: %v; answers %d, errors %v", w.longest.Round(time.Millisecond), w.answers, w.errors)
		})
	}
}

// faultyWorld is servers on one repository, with a proxy before each service.
type faultyWorld struct {
	repo            *repository
	services        map[string]*testenv.FaultProxy
	pool, reference *pgxpool.Pool          // which go through no proxy
	in, through     mcpclient.Installation // through has the program go through the proxies
	servers         []*server
	seen            map[string]history // by branch

	mu      sync.Mutex
	log     []string
	deleted bool // a deletion was tried
	errors  map[string]int
	answers int
	longest time.Duration
}

func newFaultyWorld(t *testing.T, seed uint64) *faultyWorld {
	t.Helper()
	databaseURL, fake := testenv.DatabaseURL(t), fakeollama.Start(t)
	fake.SetFaults(fakeollama.Faults{EmbedTime: 2 * time.Millisecond}) // so that faults meet it
	target, err := url.Parse(fake.URL())
	if err != nil {
		t.Fatal(err)
	}
	w := &faultyWorld{
		repo: newRepository(t, seed), errors: map[string]int{}, seen: map[string]history{},
		pool: indexstate.OpenPool(t, databaseURL), reference: indexstate.OpenPool(t, testenv.IndexURL(t)),
	}
	w.in = install(t, w.repo.Root, databaseURL, fake, 100)
	w.repo.Put("../handbook/office/kitchen.md", "# Kitchen\n\nWash the cups.\n")
	ingest := w.in.Command("ingest", w.repo.Path("../handbook"))
	if out, err := ingest.CombinedOutput(); err != nil {
		t.Fatalf("ingest: %v\n%s", err, out)
	}
	database, throughProxy := testenv.NewDatabaseProxy(t, databaseURL)
	ollama := testenv.NewFaultProxy(t, target.Host)
	w.services = map[string]*testenv.FaultProxy{"database": database, "Ollama": ollama}
	w.through = w.in
	w.through.DatabaseURL, w.through.OllamaHost = throughProxy, "http://"+ollama.Address()
	startReader(t, w.pool)
	return w
}

// add starts one more server.
func (w *faultyWorld) add(t *testing.T) {
	t.Helper()
	s, err := start(t.Context(), w.through)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	w.servers = append(w.servers, s)
}

func (w *faultyWorld) notef(format string, arguments ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, arguments...))
}

// run does what one schedule says, and compares the index with the files after it.
func (w *faultyWorld) run(t *testing.T, schedule int, random *rand.Rand) {
	t.Helper()
	w.log, w.deleted, w.repo.log = nil, false, nil
	w.seen[w.repo.branch] = history{} // the index was compared with the files
	w.look()
	began := time.Now()
	var breaking sync.WaitGroup
	for _, name := range []string{"database", "Ollama"} {
		seed := random.Uint64()
		breaking.Go(func() { w.breakService(name, rand.New(rand.NewPCG(seed, 0))) })
	}
	w.searchWhileFilesChange(t, random)
	w.write(t, random)
	breaking.Wait()
	w.recovers(t)
	want := freshIndex(t, w.in, w.reference, w.repo.branch)
	diff, err := indexstate.Difference(t.Context(), w.pool, w.repo.branch, want)
	if err != nil || diff != "" {
		t.Errorf("the index of %s differs from the files: %v (-want +got):\n%.8000s", w.repo.branch, err, diff)
	}
	if t.Failed() {
		t.Logf("schedule %d:\n%s\nfiles:\n%s", schedule, strings.Join(w.log, "\n"), strings.Join(w.repo.log, "\n"))
		for _, s := range w.servers {
			t.Logf("a server's log ends with:\n%s", s.Log)
		}
	}
	t.Logf("schedule %d took %v", schedule, time.Since(began).Round(time.Millisecond))
}

// breakService has a few faults of a service follow one another, and ends them.
func (w *faultyWorld) breakService(name string, random *rand.Rand) {
	proxy := w.services[name]
	for range random.IntN(4) {
		chosen := faultTable[random.IntN(len(faultTable))]
		time.Sleep(time.Duration(random.IntN(800)) * time.Millisecond) // as long as it works
		w.notef("%s: %s", name, chosen.name)
		chosen.do(proxy, random)
		time.Sleep(time.Duration(100+random.IntN(2500)) * time.Millisecond) // as long as the fault lasts
		proxy.Open()
		w.notef("%s: open", name)
	}
}

// searchWhileFilesChange calls, on both servers, the tools that change no file.
func (w *faultyWorld) searchWhileFilesChange(t *testing.T, random *rand.Rand) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var calling sync.WaitGroup
	var found []finding
	visited := []string{w.repo.branch}
	for i, s := range w.servers {
		own := rand.New(rand.NewPCG(random.Uint64(), 0))
		calling.Go(func() {
			for ctx.Err() == nil {
				got := w.search(t, s, i, own)
				w.mu.Lock()
				found = append(found, got...)
				w.mu.Unlock()
			}
		})
	}
	for range 5 + random.IntN(25) {
		w.repo.step()
		w.look()
		visited = append(visited, w.repo.branch)
		time.Sleep(time.Duration(random.IntN(200)) * time.Millisecond) // people pause
	}
	cancel()
	calling.Wait()
	for _, f := range found {
		if !slices.ContainsFunc(visited, func(branch string) bool { return w.seen[branch].knows(f) }) {
			t.Errorf("%s answers with %q, which was never on disk", f.tool, f.path+" "+f.text)
		}
	}
}

// recovers checks that every server answers again, each in time.
func (w *faultyWorld) recovers(t *testing.T) {
	t.Helper()
	began := time.Now()
	for i, s := range w.servers {
		for {
			arguments := map[string]any{"query": fmt.Sprint("words ", time.Now().UnixNano()), "mode": "hybrid"}
			_, err := w.call(t, s, i, "semantic_search", arguments)
			if err == nil {
				break
			}
			if time.Since(began) > recovery {
				t.Fatalf("server %d has not recovered in %v: %v\n%s\n%s", i, recovery, err, strings.Join(w.log, "\n"), s.Log)
			}
			if w.deleted {
				_, _ = w.call(t, s, i, "activate_project", w.activation())
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	w.longest = max(w.longest, time.Since(began))
}

func (w *faultyWorld) activation() map[string]any {
	return map[string]any{"config_path": w.in.Config(), "branch_name": w.repo.branch}
}

// history has the former texts of each document, by path. It begins when the index of its branch
// equals the files.
type history map[string][]string

// look adds the files on disk to the history of the branch.
func (w *faultyWorld) look() {
	seen := w.seen[w.repo.branch]
	if seen == nil {
		seen = history{}
		w.seen[w.repo.branch] = seen
	}
	for _, name := range w.repo.list(false, docsDir, externalDir) {
		content, err := os.ReadFile(w.repo.Path(name))
		if err == nil && !slices.Contains(seen[name], string(content)) {
			seen[name] = append(seen[name], string(content))
		}
	}
}

// knows reports whether a document has ever had the text of a finding.
func (h history) knows(f finding) bool {
	return slices.ContainsFunc(h[strings.TrimPrefix(f.path, "./")], func(content string) bool {
		return strings.Contains(content, f.text)
	})
}
