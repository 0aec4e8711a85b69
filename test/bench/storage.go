package main

import (
	"context"
	"fmt"
	"time"
)

// tableGrowth is how large an index is in which every document was written again in each of
// many rounds without a pause, over a new one of the same documents.
func tableGrowth(ctx context.Context, b *bench) (ratio float64, note string) {
	documents, rounds := b.size(200, 1000), b.size(20, 200)
	repo, fake := b.newRepository("edited", documents, 0), b.startFake(0)
	edited := b.newDatabase(ctx)
	s := b.startServer(ctx, edited.url, fake.URL())
	began := time.Now()
	var tables, graph float64 // the largest that there was between two rounds
	for round := range rounds {
		repo.write(documents, uint64(1000+round))
		s.activate(ctx, repo)
		tablesNow, graphNow := edited.bytes(ctx)
		tables, graph = max(tables, tablesNow), max(graph, graphNow)
		if round%20 == 0 {
			b.say("storage.growth: round %d, %.0f MB, of them %.0f HNSW", round, tablesNow/1e6, graphNow/1e6)
		}
	}
	took := time.Since(began)
	fresh := b.newDatabase(ctx)
	b.startServer(ctx, fresh.url, fake.URL()).activate(ctx, repo)
	freshTables, freshGraph := fresh.bytes(ctx)
	return max(tables/freshTables, graph/freshGraph), fmt.Sprintf("%d documents, each edited %d times in %.0f s: "+
		"at most %.1f MB over %.1f, HNSW indexes %.1f over %.1f",
		documents, rounds, took.Seconds(), tables/1e6, freshTables/1e6, graph/1e6, freshGraph/1e6)
}

// bytes is the size of all tables with their indexes, and of the HNSW indexes among them.
func (d *database) bytes(ctx context.Context) (tables, graph float64) {
	d.scan(ctx, `
		SELECT sum(pg_table_size(oid) + pg_indexes_size(oid))::bigint,
			(SELECT sum(pg_relation_size(indexrelid))::bigint FROM pg_index JOIN pg_class g ON g.oid = indexrelid
			JOIN pg_am a ON a.oid = g.relam WHERE amname = 'hnsw')
		FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`, &tables, &graph)
	return tables, graph
}
