package rag

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/internal/panics"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/model"
)

// queryEmbedding is a query that is being embedded.
type queryEmbedding struct {
	// model makes the vector. It is nil if that is not known, and in a search by words.
	model  *model.Model
	cancel context.CancelFunc
	done   chan struct{}
	// result and err may be read once done is closed.
	result model.Embedding
	err    error
}

// embed begins to embed the text, unless the search is by words. A hybrid search does not
// wait for an Ollama that fails. The caller must call end.
func (s *Searcher) embed(ctx context.Context, mode Mode, text string) *queryEmbedding {
	if mode == Hybrid {
		ctx = model.FailFast(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	e := &queryEmbedding{cancel: cancel, done: make(chan struct{})}
	if mode == Lexical {
		close(e.done)
		return e
	}
	model, err := s.embedder.EmbedModel(ctx)
	if err != nil {
		e.err = err
		close(e.done)
		return e
	}
	e.model = &model
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
	var late <-chan time.Time // never
	if most > 0 {
		late = time.After(most)
	}
	select {
	case <-e.done:
		return true
	case <-late:
	case <-ctx.Done():
	}
	return false
}

// unembeddable reports whether an error is that Ollama cannot embed the query. That its
// model was replaced is none: another try finds the new one.
func unembeddable(err error) bool {
	return err != nil && !errors.Is(err, model.ErrModelReplaced) && apierror.AsError(err).Code == apierror.EmbeddingServiceError
}
