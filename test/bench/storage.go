package main

import (
	"context"
	"fmt"

	"github.com/compound-docs/compound-docs/rag/index"
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
