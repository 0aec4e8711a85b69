package main

import (
	"context"

	"github.com/compound-docs/compound-docs/rag/catalog"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag"
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
	c.database.settle(ctx)
	var captured [][]statement
	check(b.within(func(b *bench) { captured = b.captureSearches(ctx, c, mode) }))
	bare, statements := make([]*replay, len(captured)), 0
	for i := range captured {
		bare[i] = b.newReplay(ctx, c.database.pool, captured[i])
		statements += len(captured[i])
	}
	return compare(ctx, 2*overheadQueries, b.size(300, 1000),
		whole(func(ctx context.Context, i int) { c.server.search(ctx, mode, query(i%overheadQueries)) }),
		whole(func(ctx context.Context, i int) { bare[i%overheadQueries].run(ctx) }),
		"%d documents, over stdio, %d queries, %d statements each; ", corpusDocuments, overheadQueries, statements/overheadQueries)
}

// captureSearches returns the statements of each of some searches of the corpus, as
// they are when the searcher knows the index and the queries' vectors.
func (b *bench) captureSearches(ctx context.Context, c *corpus, mode rag.Mode) [][]statement {
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
			get(searcher.Search(ctx, scope, rag.Query{Text: query(i), Mode: mode, Limit: searchLimit}))
			captured[i] = between.taken()
		}
	}
	return captured
}
