package ollama

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/compound-docs/compound-docs/rag/model"
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
	mu      sync.Mutex
	closed  bool
	latest  map[string]*pull // of each model
	running sync.WaitGroup
}

// pull is one pull of a model.
type pull struct {
	model  string
	cancel context.CancelFunc
	done   chan struct{} // closed when err and ended are set
	status atomic.Pointer[PullStatus]

	err   error
	ended time.Time
}

var errClosed = errors.New("the client is closed")

// awaitPull starts or joins a pull of a model that is missing, reports its progress now and
// then, and waits for its end, at most for limit. A nil error means that the model is now
// there; else it is a *model.ModelMissingError or the context's.
func (c *Client) awaitPull(ctx context.Context, name string, limit time.Duration, progress func(PullStatus)) error {
	pull := c.joinPull(ctx, name)
	if pull == nil {
		return &model.ModelMissingError{Model: name, Host: c.host, Err: errClosed}
	}
	const often = 200 * time.Millisecond
	report, end := time.NewTicker(often), time.NewTimer(limit)
	defer report.Stop()
	defer end.Stop()
	for {
		select {
		case <-pull.done:
			progress(*pull.status.Load())
			if pull.err == nil {
				return nil
			}
			return c.missing(pull)
		case <-report.C:
			progress(*pull.status.Load())
		case <-end.C:
			return c.missing(pull)
		case <-ctx.Done():
			return fmt.Errorf("wait for model %s: %w", name, ctx.Err())
		}
	}
}

// missing returns the error for a caller that needs the model of a pull.
func (c *Client) missing(pull *pull) *model.ModelMissingError {
	e := &model.ModelMissingError{Model: pull.model, Host: c.host, Pull: pull.status.Load().String()}
	select {
	case <-pull.done:
		e.Err = pull.err
	default:
	}
	return e
}

// joinPull returns the pull of the model that is running or has ended moments ago, else it
// starts one. It returns nil if the client is closed.
func (c *Client) joinPull(ctx context.Context, model string) *pull {
	c.pulls.mu.Lock()
	defer c.pulls.mu.Unlock()
	if c.pulls.closed {
		return nil
	}
	if current := c.pulls.latest[model]; current != nil {
		select {
		case <-current.done:
			if time.Since(current.ended) < c.cfg.PullRetry {
				return current
			}
		default:
			return current
		}
	}
	// The pull outlives the call that started it; Close cancels it.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	started := &pull{model: model, cancel: cancel, done: make(chan struct{})}
	started.status.Store(&PullStatus{Status: "starting"})
	c.pulls.latest[model] = started
	c.pulls.running.Go(func() {
		defer cancel()
		logger := c.cfg.Logger.With("model", model, "host", c.host)
		logger.InfoContext(ctx, "pull model")
		if started.err = c.pull(ctx, started); started.err != nil {
			logger.WarnContext(ctx, "pull model", "error", started.err)
		} else {
			logger.InfoContext(ctx, "model pulled")
		}
		started.ended = time.Now()
		close(started.done)
	})
	return started
}

func (c *Client) pull(ctx context.Context, current *pull) error {
	err := c.whileAlive(ctx, &timeoutError{after: c.cfg.PullLimit, unfinished: true}, func(ctx context.Context) error {
		last := ""
		err := c.api.Pull(withLimit(ctx, maxStream), &api.PullRequest{Model: current.model}, func(resp api.ProgressResponse) error {
			last = resp.Status
			current.status.Store(&PullStatus{Status: shorten(resp.Status), Completed: resp.Completed, Total: resp.Total})
			return nil
		})
		if err == nil && last != "success" {
			err = io.ErrUnexpectedEOF // Ollama's client treats a broken connection as the end
		}
		return err
	})
	if err != nil {
		return classify(ctx, err).err
	}
	return nil
}

// close cancels running pulls and waits for them.
func (p *pulls) close() {
	p.mu.Lock()
	p.closed = true
	for _, current := range p.latest {
		current.cancel()
	}
	p.mu.Unlock()
	p.running.Wait()
}
