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

// puller pulls missing models, each at most once at a time.
type puller struct {
	api  *api.Client
	host string
	cfg  Config

	mu      sync.Mutex
	closed  bool
	pulls   map[string]*pull // the latest of each model
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

// await starts or joins a pull of the model and waits for its end, at most for
// [Config.PullWait], and not at all in a context of [FailFast]. asked is when the request was made that found
// the model missing. A nil error means that the model is now there; else it is a
// *ModelMissingError or the context's.
func (p *puller) await(ctx context.Context, model string, asked time.Time) error {
	wait := p.cfg.PullWait
	if failsFast(ctx) {
		wait = 0
	}
	return p.follow(ctx, model, asked, wait, func(PullStatus) {})
}

// follow is await with another limit, and reports the progress now and then.
func (p *puller) follow(
	ctx context.Context, model string, asked time.Time, limit time.Duration, progress func(PullStatus),
) error {
	pull := p.join(ctx, model, asked)
	if pull == nil {
		return &ModelMissingError{Model: model, Host: p.host, Err: errClosed}
	}
	const often = 200 * time.Millisecond
	report, end := time.NewTicker(often), time.NewTimer(limit)
	defer report.Stop()
	defer end.Stop()
	for {
		select {
		case <-pull.done:
			progress(*pull.status.Load())
			if pull.err != nil {
				return p.missing(pull)
			}
			return nil
		case <-report.C:
			progress(*pull.status.Load())
		case <-end.C:
			return p.missing(pull)
		case <-ctx.Done():
			return fmt.Errorf("wait for model %s: %w", model, ctx.Err())
		}
	}
}

// join returns the current pull of the model if it satisfies the request, else it
// starts one. It returns nil if the puller is closed.
func (p *puller) join(ctx context.Context, model string, asked time.Time) *pull {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	if current := p.pulls[model]; current != nil && current.satisfies(asked, p.cfg.PullRetry) {
		return current
	}
	// The pull outlives the call that started it; close cancels it.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	started := &pull{model: model, cancel: cancel, done: make(chan struct{})}
	started.status.Store(&PullStatus{Status: "starting"})
	p.pulls[model] = started
	p.running.Go(func() { p.run(ctx, started) })
	return started
}

// run pulls the model and records the result.
func (p *puller) run(ctx context.Context, current *pull) {
	defer current.cancel()
	p.cfg.Logger.InfoContext(ctx, "pull model", "model", current.model, "host", p.host)
	err := p.pull(ctx, current)
	if err != nil {
		p.cfg.Logger.WarnContext(ctx, "pull model", "model", current.model, "host", p.host, "error", err)
	} else {
		p.cfg.Logger.InfoContext(ctx, "model pulled", "model", current.model, "host", p.host)
	}
	current.err, current.ended = err, time.Now()
	close(current.done)
}

func (p *puller) pull(ctx context.Context, current *pull) error {
	last := ""
	err := withDeadline(ctx, &timeoutError{after: p.cfg.PullLimit, unfinished: true}, func(ctx context.Context) error {
		return withLivenessProbe(ctx, p.api, p.cfg.ProbeTimeout, func(ctx context.Context) error {
			return withBounds(ctx, pullBounds(), func(ctx context.Context) error {
				err := p.api.Pull(ctx, &api.PullRequest{Model: current.model}, func(resp api.ProgressResponse) error {
					last = resp.Status
					current.status.Store(&PullStatus{Status: shorten(resp.Status), Completed: resp.Completed, Total: resp.Total})
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

// missing returns the error for a caller that needs the model of a pull.
func (p *puller) missing(pull *pull) *ModelMissingError {
	e := &ModelMissingError{Model: pull.model, Host: p.host, Pull: *pull.status.Load()}
	select {
	case <-pull.done:
		e.Err = pull.err
	default:
	}
	return e
}
