package ollama

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/compound-docs/compound-docs/rag/model"
)

// jitter is the fraction by which a delay is randomly shortened or lengthened.
const jitter = 0.2

// failureKnownFor is how long calls of [model.FailFast] take a failure for the server's state.
const failureKnownFor = 5 * time.Second

// knownFailure is a failure that says something about the server, and no success has followed.
type knownFailure struct { //nolint:errname // an observation, not an error of its own
	*failure

	at time.Time
}

// call makes one request, unless the breaker is open. The error is nil or a *failure.
func (c *Client) call(ctx context.Context, request func(ctx context.Context) error) error {
	c.mu.Lock()
	last := c.lastFailure
	c.mu.Unlock()
	if model.FailsFast(ctx) && last.holds() {
		return last.failure
	}
	refused, err := c.breaker.run(func() error {
		err := request(ctx)
		if err == nil {
			c.note(nil)
			return nil
		}
		f := classify(ctx, err)
		c.note(f)
		return f
	})
	if refused {
		f := &failure{kind: circuitOpen, err: err}
		if last != nil {
			f.err = last.err
		}
		return f
	}
	return err
}

// holds reports whether the server is likely to be still away: it did not answer moments
// ago. An answer that says that something went wrong is of one request only.
func (k *knownFailure) holds() bool {
	return k != nil && k.status == 0 && time.Since(k.at) <= failureKnownFor
}

// note keeps what a request says about the server; f is nil for a success.
func (c *Client) note(f *failure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case f == nil || f.countsAsSuccess():
		c.lastFailure = nil
	case !f.ignored():
		c.lastFailure = &knownFailure{failure: f, at: time.Now()}
	}
}

// withModel makes a request that needs a model: it retries, and pulls the model if it is
// missing. The request's error is nil or a *failure; that of withModel is one that the
// package documents.
func (c *Client) withModel(ctx context.Context, name string, request func(ctx context.Context) error) error {
	f := c.retry(ctx, request)
	if f != nil && f.kind == modelMissing {
		wait := c.cfg.PullWait
		if model.FailsFast(ctx) {
			wait = 0
		}
		if err := c.awaitPull(ctx, name, wait, func(PullStatus) {}); err != nil {
			return err
		}
		f = c.retry(ctx, request)
	}
	switch {
	case f == nil:
		return nil
	case f.kind == modelMissing:
		return &model.ModelMissingError{Model: name, Host: c.host, Err: f.err}
	default:
		return c.publicError(f)
	}
}

// retry makes a request until it succeeds or fails for good, with growing delays.
func (c *Client) retry(ctx context.Context, request func(ctx context.Context) error) *failure {
	tries := c.cfg.Tries
	if model.FailsFast(ctx) {
		tries = 1
	}
	for try := 0; ; try++ {
		err := request(ctx)
		if err == nil {
			return nil
		}
		f := classify(ctx, err)
		if f.kind != transient || try+1 == tries {
			return f
		}
		spread := 1 - jitter + 2*jitter*rand.Float64() //nolint:gosec // nobody gains by knowing it
		delay := time.Duration(float64(c.cfg.RetryDelay<<try) * spread)
		c.cfg.Logger.DebugContext(ctx, "retry ollama", "error", f, "delay", delay)
		model.ReportRetry(ctx, c.publicError(f))
		select {
		case <-ctx.Done():
			return &failure{kind: callerCanceled, err: ctx.Err()}
		case <-time.After(delay):
		}
	}
}

// retryAfter is the delay that would follow the last try. It is the RetryAfter of
// an *model.UnavailableError.
func (c *Client) retryAfter() time.Duration {
	return c.cfg.RetryDelay << (c.cfg.Tries - 1)
}

// publicError returns the failure as an error that the package documents.
func (c *Client) publicError(f *failure) error {
	switch f.kind {
	case callerCanceled, badInput, wrongModel:
		return f.err
	case transient, refused, circuitOpen, interrupted, modelMissing:
	}
	e := &model.UnavailableError{
		Server: "ollama at " + c.host, CircuitState: c.breaker.State().String(), RetryAfter: c.breaker.retryAfter(), Err: f.err,
	}
	if e.RetryAfter == 0 && f.kind != refused && f.kind != modelMissing {
		e.RetryAfter = c.retryAfter()
	}
	return e
}

// The breaker counts the calls of a window, which moves in steps, and opens when that share of
// them has failed.
const (
	breakerWindow = 30 * time.Second
	breakerStep   = 3 * time.Second
	breakerRatio  = 0.5
)

// breaker stops calls to a server that keeps failing.
type breaker struct {
	*gobreaker.CircuitBreaker[struct{}]

	openFor  time.Duration
	openedAt atomic.Pointer[time.Time]
}

func newBreaker(host string, cfg Config) *breaker {
	b := &breaker{openFor: cfg.BreakerOpen}
	b.CircuitBreaker = gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Name:         host,
		MaxRequests:  1,
		Interval:     breakerWindow,
		BucketPeriod: breakerStep,
		Timeout:      cfg.BreakerOpen,
		ReadyToTrip: func(counts gobreaker.Counts) bool {
			calls := counts.TotalSuccesses + counts.TotalFailures
			return int(calls) >= cfg.BreakerCalls && float64(counts.TotalFailures) >= breakerRatio*float64(calls)
		},
		OnStateChange: func(_ string, from, to gobreaker.State) {
			if to == gobreaker.StateOpen {
				now := time.Now()
				b.openedAt.Store(&now)
			}
			cfg.Logger.Warn("ollama circuit breaker", "host", host, "from", from.String(), "to", to.String())
		},
		IsSuccessful: func(err error) bool {
			f, ok := errors.AsType[*failure](err)
			return err == nil || (ok && f.countsAsSuccess())
		},
		IsExcluded: func(err error) bool {
			f, ok := errors.AsType[*failure](err)
			return ok && f.ignored()
		},
	})
	return b
}

// run makes a call unless the breaker is open. The call's error is nil or a *failure;
// refused is set if it was not made.
func (b *breaker) run(call func() error) (refused bool, err error) {
	if b.State() == gobreaker.StateClosed {
		// The call is counted when it ends: the breaker forgets calls that
		// started before its window, so it would never open for a server that
		// hangs for minutes.
		err = call()
		_, _ = b.Execute(func() (struct{}, error) { return struct{}{}, err })
		return false, err
	}
	_, err = b.Execute(func() (struct{}, error) { return struct{}{}, call() })
	refused = errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests)
	return refused, err
}

// retryAfter returns how long the breaker stays open: a second at least, for the call
// that decides whether it closes. It is 0 while the breaker is closed.
func (b *breaker) retryAfter() time.Duration {
	openedAt := b.openedAt.Load()
	if openedAt == nil || b.State() == gobreaker.StateClosed {
		return 0
	}
	return max(b.openFor-time.Since(*openedAt), time.Second)
}
