package ollama

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/compound-docs/compound-docs/rag/model"
)

const (
	// pullLimit bounds a whole pull. The next pull resumes it.
	pullLimit = 2 * time.Hour
	// pullPause is the time after a pull before the next one of the model may start.
	pullPause = time.Minute
)

// PullStatus is the progress of a pull.
type PullStatus struct {
	// Status is Ollama's description of the current step.
	Status string
	// Completed and Total are bytes of the part of the model that is being pulled. Total
	// is 0 in a step that pulls none.
	Completed, Total int64
}

func (s PullStatus) String() string {
	if s.Total <= 0 {
		return s.Status
	}
	return fmt.Sprintf("%s, %.0f %%", s.Status, math.Floor(100*float64(s.Completed)/float64(s.Total)))
}

// pulls are those of missing models, each at most once at a time.
type pulls struct {
	running sync.WaitGroup

	mu     sync.Mutex
	closed bool
	latest map[string]pull // of each model
}

// pull is the state of a pull.
type pull struct {
	status PullStatus
	cancel context.CancelFunc
	ended  time.Time // zero while it runs
	err    error
}

var (
	errClosed    = errors.New("the client is closed")
	errGoneAgain = errors.New("it was pulled moments ago and is gone again")
)

// PullMissing pulls the models that the server lacks, or those of only, one after the other, and
// calls progress now and then. Other calls start a pull and do not wait for it; this one
// waits until the model is there.
func (c *Client) PullMissing(ctx context.Context, progress func(model string, status PullStatus), only ...string) error {
	state := c.State(ctx)
	for _, name := range state.Missing {
		if len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		c.server.startPull(ctx, name)
		for pull := c.server.pull(name); ; pull = c.server.pull(name) {
			progress(name, pull.status)
			if pull.err != nil {
				return c.server.missing(name)
			}
			if !pull.ended.IsZero() {
				break
			}
			const often = 200 * time.Millisecond
			select {
			case <-time.After(often):
			case <-ctx.Done():
				return fmt.Errorf("wait for model %s: %w", name, ctx.Err())
			}
		}
	}
	return state.Err
}

// pull returns the state of the model's latest pull.
func (s *server) pull(name string) pull {
	s.pulls.mu.Lock()
	defer s.pulls.mu.Unlock()
	return s.pulls.latest[name]
}

// missing returns the error for a caller that needs a model that is pulled.
func (s *server) missing(name string) *model.ModelMissingError {
	latest := s.pull(name)
	if !latest.ended.IsZero() && latest.err == nil {
		latest.err = errGoneAgain
	}
	return &model.ModelMissingError{Model: name, Host: s.host, Pull: latest.status.String(), Err: latest.err}
}

// startPull starts a pull of the model unless one is running or has ended moments ago. The
// pull outlives the call; Close cancels it.
func (s *server) startPull(ctx context.Context, name string) {
	s.pulls.mu.Lock()
	defer s.pulls.mu.Unlock()
	latest, known := s.pulls.latest[name]
	if s.pulls.closed {
		s.pulls.latest[name] = pull{cancel: func() {}, ended: time.Now(), err: errClosed}
		return
	}
	if known && (latest.ended.IsZero() || time.Since(latest.ended) < pullPause) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pullLimit)
	started := pull{status: PullStatus{Status: "starting"}, cancel: cancel}
	s.pulls.latest[name] = started
	s.pulls.running.Go(func() {
		defer cancel()
		s.runPull(ctx, name, started)
	})
}

func (s *server) runPull(ctx context.Context, name string, state pull) {
	logger := s.logger.With("model", name, "host", s.host)
	logger.InfoContext(ctx, "pull model")
	note := func() {
		s.pulls.mu.Lock()
		defer s.pulls.mu.Unlock()
		s.pulls.latest[name] = state
	}
	state.err = s.stream(ctx, "/api/pull", map[string]any{"model": name}, maxPull, func(p part) (last bool) {
		state.status = PullStatus{Status: shorten(p.Status), Completed: p.Completed, Total: p.Total}
		note()
		return p.Status == "success"
	})
	if failure, ok := errors.AsType[*model.Failure](state.err); ok {
		state.err = failure.Err // the request that needs the model has not failed: it has no model
	}
	state.ended = time.Now()
	note()
	if state.err != nil {
		logger.WarnContext(ctx, "pull model", "error", state.err)
		return
	}
	logger.InfoContext(ctx, "model pulled")
}
