package rag

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/pgvector/pgvector-go"

	"github.com/compound-docs/compound-docs/internal/panics"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/model"
)

// queryEmbedding is a query that is being embedded.
type queryEmbedding struct {
	cancel context.CancelFunc
	done   chan struct{}
	// result and err may be read once done is closed.
	result model.Embedding
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

const (
	// failureWait is longer than it takes to find out that nothing listens at Ollama's
	// address.
	failureWait = 300 * time.Millisecond
	// patientWait is longer than it takes to try that several times, and shorter than to
	// load a large model.
	patientWait = 5 * time.Second
)

// wait waits until the query is embedded, at most for a time unless that is 0, and reports
// whether it is.
func (e *queryEmbedding) wait(ctx context.Context, most time.Duration) bool {
	if most == 0 {
		<-e.done
		return true
	}
	select {
	case <-e.done:
	case <-time.After(most):
	case <-ctx.Done():
	}
	return e.ready()
}

// failure returns why the query cannot be embedded, if that shows within the time.
func (e *queryEmbedding) failure(ctx context.Context, most time.Duration) error {
	if e.wait(ctx, most) {
		return e.err
	}
	return context.Cause(ctx)
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

// vector waits for the vector, which must be of that model.
func (e *queryEmbedding) vector(of model.Model) (*pgvector.HalfVector, error) {
	<-e.done
	if e.err != nil {
		return nil, e.err
	}
	if e.result.Digest != of.Digest {
		return nil, model.ErrModelReplaced
	}
	vector := pgvector.NewHalfVector(e.result.Vector)
	return &vector, nil
}

// unembeddable reports whether an error is that Ollama cannot embed the query. That its
// model was replaced is none: another try finds the new one.
func unembeddable(err error) bool {
	return err != nil && !errors.Is(err, model.ErrModelReplaced) && apierror.AsError(err).Code == apierror.EmbeddingServiceError
}
