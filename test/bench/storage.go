package main

import (
	"context"
	"fmt"
	"time"

	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/watch"
)

// tableGrowth is how large an index is in which every document was written again in each of
// many rounds without a pause, beside a sweeper, over a new one of the same documents.
func tableGrowth(ctx context.Context, b *bench) (ratio float64, note string) {
	documents, rounds := b.size(200, 1000), b.size(20, 200)
	repo := b.newRepository("edited", documents, 1, 0)
	models := newEmbedder()
	// indexAll has the repository indexed once in each round, after the edits of that round.
	indexAll := func(d *database, rounds int, edit func(round int)) {
		x := index.New(d.Database, models, b.logger)
		loaded, tenant := openTenant(ctx, x, repo, "main")
		sweeper := x.Sweeper(tenant, time.Hour)
		sweepCtx, stop := context.WithCancel(ctx)
		swept := make(chan struct{})
		go func() {
			defer close(swept)
			sweeper.Run(sweepCtx)
		}()
		for round := range rounds {
			edit(round)
			indexer := x.Indexer(tenant, catalog.Compounding, loaded)
			indexer.Sweeper = sweeper
			get(watch.Sync(ctx, repo.folder(loaded), indexer, nil))
			check(x.Queue(tenant, catalog.Compounding).Drain(ctx, nil))
		}
		stop()
		<-swept
	}
	bytes := func(d *database) (tables, graph float64) {
		d.scan(ctx, `
			SELECT sum(pg_table_size(oid) + pg_indexes_size(oid))::bigint,
				(SELECT sum(pg_relation_size(indexrelid))::bigint FROM pg_index JOIN pg_class g ON g.oid = indexrelid
				JOIN pg_am a ON a.oid = g.relam WHERE amname = 'hnsw')
			FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`, &tables, &graph)
		return tables, graph
	}
	edited := b.newDatabase(ctx)
	began := time.Now()
	var tables, graph float64 // the largest that there was between two rounds
	indexAll(edited, rounds, func(round int) {
		repo.write(documents, uint64(1000+round))
		tablesNow, graphNow := bytes(edited)
		tables, graph = max(tables, tablesNow), max(graph, graphNow)
		if round%20 == 0 {
			b.say("storage.growth: round %d, %.0f MB, of them %.0f HNSW", round, tablesNow/1e6, graphNow/1e6)
		}
	})
	took := time.Since(began)
	fresh := b.newDatabase(ctx)
	indexAll(fresh, 1, func(int) {})
	freshTables, freshGraph := bytes(fresh)
	return max(tables/freshTables, graph/freshGraph), fmt.Sprintf("%d documents, each edited %d times in %.0f s: all tables "+
		"and indexes at most %.1f MB over %.1f, of them the HNSW indexes %.1f over %.1f; in a round old and new text are there at once",
		documents, rounds, took.Seconds(), tables/1e6, freshTables/1e6, graph/1e6, freshGraph/1e6)
}
