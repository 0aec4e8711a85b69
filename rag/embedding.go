package rag

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pgvector/pgvector-go"

	"github.com/compound-docs/compound-docs/internal/panics"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// queryEmbedding is a query that is being embedded.
type queryEmbedding struct {
	cancel context.CancelFunc
	done   chan struct{}
	// result and err may be read once done is closed.
	result ollama.Embedding
	err    error
}

// embed begins to embed the text. The caller must call end.
func (s *Searcher) embed(ctx context.Context, text string) *queryEmbedding {
	ctx, cancel := context.WithCancel(ctx)
	e := &queryEmbedding{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(e.done)
		e.err = panics.Catch(func() (err error) {
			e.result, err = s.embedder.EmbedQuery(ctx, strings.Join(strings.Fields(text), " "))
			return err
		})
	}()
	return e
}

// end gives up on a query that is still being embedded.
func (e *queryEmbedding) end() {
	e.cancel()
	<-e.done
}

// failureWait is longer than it takes to find out that Ollama does not answer, and
// shorter than to load a large model.
const failureWait = 5 * time.Second

// failure returns why the query cannot be embedded, if that shows within the time.
func (e *queryEmbedding) failure(ctx context.Context, wait time.Duration) error {
	select {
	case <-e.done:
		return e.err
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(wait):
		return nil
	}
}

// ready reports whether vector returns at once.
func (e *queryEmbedding) ready() bool {
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}

// vector waits for the vector, which must be of the model.
func (e *queryEmbedding) vector(model ollama.Model) (*pgvector.HalfVector, error) {
	<-e.done
	if e.err != nil {
		return nil, e.err
	}
	if e.result.Digest != model.Digest {
		return nil, ErrModelReplaced
	}
	vector := pgvector.NewHalfVector(e.result.Vector)
	return &vector, nil
}

// withoutOllama adds to an error of Ollama what works without it.
func withoutOllama(scope Scope, err error) error {
	tool := map[Collection]string{Compounding: "semantic_search", External: "search_external_docs"}[scope.Collection]
	if tool == "" || classify(err).Code != EmbeddingServiceError {
		return err
	}
	return fmt.Errorf("%w; %s with `mode: \"lexical\"` searches by words and works without it", err, tool)
}
