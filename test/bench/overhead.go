package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// overhead compares a search over stdio, its embedding known from an earlier one,
// with the statements that it sends, sent by themselves over one connection.
func overhead(ctx context.Context, e *environment) (_ result, err error) {
	c, err := e.openCorpus(ctx)
	if err != nil {
		return result{}, err
	}
	if err := c.database.settle(ctx); err != nil {
		return result{}, err
	}
	text := query(1)
	if err := c.server.search(ctx, text); err != nil {
		return result{}, err
	}
	statements, err := e.captureSearch(ctx, c, text)
	if err != nil {
		return result{}, fmt.Errorf("capture the statements of a search: %w", err)
	}
	bare, err := newReplay(ctx, c.database.pool.Config().ConnConfig, statements)
	if err != nil {
		return result{}, err
	}
	defer func() { err = errors.Join(err, bare.conn.Close(ctx)) }()
	return compare(ctx, 20, e.size(300, 1000),
		whole(func(ctx context.Context, _ int) error { return c.server.search(ctx, text) }), whole(bare.run),
		"%d passages, %d statements; ", corpusDocuments, len(statements))
}

// captureSearch returns the statements of one search of the corpus, the second
// on its connection.
func (e *environment) captureSearch(ctx context.Context, c *corpus, text string) (_ []statement, err error) {
	dir, err := e.folder("pg")
	if err != nil {
		return nil, err
	}
	between, err := newCapture(ctx, dir, c.database.pool.Config().ConnConfig)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, between.close()) }()
	parsed, err := url.Parse(c.database.url)
	if err != nil {
		return nil, err
	}
	parsed.Host = ""
	parsed.RawQuery = url.Values{"host": {dir}, "sslmode": {"disable"}}.Encode()
	database := db.NewDatabase(parsed.String(), e.logger)
	defer database.Close()
	models, err := ollama.New(ollama.Config{Hosts: []string{c.fake.URL()}, Logger: e.logger})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, models.Close()) }()
	searcher := rag.NewSearcher(database, models, models, e.logger)
	_, tenant, err := openTenant(ctx, index.New(database, models, e.logger), c.repo, "main")
	if err != nil {
		return nil, err
	}
	scope := rag.Scope{Tenant: tenant, Collection: rag.Compounding}
	var statements []statement
	for range 2 {
		between.taken()
		if _, err := searcher.Search(ctx, scope, rag.Query{Text: text, Limit: searchLimit}); err != nil {
			return nil, err
		}
		statements = between.taken()
	}
	return statements, nil
}
