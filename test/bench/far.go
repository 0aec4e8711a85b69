package main

import (
	"context"
	"fmt"
	"time"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// farAway is the time of a round trip to a database in another region.
const farAway = 10 * time.Millisecond

// Sizes of what is synced from far away.
const farDocuments, farChanged = 2000, 100

// far is a server far away from its database. The database has the whole index of a project.
type far struct {
	*wire

	repo     *repository
	database *database
	fake     *fakeollama.Server
	server   *server
}

func (b *bench) openFar(ctx context.Context) *far {
	f := &far{repo: b.newRepository("far", farDocuments, 11), database: b.newDatabase(ctx)}
	f.fake = b.startFake(0)
	check(b.within(func(b *bench) { b.startServer(ctx, f.database.url, f.fake.URL()).activate(ctx, f.repo) }))
	f.database.settle(ctx)
	counter, through := b.newWire(f.database.url, farAway)
	f.wire, f.server = counter, b.startServer(ctx, through, f.fake.URL())
	get(f.server.Text(ctx, "search_handbook", map[string]any{"query": "x"})) // connects
	f.taken()
	return f
}

// activate makes the project active, without asking for its state afterwards.
func (f *far) activate(ctx context.Context) {
	check(f.server.Call(ctx, "activate_project", map[string]any{"config_path": f.repo.config(), "branch_name": "main"}, nil))
}

// farSearch counts the round trips that follow one another in a search whose embedding is not known yet.
// Words and vectors are read at the same time, so they are one.
func farSearch(ctx context.Context, b *bench) (trips float64, note string) {
	f := b.openFar(ctx)
	f.activate(ctx)
	f.fake.SetFaults(fakeollama.Faults{EmbedTime: slowEmbedding})
	for i := range 5 {
		f.server.search(ctx, rag.Hybrid, query(i)) // opens connections
	}
	f.taken()
	began := time.Now()
	f.server.search(ctx, rag.Hybrid, query(100))
	took := time.Since(began)
	trips = float64(f.inTurn())
	_, what := count(f.taken())
	for i := range 2 {
		f.server.search(ctx, rag.Lexical, query(101+i)) // the second one finds nothing changed
	}
	f.taken()
	f.server.search(ctx, rag.Lexical, query(103))
	words := f.inTurn()
	_, whatWords := count(f.taken())
	b.say("far.search: %s; by words %s", what, whatWords)
	return trips, fmt.Sprintf("%v a trip, %d documents, %.0f ms; %d by words at rest", farAway, farDocuments, ms(took), words)
}

// farActivation counts the round trips of the activation of a project that has not
// changed, on a server that is connected, until its answer. The note has the number of those of
// work that goes on afterwards.
func farActivation(ctx context.Context, b *bench) (trips float64, note string) {
	f := b.openFar(ctx)
	began := time.Now()
	f.activate(ctx)
	took := time.Since(began)
	trips, what := count(f.taken())
	time.Sleep(time.Second) // what is counted then
	after, whatAfter := count(f.taken())
	b.say("far.activate: %s; afterwards %s", what, whatAfter)
	return trips, fmt.Sprintf("%v a trip, %d files, %.0f ms; %.0f more in the second after the answer",
		farAway, farDocuments, ms(took), after)
}

// farSync counts the round trips of a sync of changed files, until all have their
// vectors.
func farSync(ctx context.Context, b *bench) (trips float64, note string) {
	f := b.openFar(ctx)
	f.activate(ctx)
	f.server.search(ctx, rag.Hybrid, query(0))
	time.Sleep(time.Second) // for what follows the activation
	f.taken()
	took := f.sync(ctx, 12)
	time.Sleep(time.Second) // for what follows the last vector
	trips, what := count(f.taken())
	b.say("far.sync: %s", what)
	return trips, fmt.Sprintf("%v a trip, %d of %d files, %.0f ms", farAway, farChanged, farDocuments, ms(took))
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
