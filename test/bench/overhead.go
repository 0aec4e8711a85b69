package main

import (
	"context"
	"errors"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/model"
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
	searches, statements := b.recordSearches(ctx, c, mode, query)
	bare := b.newReplay(ctx, c.database.pool)
	return compare(ctx, 2*overheadQueries, b.size(300, 1000),
		whole(func(ctx context.Context, i int) { c.server.search(ctx, mode, query(i%overheadQueries)) }),
		whole(func(ctx context.Context, i int) { bare.send(ctx, searches[i%overheadQueries]) }),
		"%d documents, over stdio, %d queries, %d statements each; ", corpusDocuments, overheadQueries, statements/overheadQueries)
}

// recordSearches returns the round trips of each of some searches of the corpus, as they are
// when the searcher knows the index and the queries' vectors, and how many statements they have.
func (b *bench) recordSearches(
	ctx context.Context, c *corpus, mode rag.Mode, text func(i int) string,
) (searches [][]trip, statements int) {
	c.database.settle(ctx)
	searches = make([][]trip, overheadQueries)
	check(b.within(func(b *bench) {
		wire, through := b.newWire(c.database.url)
		database := db.NewDatabase(through, b.logger)
		models := get(ollama.New(model.Config{Host: c.fake.URL(), Logger: b.logger}))
		b.atEnd(func() error {
			database.Close()
			return models.Close()
		})
		searcher := rag.NewSearcher(database, models)
		_, tenant := openTenant(ctx, index.New(database, models, b.logger), c.repo, "main")
		scope := catalog.Scope{Tenant: tenant, Collection: catalog.Compounding}
		for range 2 {
			for i := range searches {
				wire.taken()
				get(searcher.Search(ctx, scope, rag.Query{Text: text(i), Mode: mode, Limit: searchLimit}))
				searches[i] = wire.taken()
			}
		}
	}))
	for _, trips := range searches {
		for _, t := range trips {
			statements += len(t)
		}
	}
	if statements == 0 {
		check(errors.New("no statement was recorded"))
	}
	return searches, statements
}
