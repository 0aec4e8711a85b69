package main

import (
	"context"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// overhead compares a search over stdio, its embedding known from an earlier one,
// with the statements that it sends, sent by themselves over one connection.
func overhead(ctx context.Context, b *bench) (ratio float64, note string) {
	c := b.openCorpus(ctx)
	c.database.settle(ctx)
	text := query(1)
	c.server.search(ctx, text)
	var statements []statement
	check(b.within(func(b *bench) { statements = b.captureSearch(ctx, c, text) }))
	bare := b.newReplay(ctx, c.database.pool.Config().ConnConfig, statements)
	return compare(ctx, 20, b.size(300, 1000),
		whole(func(ctx context.Context, _ int) { c.server.search(ctx, text) }), whole(bare.run),
		"%d passages, %d statements; ", corpusDocuments, len(statements))
}

// captureSearch returns the statements of one search of the corpus, the second
// on its connection.
func (b *bench) captureSearch(ctx context.Context, c *corpus, text string) (statements []statement) {
	between, through := b.newCapture(c.database.url)
	database := db.NewDatabase(through, b.logger)
	models := get(ollama.New(ollama.Config{Hosts: []string{c.fake.URL()}, Logger: b.logger}))
	b.atEnd(func() error {
		database.Close()
		return models.Close()
	})
	searcher := rag.NewSearcher(database, models, models, b.logger)
	_, tenant := openTenant(ctx, index.New(database, models, b.logger), c.repo, "main")
	scope := rag.Scope{Tenant: tenant, Collection: rag.Compounding}
	for range 2 {
		between.taken()
		get(searcher.Search(ctx, scope, rag.Query{Text: text, Limit: searchLimit}))
		statements = between.taken()
	}
	return statements
}
