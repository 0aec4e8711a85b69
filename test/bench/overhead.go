package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

func overhead(ctx context.Context, b *bench) (ratio float64, note string) {
	return b.searchOverhead(ctx, rag.Hybrid)
}

func lexicalOverhead(ctx context.Context, b *bench) (ratio float64, note string) {
	return b.searchOverhead(ctx, rag.Lexical)
}

// overheadQueries is how many different queries these two rows have.
const overheadQueries = 20

// searchOverhead compares a search over stdio, its embedding known from an earlier one,
// with the statements that it sends, sent by themselves over one connection.
func (b *bench) searchOverhead(ctx context.Context, mode rag.Mode) (ratio float64, note string) {
	c := b.openCorpus(ctx)
	bare, statements := b.bareSearches(ctx, c, mode, query)
	return compare(ctx, 2*overheadQueries, b.size(300, 1000),
		whole(func(ctx context.Context, i int) { c.server.search(ctx, mode, query(i%overheadQueries)) }),
		whole(func(ctx context.Context, i int) { bare[i%overheadQueries].run(ctx) }),
		"%d documents, over stdio, %d queries, %d statements each; ", corpusDocuments, overheadQueries, statements/overheadQueries)
}

// prompt is a query; every other one names what only one document has.
func prompt(i int) string {
	if i%2 == 0 {
		return query(i)
	}
	return "where does " + ownWord(i) + " come from, and what of " + ownWord(i) + "?"
}

// hookTime returns the 95th percentile of the calls of a hook for prompts, while there is
// no Ollama, in milliseconds. The note has that of the statements of searches by words for
// the same.
func hookTime(ctx context.Context, b *bench) (p95 float64, note string) {
	c := b.openCorpus(ctx)
	bare, _ := b.bareSearches(ctx, c, rag.Lexical, prompt)
	const nobody = "http://127.0.0.1:1"
	server, shown := b.startServer(ctx, c.database.url, nobody), 0
	server.activateText(ctx, c.repo, "main")
	warmup, rounds := 2*overheadQueries, b.size(300, 1000)
	sides := alternate(ctx, warmup, rounds,
		whole(func(ctx context.Context, i int) {
			var answer map[string]any
			check(server.Call(ctx, "recall", map[string]any{
				"event": "UserPromptSubmit", "session_id": strconv.Itoa(i / overheadQueries), "prompt": prompt(i % overheadQueries),
			}, &answer))
			shown += len(answer)
		}),
		whole(func(ctx context.Context, i int) { bare[i%overheadQueries].run(ctx) }))
	p95 = ms(percentile(sides.a, 95))
	return p95, fmt.Sprintf("%d passages, over stdio, %d prompts, of which a session has each once; median %s ms; "+
		"the statements of a search p95 %s ms, median %s; a document for %d prompts, of %d with those before the measurement",
		2*corpusDocuments, overheadQueries, number(ms(median(sides.a))),
		number(ms(percentile(sides.b, 95))), number(ms(median(sides.b))), shown, warmup+rounds)
}

// bareSearches returns the statements of each of some searches of the corpus, to be sent
// by themselves, and how many they are in all.
func (b *bench) bareSearches(
	ctx context.Context, c *corpus, mode rag.Mode, text func(i int) string,
) (bare []*replay, statements int) {
	c.database.settle(ctx)
	var captured [][]statement
	check(b.within(func(b *bench) { captured = b.captureSearches(ctx, c, mode, text) }))
	for _, sent := range captured {
		bare = append(bare, b.newReplay(ctx, c.database.pool, sent))
		statements += len(sent)
	}
	return bare, statements
}

// captureSearches returns the statements of each of some searches of the corpus for texts, as
// they are when the searcher knows the index and the queries' vectors.
func (b *bench) captureSearches(ctx context.Context, c *corpus, mode rag.Mode, text func(i int) string) [][]statement {
	between, through := b.newCapture(c.database.url)
	database := db.NewDatabase(through, b.logger)
	models := get(ollama.New(ollama.Config{Host: c.fake.URL(), Logger: b.logger}))
	b.atEnd(func() error {
		database.Close()
		return models.Close()
	})
	searcher := rag.NewSearcher(database, models)
	_, tenant := openTenant(ctx, index.New(database, models, b.logger), c.repo, "main")
	scope := catalog.Scope{Tenant: tenant, Collection: catalog.Compounding}
	captured := make([][]statement, overheadQueries)
	for range 2 {
		for i := range captured {
			between.taken()
			get(searcher.Search(ctx, scope, rag.Query{Text: text(i), Mode: mode, Limit: searchLimit}))
			captured[i] = between.taken()
		}
	}
	return captured
}
