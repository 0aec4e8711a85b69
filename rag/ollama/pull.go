package ollama

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/modelhttp"
)

const (
	// pullLimit bounds a whole pull. The next pull resumes it.
	pullLimit = 2 * time.Hour
	// pullPause is the time after a pull before the next one of the model may start.
	pullPause = time.Minute
	maxPull   = 32 << 20 // bytes of progress
)

// PullStatus is the progress of a pull.
type PullStatus struct {
	Status           string // Ollama's description of the current step
	Completed, Total int64  // bytes of the present part; Total is 0 in a step that pulls none
}

// pulls are those of missing models in the background, each at most once at a time.
type pulls struct {
	running sync.WaitGroup
	life    context.Context //nolint:containedctx // of all pulls; Close ends it
	end     context.CancelFunc

	mu     sync.Mutex
	latest map[string]pull // of each model
}

// pull is a pull of a model. It runs while ended is zero.
type pull struct {
	ended time.Time
	err   error
}

var (
	errClosed    = errors.New("the client is closed")
	errGoneAgain = errors.New("it was pulled moments ago and is gone again")
)

// PullMissing pulls those of the models that the server lacks, one after the other, and calls
// progress with each step.
func (c *Client) PullMissing(ctx context.Context, models []string, progress func(model string, status PullStatus)) error {
	state := c.State(ctx, models...)
	for _, name := range state.Missing {
		err := c.server.pull(ctx, name, func(status PullStatus) { progress(name, status) })
		if err != nil {
			return &model.MissingError{Model: name, Host: state.Host, Err: err}
		}
	}
	return state.Err
}

// missing returns the error for a caller that needs a model that the server lacks. It
// starts a pull unless one is running or has ended moments ago. The pull outlives the call.
func (s *server) missing(name string) *model.MissingError {
	s.pulls.mu.Lock()
	defer s.pulls.mu.Unlock()
	latest, known := s.pulls.latest[name]
	missing := &model.MissingError{Model: name, Host: s.http.Host}
	switch {
	case s.pulls.life.Err() != nil:
		missing.Err = errClosed
	case !known, !latest.ended.IsZero() && time.Since(latest.ended) >= pullPause:
		s.pulls.latest[name] = pull{}
		s.pulls.running.Go(func() { s.pullInBackground(name) })
	case latest.err != nil:
		missing.Err = latest.err
	case !latest.ended.IsZero():
		missing.Err = errGoneAgain
	}
	return missing
}

func (s *server) pullInBackground(name string) {
	ctx, cancel := context.WithTimeout(s.pulls.life, pullLimit)
	defer cancel()
	logger := s.logger.With("model", name, "host", s.http.Host)
	logger.InfoContext(ctx, "pull model")
	err := s.pull(ctx, name, func(PullStatus) {})
	if err != nil {
		logger.WarnContext(ctx, "pull model", "error", err)
	} else {
		logger.InfoContext(ctx, "model pulled")
	}
	s.pulls.mu.Lock()
	defer s.pulls.mu.Unlock()
	s.pulls.latest[name] = pull{ended: time.Now(), err: err}
}

func (s *server) pull(ctx context.Context, name string, progress func(PullStatus)) error {
	err := s.stream(ctx, "/api/pull", map[string]any{"model": name}, maxPull, func(p part) (last bool) {
		progress(PullStatus{Status: modelhttp.Shorten(p.Status), Completed: p.Completed, Total: p.Total})
		return p.Status == "success"
	})
	if failure, ok := errors.AsType[*model.ServerError](err); ok {
		return failure.Err // the request that needs the model has not failed: it has no model
	}
	return err
}
