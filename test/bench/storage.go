package main

import (
	"context"
	"fmt"
	"time"

	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/watch"
)

// branchStorage measures what the tables grow by with every further branch of the
// same documents, for documents of ten passages, which is about what solved
// problems of teams that publish theirs have (12), and of one.
func branchStorage(ctx context.Context, b *bench) (bytes float64, note string) {
	passages := b.size(1000, 5000)
	long, short := b.branchBytes(ctx, passages/10, 10), b.branchBytes(ctx, passages, 1)
	return long, fmt.Sprintf("a passage, of documents of ten; %.0f where a document is one passage", short)
}

// branchBytes is the storage of a passage in a further branch, tables and indexes.
func (b *bench) branchBytes(ctx context.Context, documents, sections int) (perPassage float64) {
	repo := b.newRepository(fmt.Sprintf("branches-%d", sections), documents, sections, 7)
	d := b.newDatabase(ctx)
	x := index.New(d.Database, &embedder{space: newSpace(100, 2)}, b.logger)
	add := func(branch string) (chunks, bytes float64) {
		syncOnce(ctx, x, repo, branch)
		d.scan(ctx, `
			SELECT (SELECT count(*) FROM document_chunks), sum(pg_total_relation_size(oid))::bigint FROM pg_class
			WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`, &chunks, &bytes)
		return chunks, bytes
	}
	// Two come first, so that no table is a page or less.
	d.withoutHNSW(ctx, func() { add("first") })
	chunksBefore, bytesBefore := add("second")
	chunks, bytes := chunksBefore, bytesBefore
	for i := range b.size(8, 20) {
		chunks, bytes = add(fmt.Sprintf("further-%d", i))
	}
	return (bytes - bytesBefore) / (chunks - chunksBefore)
}

// passageStorage is the storage of a unique passage: its row, its text with its terms, its
// vector, and its place in the indexes. One in twenty is promoted.
func passageStorage(ctx context.Context, b *bench) (perPassage float64, note string) {
	repo := b.newRepository("storage", b.size(200, 1000), 10, 10)
	d := b.newDatabase(ctx)
	x := index.New(d.Database, &embedder{space: newSpace(100, 2)}, b.logger)
	d.withoutHNSW(ctx, func() { syncOnce(ctx, x, repo, "main") })
	d.settle(ctx)
	var text, terms, vectors, hnsw, count, chars float64
	d.scan(ctx, `
		SELECT pg_total_relation_size('passages_compounding'), pg_relation_size('passages_compounding_terms_idx'),
			pg_total_relation_size('embeddings_compounding'),
			pg_relation_size('embeddings_compounding_embedding') + pg_relation_size('embeddings_compounding_promoted'),
			count(*), avg(length(content)) FROM passages_compounding`, &text, &terms, &vectors, &hnsw, &count, &chars)
	return (text + vectors) / count, fmt.Sprintf("%.0f passages of %.0f characters, one in eleven a front matter; %.0f bytes are "+
		"the text, of them %.0f the index of terms; %.0f the vector, of them %.0f the HNSW indexes",
		count, chars, text/count, terms/count, vectors/count, hnsw/count)
}

// tableGrowth is how large an index is in which every document was written again in each of
// many rounds without a pause, beside a sweeper, over a new one of the same documents.
func tableGrowth(ctx context.Context, b *bench) (ratio float64, note string) {
	documents, rounds := b.size(200, 1000), b.size(20, 200)
	repo := b.newRepository("edited", documents, 1, 0)
	models := &embedder{space: newSpace(100, 2)}
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
