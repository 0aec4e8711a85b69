package ollama

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/ollama/ollama/api"
)

// PullStatus is the progress of a pull.
type PullStatus struct {
	// Status is Ollama's description of the current step.
	Status string
	// Completed and Total are bytes, summed over the parts of the model that are
	// known so far. Total is 0 before the first.
	Completed, Total int64
}

func (s PullStatus) String() string {
	if s.Total <= 0 {
		return s.Status
	}
	return fmt.Sprintf("%s, %.0f %%", s.Status, math.Floor(100*float64(s.Completed)/float64(s.Total)))
}

// puller pulls missing models, each at most once at a time.
type puller struct {
	wait, again time.Duration
	limit       time.Duration // for a whole pull
	patience    time.Duration // for an answer to a liveness probe
	logger      *slog.Logger

	mu      sync.Mutex
	closed  bool
	pulls   map[string]*pull // the latest of each model
	running sync.WaitGroup
}

// pull is one pull of a model by a host.
type pull struct {
	model  string
	host   *host
	cancel context.CancelFunc
	done   chan struct{} // closed when err and ended are set

	mu     sync.Mutex
	status PullStatus

	err   error
	ended time.Time
}

func newPuller(cfg Config) *puller {
	return &puller{
		wait: cfg.PullWait, again: cfg.PullRetry, limit: cfg.PullLimit, patience: cfg.ProbeTimeout,
		logger: cfg.Logger, pulls: map[string]*pull{},
	}
}

var errClosed = errors.New("the client is closed")

// await starts or joins a pull of the model and waits for its end, at most for
// p.wait. asked is when the request was made that found the model missing. A nil
// error means that the model is now there; else it is a *ModelMissingError or the
// context's.
func (p *puller) await(ctx context.Context, h *host, model string, asked time.Time) error {
	pull := p.join(ctx, h, model, asked)
	if pull == nil {
		return &ModelMissingError{Model: model, Host: h.name, Err: errClosed}
	}
	timer := time.NewTimer(p.wait)
	defer timer.Stop()
	select {
	case <-pull.done:
		if pull.err == nil {
			return nil
		}
	case <-timer.C:
	case <-ctx.Done():
		return fmt.Errorf("wait for model %s: %w", model, ctx.Err())
	}
	return pull.missing()
}

// join returns the current pull of the model if it satisfies the request, else it
// starts one. It returns nil if the puller is closed.
func (p *puller) join(ctx context.Context, h *host, model string, asked time.Time) *pull {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	if current := p.pulls[model]; current != nil && current.satisfies(asked, p.again) {
		return current
	}
	// The pull outlives the call that started it; close cancels it.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	started := &pull{
		model: model, host: h, cancel: cancel, done: make(chan struct{}),
		status: PullStatus{Status: "starting"},
	}
	p.pulls[model] = started
	p.running.Go(func() { p.run(ctx, started) })
	return started
}

// run pulls the model and records the result.
func (p *puller) run(ctx context.Context, current *pull) {
	defer current.cancel()
	p.logger.InfoContext(ctx, "pull model", "model", current.model, "host", current.host.name)
	err := p.pull(ctx, current)
	if err != nil {
		p.logger.WarnContext(ctx, "pull model", "model", current.model, "host", current.host.name, "error", err)
	} else {
		p.logger.InfoContext(ctx, "model pulled", "model", current.model, "host", current.host.name)
	}
	current.err, current.ended = err, time.Now()
	close(current.done)
}

// maxParts is the largest number of parts that are counted; a model has about ten.
const maxParts = 1000

func (p *puller) pull(ctx context.Context, current *pull) error {
	type part struct{ completed, total int64 }
	parts := map[string]part{}
	last := ""
	progress := func(resp api.ProgressResponse) {
		last = resp.Status
		if _, known := parts[resp.Digest]; resp.Digest != "" && (known || len(parts) < maxParts) {
			parts[resp.Digest] = part{resp.Completed, resp.Total}
		}
		status := PullStatus{Status: shorten(resp.Status)}
		for _, part := range parts {
			status.Completed += part.completed
			status.Total += part.total
		}
		current.setStatus(status)
	}
	client := current.host.api
	err := withDeadline(ctx, &timeoutError{after: p.limit, unfinished: true}, func(ctx context.Context) error {
		return withLivenessProbe(ctx, client, p.patience, func(ctx context.Context) error {
			return withBounds(ctx, pullBounds(), func(ctx context.Context) error {
				err := client.Pull(ctx, &api.PullRequest{Model: current.model}, func(resp api.ProgressResponse) error {
					progress(resp)
					return nil
				})
				if err == nil && last != "success" {
					err = io.ErrUnexpectedEOF // Ollama's client treats a broken connection as the end
				}
				return err
			})
		})
	})
	if err != nil {
		return classify(ctx, err).err
	}
	return nil
}

// close cancels running pulls and waits for them.
func (p *puller) close() {
	p.mu.Lock()
	p.closed = true
	for _, current := range p.pulls {
		current.cancel()
	}
	p.mu.Unlock()
	p.running.Wait()
}

// satisfies reports whether a model that was found missing at asked needs no new
// pull: this one is running, has ended since, or failed less than again ago.
func (p *pull) satisfies(asked time.Time, again time.Duration) bool {
	select {
	case <-p.done:
		return p.ended.After(asked) || (p.err != nil && time.Since(p.ended) < again)
	default:
		return true
	}
}

func (p *pull) setStatus(status PullStatus) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status = status
}

// missing returns the error for a caller that needs the model.
func (p *pull) missing() *ModelMissingError {
	p.mu.Lock()
	e := &ModelMissingError{Model: p.model, Host: p.host.name, Pull: p.status}
	p.mu.Unlock()
	select {
	case <-p.done:
		e.Err = p.err
	default:
	}
	return e
}
