package main

import (
	"context"
	"errors"
	"fmt"
)

// branchEmbeddings counts what Ollama is asked to embed when the corpus is
// activated on another branch.
func branchEmbeddings(ctx context.Context, e *environment) ([]Row, error) {
	c, err := e.openCorpus(ctx)
	if err != nil {
		return nil, err
	}
	c.fake.Forget()
	if err := c.server.activate(ctx, c.repo, "second"); err != nil {
		return nil, err
	}
	texts := len(c.fake.Texts())
	// The branch before it is the active one again, for who comes next.
	if err := c.server.activate(ctx, c.repo, "main"); err != nil {
		return nil, err
	}
	return []Row{{
		Name: "sync.branch.embeddings", Value: float64(texts), Unit: "texts", Target: atMost(0),
		Note: fmt.Sprintf("a second branch of %d documents", corpusDocuments),
	}}, nil
}

// branchStorage measures what the tables grow by with every further branch of the
// same documents, for documents of ten passages, which is about what solved
// problems of teams that publish theirs have (12), and of one.
func branchStorage(ctx context.Context, e *environment) ([]Row, error) {
	passages := e.size(1000, 5000)
	long, err := e.branchBytes(ctx, passages/10, 10)
	if err != nil {
		return nil, err
	}
	short, err := e.branchBytes(ctx, passages, 1)
	if err != nil {
		return nil, err
	}
	return []Row{{
		Name: "storage.branch.bytes", Value: long, Unit: "bytes", Target: atMost(400),
		Note: fmt.Sprintf("a passage, of documents of ten; %.0f where a document is one passage", short),
	}}, nil
}

// branchBytes is what a passage costs in a further branch, tables and indexes.
func (e *environment) branchBytes(ctx context.Context, documents, sections int) (_ float64, err error) {
	target, err := e.newDatabase(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, target.drop(ctx)) }()
	repo, err := e.newRepository(fmt.Sprintf("branches-%d", sections), documents, sections, 7)
	if err != nil {
		return 0, err
	}
	library := e.library(target.Database, &embedder{space: newSpace(100, 2)})
	grow := func(name string) (chunks, bytes int64, err error) {
		if err := syncOnce(ctx, library, repo, name); err != nil {
			return 0, 0, err
		}
		err = target.scan(ctx, `
			SELECT (SELECT count(*) FROM document_chunks),
				sum(pg_total_relation_size(oid))::bigint FROM pg_class
			WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`, &chunks, &bytes)
		return chunks, bytes, err
	}
	// Two come first, so that no table is a page or less.
	if err := target.withoutHNSW(ctx, func() error {
		_, _, err := grow("first")
		return err
	}); err != nil {
		return 0, err
	}
	chunks, bytes, err := grow("second")
	if err != nil {
		return 0, err
	}
	var allChunks, allBytes int64
	for i := range e.size(8, 20) {
		if allChunks, allBytes, err = grow(fmt.Sprintf("further-%d", i)); err != nil {
			return 0, err
		}
	}
	return float64(allBytes-bytes) / float64(allChunks-chunks), nil
}

// passageStorage is what a unique passage costs: its row, its text, its vector and
// its place in the indexes. One in twenty is promoted.
func passageStorage(ctx context.Context, e *environment) ([]Row, error) {
	c, err := e.openCorpus(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.database.settle(ctx); err != nil {
		return nil, err
	}
	var bytes, hnsw, count, chars float64
	if err := c.database.scan(ctx, `
		SELECT pg_total_relation_size('passages_compounding'),
			pg_relation_size('passages_compounding_embedding') + pg_relation_size('passages_compounding_promoted'),
			count(*), avg(length(content)) FROM passages_compounding`, &bytes, &hnsw, &count, &chars); err != nil {
		return nil, err
	}
	return []Row{{
		Name: "storage.passage.bytes", Value: bytes / count, Unit: "bytes", Target: atMost(8000),
		Note: fmt.Sprintf("%.0f passages of %.0f characters; of it %.0f are the HNSW indexes", count, chars, hnsw/count),
		Reason: "a vector of 2,056 bytes fills a third of a page (2,730 bytes) both in the table and in the HNSW graph, and the " +
			"text takes a tuple out of line",
	}}, nil
}
