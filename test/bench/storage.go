package main

import (
	"context"
	"fmt"
)

// branchStorage measures what the tables grow by with every further branch of the
// same documents, for documents of ten passages, which is about what solved
// problems of teams that publish theirs have (12), and of one.
func branchStorage(ctx context.Context, e *environment) (result, error) {
	passages := e.size(1000, 5000)
	long, err := e.branchBytes(ctx, passages/10, 10)
	if err != nil {
		return result{}, err
	}
	short, err := e.branchBytes(ctx, passages, 1)
	return result{long, fmt.Sprintf("a passage, of documents of ten; %.0f where a document is one passage", short)}, err
}

// branchBytes is what a passage costs in a further branch, tables and indexes.
func (e *environment) branchBytes(ctx context.Context, documents, sections int) (perPassage float64, err error) {
	repo, err := e.newRepository(fmt.Sprintf("branches-%d", sections), documents, sections, 7)
	if err != nil {
		return 0, err
	}
	err = e.withDatabase(ctx, func(d *database) error {
		index := e.index(d.Database, &embedder{space: newSpace(100, 2)})
		var chunks, bytes, chunksBefore, bytesBefore float64
		add := func(name string) error {
			if err := syncOnce(ctx, index, repo, name); err != nil {
				return err
			}
			return d.scan(ctx, `
				SELECT (SELECT count(*) FROM document_chunks), sum(pg_total_relation_size(oid))::bigint FROM pg_class
				WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`, &chunks, &bytes)
		}
		// Two come first, so that no table is a page or less.
		if err := d.withoutHNSW(ctx, func() error { return add("first") }); err != nil {
			return err
		}
		if err := add("second"); err != nil {
			return err
		}
		chunksBefore, bytesBefore = chunks, bytes
		for i := range e.size(8, 20) {
			if err := add(fmt.Sprintf("further-%d", i)); err != nil {
				return err
			}
		}
		perPassage = (bytes - bytesBefore) / (chunks - chunksBefore)
		return nil
	})
	return perPassage, err
}

// passageStorage is what a unique passage costs: its row, its text, its vector and
// its place in the indexes. One in twenty is promoted.
func passageStorage(ctx context.Context, e *environment) (result, error) {
	c, err := e.openCorpus(ctx)
	if err != nil {
		return result{}, err
	}
	if err := c.database.settle(ctx); err != nil {
		return result{}, err
	}
	var bytes, hnsw, count, chars float64
	err = c.database.scan(ctx, `
		SELECT pg_total_relation_size('passages_compounding'),
			pg_relation_size('passages_compounding_embedding') + pg_relation_size('passages_compounding_promoted'),
			count(*), avg(length(content)) FROM passages_compounding`, &bytes, &hnsw, &count, &chars)
	return result{bytes / count, fmt.Sprintf("%.0f passages of %.0f characters; of it %.0f are the HNSW indexes",
		count, chars, hnsw/count)}, err
}
