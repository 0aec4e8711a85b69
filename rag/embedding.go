package rag

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pgvector/pgvector-go"

	"github.com/compound-docs/compound-docs/internal/panics"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/model"
)

// queryEmbedding is the embedding of a query, under way.
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

// takeVector waits for the vector of the query where vectors can be compared, and decides on
// the mode. A hybrid search goes on by words where they cannot.
func (f *finding) takeVector(ctx context.Context, embedding *queryEmbedding) error {
	if f.Mode == Lexical {
		return nil
	}
	useful := false
	if embedding.model != nil {
		f.Embedded = f.embedded()
		useful = f.passages() > 0 && f.Embedded > 0 && (f.Mode == Vector || f.calibration.Usable())
	}
	var late <-chan time.Time // never
	if most := f.patience(useful); most > 0 {
		late = time.After(most)
	}
	ready := false
	select {
	case <-embedding.done:
		ready = true
	case <-late:
	case <-ctx.Done():
	}
	err := context.Cause(ctx)
	if ready && err == nil {
		err = embedding.err
	}
	switch {
	case ready && err == nil && useful:
		if embedding.result.Digest != embedding.model.Digest {
			return model.ErrModelReplaced
		}
		vector := pgvector.NewHalfVector(embedding.result.Vector)
		f.vector = &vector
	case f.Mode == Vector && unembeddable(err):
		return fmt.Errorf("%w; without `mode: \"vector\"` names and words are found in the meantime", err)
	case f.Mode == Vector || err != nil && !unembeddable(err):
		return err
	case err != nil:
		if f.Mode, f.Fallback = Lexical, err; useful || embedding.model == nil {
			f.Embedded = 1
		}
	case f.passages() > 0:
		f.Mode = Lexical // nothing can be compared, or the vector comes too late
	}
	return nil
}

// patience is how long the search waits for the vector, 0 for as long as it takes. A vector
// that is of no use is waited for too: that Ollama cannot make it has to be said.
func (f *finding) patience(useful bool) time.Duration {
	switch {
	case f.Mode == Vector && useful:
		return 0
	case f.Mode == Vector:
		return patientWait
	case useful:
		return f.query.Patience
	default:
		return failureWait
	}
}

// unembeddable reports whether an error says that Ollama cannot embed the query. That the model
// was replaced is another error: the next try finds the new model.
func unembeddable(err error) bool {
	return err != nil && !errors.Is(err, model.ErrModelReplaced) && apierror.AsError(err).Code == apierror.EmbeddingServiceError
}
