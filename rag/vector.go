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
	"github.com/compound-docs/compound-docs/rag/lookup"
	"github.com/compound-docs/compound-docs/rag/model"
)

// QueryEmbedder turns a query into a vector.
type QueryEmbedder interface {
	// EmbedModel identifies the model that makes the vectors. The answer may be some seconds old. A search compares only
	// vectors of this model, and finds passages without such a vector by words.
	EmbedModel(ctx context.Context) (model.Model, error)
	// EmbedQuery returns the vector of a query. A failure is the returned error, and the Err of the embedding is nil.
	EmbedQuery(ctx context.Context, query string) (model.Embedding, error)
}

const (
	// hybridWait is how long a hybrid search waits for Ollama if its call has a deadline.
	hybridWait = 2500 * time.Millisecond
	// avoidLate is how long searches with an EmbeddingWait do not ask an embedder that was late.
	avoidLate = time.Minute
	// failureWait is how long a hybrid search waits for a vector that it cannot use, only to hear of a failure. After this
	// time it is known whether anything listens at the server's address.
	failureWait = 300 * time.Millisecond
	// noLimit is longer than the embedder takes to give up.
	noLimit = time.Hour
	// patientWait is how long a search by vectors waits for a vector that it cannot use. This is enough for several tries
	// to reach Ollama, but not to load a large model.
	patientWait = 5 * time.Second
)

// embedding is a running request for the vector of a query.
type embedding struct {
	// model makes the vector. It is nil if the server did not name its model, and in a search that needs no vector.
	model *model.Model
	// cancel ends EmbedQuery. Only end calls it before the vector is there.
	cancel context.CancelFunc
	// until is when a hybrid search goes on without the vector. late is set once a search has gone on without it.
	until time.Time
	late  bool
	done  chan struct{}
	// result and err may be read once done is closed.
	result model.Embedding
	err    error
}

// embed begins to embed the query, unless the search is by words. The caller must call end.
//
// The end of ctx stops only the question which model the server has. The embedding may go on after the search; see end.
func (s *Searcher) embed(ctx context.Context, p plan) *embedding {
	wait := cmp.Or(p.query.EmbeddingWait, noLimit)
	if deadline, ok := ctx.Deadline(); ok { // leave half of the time to the database
		wait = min(wait, hybridWait, time.Until(deadline)/2)
	}
	e := &embedding{cancel: func() {}, until: time.Now().Add(wait), done: make(chan struct{})}
	wasLate := time.Since(time.Unix(0, s.lateAt.Load())) < avoidLate
	if p.query.Mode == Lexical || p.query.Mode == Hybrid && p.query.EmbeddingWait > 0 && wasLate {
		close(e.done)
		return e
	}
	asking := ctx
	if p.query.Mode == Hybrid { // a hybrid search does not wait for an Ollama that fails
		ctx = model.FailFast(ctx)
		limited, stop := context.WithDeadline(ctx, e.until)
		defer stop()
		asking = limited
	}
	embedder, err := s.embedder.EmbedModel(asking)
	if err != nil {
		e.err = err
		close(e.done)
		return e
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	e.model, e.cancel = &embedder, cancel
	go func() {
		defer cancel()
		defer close(e.done)
		e.err = panics.Catch(func() error {
			result, err := s.embedder.EmbedQuery(running, strings.Join(strings.Fields(p.query.Text), " "))
			e.result = result
			return err
		})
		if e.err == nil {
			s.lateAt.Store(0)
		}
	}()
	return e
}

// end cancels the embedding and waits until it has ended. If the search has gone on without the vector, end lets the
// embedding go on, within the time limits of package model: the model may be loading, and the next search needs it.
func (e *embedding) end() {
	if e.late {
		return
	}
	e.cancel()
	<-e.done
}

// vectors are the vectors of a query. A vector with which no passage is compared is nil.
type vectors struct {
	Coverage

	byModel, builtIn *pgvector.HalfVector
}

// vectors waits for the model's vector, in a hybrid search not beyond until, and returns the query's vectors. If the
// index has no vectors to compare with, it still waits a moment: the caller must hear if the model server fails.
func (e *embedding) vectors(ctx context.Context, p plan, facts lookup.Facts) (vectors, error) {
	v := vectors{Coverage: Coverage{Mode: p.query.Mode, Embedded: 1}}
	if v.Mode == Lexical {
		return v, nil
	}
	useful := false
	if e.model != nil {
		v.Embedded = facts.Embedded()
		useful = facts.Passages() > 0 && v.Embedded > 0 && (v.Mode == Vector || facts.Calibration.Usable())
	}
	most, least := noLimit, patientWait
	if v.Mode == Hybrid {
		most, least = time.Until(e.until), failureWait
	}
	if !useful {
		most = min(most, least)
	}
	err := e.wait(ctx, most)
	isLoading := e.model != nil && errors.Is(err, model.ErrLate) && ctx.Err() == nil
	// If the model was replaced, the next try of find uses the new model.
	isImpossible := err != nil && !errors.Is(err, model.ErrModelReplaced) &&
		apierror.AsError(err).Code == apierror.EmbeddingServiceError
	switch {
	case useful && err == nil:
		if e.result.Digest != e.model.Digest {
			return v, model.ErrModelReplaced
		}
		v.byModel = new(pgvector.NewHalfVector(e.result.Vector))
	case err == nil, !useful && isLoading: // the index has no vectors to compare with
	case isImpossible:
		if v.Mode == Vector {
			return v, apierror.Wordf("%w; without %s names and words are found in the meantime", err,
				apierror.Argument{Parameter: "mode", Value: string(Vector)})
		}
		v.Fallback = err
		if useful || e.model == nil {
			v.Embedded = 1
		}
	default:
		return v, err
	}
	v.BuiltIn = p.meaning != nil && facts.Passages() > 0 && (v.byModel == nil || v.Embedded < 1)
	if v.BuiltIn {
		v.builtIn = p.meaning
	}
	return v, nil
}

// wait waits for the embedding, no longer than most, and returns the error of the embedding. If the embedding is late,
// wait sets late and returns [model.ErrLate]. If ctx is cancelled, it returns the cause.
func (e *embedding) wait(ctx context.Context, most time.Duration) error {
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
