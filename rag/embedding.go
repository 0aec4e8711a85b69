package rag

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/pgvector/pgvector-go"

	"github.com/compound-docs/compound-docs/internal/panics"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/wordvec"
)

// queryEmbedding is the embedding of a query, under way.
type queryEmbedding struct {
	// model makes the vector. It is nil if that is not known, and in a search that does not ask for it.
	model  *model.Model
	cancel context.CancelFunc
	// until is when a hybrid search goes on without the vector, and late is set if it did.
	until time.Time
	late  bool
	done  chan struct{}
	// result and err may be read once done is closed.
	result model.Embedding
	err    error
}

// embed begins to embed the text, unless the search is by words. A hybrid search does not
// wait for an Ollama that fails. The caller must call end.
func (s *Searcher) embed(ctx context.Context, mode Mode, query Query) *queryEmbedding {
	asking := ctx
	embedding, cancel := context.WithCancel(context.WithoutCancel(ctx)) // see end
	e := &queryEmbedding{cancel: cancel, done: make(chan struct{})}
	switch mode {
	case Lexical:
		close(e.done)
		return e
	case Hybrid:
		if query.Patience > 0 && time.Since(time.Unix(0, s.hangs.Load())) < hangTime {
			close(e.done)
			return e
		}
		e.until = query.vectorUntil(ctx)
		var stop context.CancelFunc
		asking, stop = context.WithDeadline(model.FailFast(ctx), e.until)
		defer stop()
		embedding = model.FailFast(embedding)
	case Vector:
	}
	model, err := s.embedder.EmbedModel(asking)
	if err != nil {
		e.err = err
		close(e.done)
		return e
	}
	e.model = &model
	go func() {
		defer cancel()
		defer close(e.done)
		e.err = panics.Catch(func() (err error) {
			e.result, err = s.embedder.EmbedQuery(embedding, strings.Join(strings.Fields(query.Text), " "))
			return err
		})
		if e.err == nil {
			s.hangs.Store(0)
		}
	}()
	return e
}

// end gives up on a query that is still being embedded. One that is only late goes on, within
// the bounds of package model: the model may be loading, which the next search needs.
func (e *queryEmbedding) end() {
	if e.late {
		return
	}
	e.cancel()
	<-e.done
}

const (
	// hybridWait is how long a hybrid search of a call with a deadline waits for Ollama.
	hybridWait = 2500 * time.Millisecond
	// hangTime is how long searches that cannot wait keep away from an embedder that hangs.
	hangTime = time.Minute
	// failureWait is longer than it takes to find out that nothing listens at Ollama's address.
	failureWait = 300 * time.Millisecond
	// noLimit is longer than the embedder takes to give up.
	noLimit = time.Hour
	// patientWait is longer than it takes to try that several times, and shorter than to load a large model.
	patientWait = 5 * time.Second
)

// vectorUntil is until when a hybrid search waits for Ollama. It leaves half of a deadline to the database.
func (q Query) vectorUntil(ctx context.Context) time.Time {
	most := cmp.Or(q.Patience, noLimit)
	if deadline, ok := ctx.Deadline(); ok {
		most = min(most, hybridWait, time.Until(deadline)/2)
	}
	return time.Now().Add(most)
}

// builtInVector returns the built-in vector of a text, nil for one without.
func builtInVector(text string) *pgvector.HalfVector {
	numbers := wordvec.Vector(text)
	if numbers == nil {
		return nil
	}
	vector := pgvector.NewHalfVector(numbers)
	return &vector
}

// takeVector waits for the model's vector of the query where such vectors can be compared. Without it a hybrid
// search goes on by words and built-in vectors.
func (f *search) takeVector(ctx context.Context, embedding *queryEmbedding) error {
	if f.Mode == Lexical {
		return nil
	}
	useful := false
	if embedding.model != nil {
		f.Embedded = f.embedded()
		useful = f.passages() > 0 && f.Embedded > 0 && (f.Mode == Vector || f.calibration.Usable())
	}
	err := embedding.wait(ctx, f.patience(useful, embedding))
	if !useful && errors.Is(err, model.ErrLate) && ctx.Err() == nil && embedding.model != nil {
		err = nil
	}
	switch {
	case useful && err == nil:
		if embedding.result.Digest != embedding.model.Digest {
			return model.ErrModelReplaced
		}
		vector := pgvector.NewHalfVector(embedding.result.Vector)
		f.vector = &vector
		if len(f.terms.Terms) == 0 {
			f.Mode = Vector
		}
	case f.Mode == Vector && unembeddable(err):
		return apierror.Wordf("%w; without %s names and words are found in the meantime", err,
			apierror.Argument{Parameter: "mode", Value: string(Vector)})
	case f.Mode == Vector || err != nil && !unembeddable(err):
		return err
	case err != nil:
		if f.Fallback = err; useful || embedding.model == nil {
			f.Embedded = 1
		}
	}
	f.BuiltIn = f.meaning != nil && f.passages() > 0 && (f.vector == nil || f.Embedded < 1)
	return nil
}

// patience is how long the search waits for the vector. A vector that is of no use is waited for
// too: that Ollama cannot make it has to be said.
func (f *search) patience(useful bool, embedding *queryEmbedding) time.Duration {
	switch {
	case f.Mode == Vector && useful:
		return noLimit
	case f.Mode == Vector:
		return patientWait
	case useful:
		return time.Until(embedding.until)
	default:
		return min(failureWait, time.Until(embedding.until))
	}
}

// wait waits for the end of the embedding, and returns its error, or that it is late.
func (e *queryEmbedding) wait(ctx context.Context, most time.Duration) error {
	select {
	case <-e.done:
		return e.err
	case <-time.After(most):
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.Canceled) {
			return context.Cause(ctx)
		}
	}
	e.late = true
	return model.ErrLate
}

// unembeddable reports whether an error says that Ollama cannot embed the query. That the model
// was replaced is another error: the next try finds the new model.
func unembeddable(err error) bool {
	return err != nil && !errors.Is(err, model.ErrModelReplaced) && apierror.AsError(err).Code == apierror.EmbeddingServiceError
}
