package main

import (
	"context"
	"fmt"

	"github.com/compound-docs/compound-docs/test/mcpclient"
)

// handbookCache compares searches of the handbook that the cache of results answers
// with others, whose embeddings are cached.
func handbookCache(ctx context.Context, b *bench) (ratio float64, note string) {
	// More than the cache of results holds, and fewer than that of embeddings.
	const queries = 200
	documents := b.size(500, 2000)
	repo := b.newRepository("handbook", documents, 1, corpusSeed)
	d := b.newDatabase(ctx)
	fake := b.startFake(0)
	in := mcpclient.Installation{Program: b.program, Home: b.dir, DatabaseURL: d.url, OllamaHost: fake.URL()}
	if text, err := in.Command("ingest", repo.docs()).CombinedOutput(); err != nil {
		check(fmt.Errorf("ingest: %w: %s", err, text))
	}
	s := b.startServer(ctx, d.url, fake.URL())
	search := func(i int) {
		get(s.Text(ctx, "search_handbook", map[string]any{"query": query(i)}))
	}
	for i := range queries {
		search(1 + i)
	}
	return compare(ctx, 20, b.size(200, 500),
		whole(func(context.Context, int) { search(0) }),
		whole(func(_ context.Context, i int) { search(1 + i%queries) }),
		"%d documents, over stdio; ", documents)
}
