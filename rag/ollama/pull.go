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

// PullStatus is how far a pull is.
type PullStatus struct {
	// Status is Ollama's word for what it is doing.
	Status string
	// Completed and Total are bytes, over the model's parts that are known so
	// far; Total is 0 before the first.
	Completed, Total int64
}

func (s PullStatus) String() string {
	if s.Total <= 0 {
		return s.Status
	}
	return fmt.Sprintf("%s, %.0f %%", s.Status, math.Floor(100*float64(s.Completed)/float64(s.Total)))
}

// puller pulls missing models, each once at a time.
type puller struct {
	wait, again time.Duration
	limit       time.Duration // of a pull
	patience    time.Duration // with a host that falls silent
	logger      *slog.Logger

	mu      sync.Mutex
	closed  bool
	pulls   map[string]*pull // the latest of each model
	running sync.WaitGroup
}

// pull is one model on its way to one host.
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

// await has the model pulled by the host, or joins a pull of it that is under
// way, and waits a while for its end. The model was found missing by a request
// made at the time asked. nil means that it is there now; the error is a
// *ModelMissingError or the context's.
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

// join returns the pull of the model: the one under way, one that ended since
// the model was found missing, one that failed not long ago, or a new one. nil
// when the puller is closed.
func (p *puller) join(ctx context.Context, h *host, model string, asked time.Time) *pull {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	if current := p.pulls[model]; current != nil && current.answers(asked, p.again) {
		return current
	}
	// The pull outlives the call that found the model missing; close ends it.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	started := &pull{
		model: model, host: h, cancel: cancel, done: make(chan struct{}),
		status: PullStatus{Status: "starting"},
	}
	p.pulls[model] = started
	p.running.Go(func() { p.run(ctx, started) })
	return started
}

// run pulls to the end.
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

// maxParts is how many parts of a model are counted; models have some ten.
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
		return whileAnswering(ctx, client, p.patience, func(ctx context.Context) error {
			return within(ctx, pullBounds(), func(ctx context.Context) error {
				err := client.Pull(ctx, &api.PullRequest{Model: current.model}, func(resp api.ProgressResponse) error {
					progress(resp)
					return nil
				})
				if err == nil && last != "success" {
					err = io.ErrUnexpectedEOF // the client takes a connection that breaks for the end
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

// close cancels what is being pulled and waits for it.
func (p *puller) close() {
	p.mu.Lock()
	p.closed = true
	for _, current := range p.pulls {
		current.cancel()
	}
	p.mu.Unlock()
	p.running.Wait()
}

// answers says that a model found missing at the time asked needs no other
// pull, or may have none so soon after this one failed.
func (p *pull) answers(asked time.Time, again time.Duration) bool {
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

// missing describes the pull, under way or failed, to who needs the model.
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
