package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// farAway is the time of a round trip to a database in another region.
const farAway = 10 * time.Millisecond

// Sizes of what is synced from far away.
const farDocuments, farChanged = 2000, 100

// trips counts the round trips of all clients that reach a database through it, and makes
// each take a while longer. A round trip is what a client sends before it waits: a start
// of a connection, a statement, or a pipeline.
type trips struct {
	mu sync.Mutex
	// by says what each was for.
	by map[string]int
}

// polled are asked every second, whatever else goes on.
var polled = regexp.MustCompile(`TenantState$|^-- ping$`) //nolint:gochecknoglobals // a constant

// newTrips returns the URL that leads through the counter to a database.
func (b *bench) newTrips(databaseURL string, w way) (t *trips, through string) {
	t = &trips{by: map[string]int{}}
	return t, b.tapped(databaseURL, t.watch, func(tap io.WriteCloser) io.WriteCloser { return traveller{tap, w} })
}

// way is how far a database is: the time of a round trip, and whether the connection of the
// next one is reset.
type way struct {
	trip  time.Duration
	reset func() bool // nil for never
}

// traveller holds back what is written: the relay sends on what its tap has taken, and breaks
// the connection if it has taken nothing.
type traveller struct {
	io.WriteCloser

	way way
}

func (l traveller) Write(p []byte) (int, error) {
	time.Sleep(l.way.trip)
	if l.way.reset != nil && l.way.reset() {
		return 0, io.ErrClosedPipe
	}
	return l.WriteCloser.Write(p)
}

// watch reads what a client sends.
func (t *trips) watch(client io.Reader) error {
	backend := pgproto3.NewBackend(client, nil)
	if _, err := backend.ReceiveStartupMessage(); err != nil {
		return err
	}
	t.count("connect")
	var sent []string
	for {
		message, err := backend.Receive()
		if err != nil {
			return err
		}
		switch m := message.(type) {
		case *pgproto3.Parse:
			sent = append(sent, subject(m.Query))
		case *pgproto3.Query:
			t.count(subject(m.String))
		case *pgproto3.Sync:
			t.count(strings.Join(slices.Compact(sent), " + "))
			sent = nil
		}
	}
}

// subject is the name of a query, or its first words.
func subject(sql string) string {
	if name, found := strings.CutPrefix(sql, "-- name: "); found {
		name, _, _ = strings.Cut(name, " ")
		return name
	}
	if strings.HasPrefix(sql, "-- settings") {
		return "settings"
	}
	words := strings.Fields(sql)
	return strings.Join(words[:min(len(words), 4)], " ")
}

func (t *trips) count(what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !polled.MatchString(what) {
		t.by[what]++
	}
}

// taken returns how many there were since it was last called, and what for.
func (t *trips) taken() (count float64, what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var each []string
	for _, name := range slices.Sorted(maps.Keys(t.by)) {
		count += float64(t.by[name])
		each = append(each, fmt.Sprintf("%d %s", t.by[name], name))
	}
	t.by = map[string]int{}
	return count, strings.Join(each, ", ")
}

// far is a server that is far away from its database, which has the whole index of a
// project.
type far struct {
	*trips

	repo     *repository
	database *database
	fake     *fakeollama.Server
	server   *server
}

func (b *bench) openFar(ctx context.Context) *far {
	f := &far{repo: b.newRepository("far", farDocuments, 1, 11), database: b.newDatabase(ctx)}
	f.fake = b.startFake(0)
	check(b.within(func(b *bench) { b.startServer(ctx, f.database.url, f.fake.URL()).activate(ctx, f.repo, "main") }))
	f.database.settle(ctx)
	f.connect(ctx, b, way{trip: farAway})
	f.taken()
	return f
}

// connect starts a server that reaches the database by a way, and has it connect.
func (f *far) connect(ctx context.Context, b *bench, w way) {
	counter, through := b.newTrips(f.database.url, w)
	f.trips, f.server = counter, b.startServer(ctx, through, f.fake.URL())
	get(f.server.Text(ctx, "search_handbook", map[string]any{"query": "x"}))
}

// activate makes the project active, without asking for its state afterwards.
func (f *far) activate(ctx context.Context) { check(f.tryActivate(ctx)) }

func (f *far) tryActivate(ctx context.Context) error {
	return f.server.Call(ctx, "activate_project", map[string]any{"config_path": f.repo.config(), "branch_name": "main"}, nil)
}

// farSearch counts the round trips of a search whose embedding is not known yet.
func farSearch(ctx context.Context, b *bench) (count float64, note string) {
	f := b.openFar(ctx)
	f.activate(ctx)
	f.fake.SetFaults(fakeollama.Faults{EmbedTime: slowEmbedding}) // words are searched meanwhile
	for i := range 5 {
		f.server.search(ctx, rag.Hybrid, query(i)) // opens connections
	}
	f.taken()
	began := time.Now()
	f.server.search(ctx, rag.Hybrid, query(100))
	took := time.Since(began)
	count, what := f.taken()
	return count, fmt.Sprintf("%v a trip, %d documents, %.0f ms: %s", farAway, farDocuments, ms(took), what)
}

// farActivation counts the round trips of the activation of a project that has not
// changed, on a server that is connected, until its answer. Those of work that goes on
// afterwards are in the note.
func farActivation(ctx context.Context, b *bench) (count float64, note string) {
	f := b.openFar(ctx)
	began := time.Now()
	f.activate(ctx)
	took := time.Since(began)
	count, what := f.taken()
	time.Sleep(time.Second) // what is counted then
	after, whatAfter := f.taken()
	return count, fmt.Sprintf("%v a trip, %d files, %.0f ms: %s; %.0f more in the second after the answer: %s",
		farAway, farDocuments, ms(took), what, after, whatAfter)
}

// farSync counts the round trips of a sync of changed files, until all have their
// vectors.
func farSync(ctx context.Context, b *bench) (count float64, note string) {
	f := b.openFar(ctx)
	f.activate(ctx)
	f.server.search(ctx, rag.Hybrid, query(0))
	time.Sleep(time.Second) // for what follows the activation
	f.taken()
	took := f.sync(ctx, 12)
	time.Sleep(time.Second) // for what follows the last vector
	count, what := f.taken()
	return count, fmt.Sprintf("%v a trip, %d of %d files, %.0f ms: %s", farAway, farChanged, farDocuments, ms(took), what)
}

// sync changes files, and returns how long it takes until all have their vectors.
func (f *far) sync(ctx context.Context, seed uint64) (took time.Duration) {
	began := time.Now()
	f.repo.write(farChanged, seed)
	for missing := 1; missing > 0; took = time.Since(began) {
		time.Sleep(farAway) // between two looks
		f.database.scan(ctx, fmt.Sprintf(`SELECT %d - count(DISTINCT c.document_id) FROM document_chunks c
			JOIN passages p ON p.hash = c.passage_hash AND p.created_at > now() - interval '%d ms'
			JOIN embeddings e ON e.hash = p.hash`, farChanged, time.Since(began).Milliseconds()), &missing)
	}
	return took
}

// farResetShare is the part of the round trips of farResets that are reset.
const farResetShare = .01

// farResets counts calls that fail on connections of which one in a hundred round trips is
// reset. The note has how long calls take, with and without resets.
func farResets(ctx context.Context, b *bench) (failed float64, note string) {
	f := b.openFar(ctx)
	var calls int
	var rows []string
	for _, trip := range []time.Duration{50 * time.Millisecond, 150 * time.Millisecond} {
		for _, share := range []float64{0, farResetShare} {
			var mu sync.Mutex
			random := rand.New(rand.NewPCG(1, 2))
			t := f.timed(ctx, b, way{trip: trip, reset: func() bool {
				mu.Lock()
				defer mu.Unlock()
				return random.Float64() < share
			}})
			calls += t.calls
			failed += float64(t.failed)
			rows = append(rows, fmt.Sprintf("%v, %.0f %% resets: search %.0f ms (p99 %.0f), activation %.0f (slowest %.0f), "+
				"sync of %d files %.0f (slowest %.0f)", trip, 100*share, ms(median(t.searches)), ms(percentile(t.searches, 99)),
				ms(median(t.activations)), ms(percentile(t.activations, 100)),
				farChanged, ms(median(t.syncs)), ms(percentile(t.syncs, 100))))
		}
	}
	return failed, fmt.Sprintf("of %d searches and activations; %s", calls, strings.Join(rows, "; "))
}

// farTimes are what calls to a far database take, and how many of how many fail.
type farTimes struct {
	searches, activations, syncs []time.Duration
	calls, failed                int
}

func (f *far) timed(ctx context.Context, b *bench, w way) (t farTimes) {
	call := func(took *[]time.Duration, do func() error) {
		began := time.Now()
		err := do()
		*took = append(*took, time.Since(began))
		t.calls++
		if err != nil {
			t.failed++
			b.say("far.resets: %v", err)
		}
	}
	for range b.size(2, 10) {
		f.connect(ctx, b, w)
		call(&t.activations, func() error { return f.tryActivate(ctx) })
	}
	for i := range b.size(10, 200) {
		call(&t.searches, func() error {
			return f.server.Call(ctx, "semantic_search", map[string]any{"query": query(i)}, nil)
		})
	}
	for i := range b.size(1, 5) {
		t.syncs = append(t.syncs, f.sync(ctx, uint64(i)+uint64(time.Now().UnixNano())))
	}
	return t
}
