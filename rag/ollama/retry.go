package ollama

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// jitter is the fraction by which a delay is randomly shortened or lengthened.
const jitter = 0.2

// preference is the order in which hosts are tried.
type preference int

const (
	inOrder   preference = iota // in the configured order
	leastBusy                   // the one with the fewest running requests first
)

// request makes a request to one host. Its error is nil or a *failure.
type request func(ctx context.Context, h *host) error

// withModel makes a request that needs a model. It tries the hosts, retries, and
// pulls the model if no reachable host has it. The error is one that the package
// documents.
func (c *Client) withModel(ctx context.Context, model string, first preference, req request) error {
	asked := time.Now()
	f := c.retry(ctx, first, req)
	if f != nil && f.kind == modelMissing {
		if err := c.pulls.await(ctx, f.host, model, asked); err != nil {
			return err
		}
		f = c.retry(ctx, first, req)
	}
	if f == nil {
		return nil
	}
	if f.kind == modelMissing {
		return &ModelMissingError{Model: model, Host: f.host.name, Err: f.err}
	}
	return c.publicError(f)
}

// retryKey is the key of the function that [OnRetry] puts into a context.
type retryKey struct{}

// OnRetry has f called with the reason when a request of the context has failed and is
// going to be made again: the error of the call itself may come seconds later. f must
// not block.
func OnRetry(ctx context.Context, f func(reason error)) context.Context {
	return context.WithValue(ctx, retryKey{}, f)
}

// retry calls tryHosts until it succeeds, with growing delays.
func (c *Client) retry(ctx context.Context, first preference, req request) *failure {
	delays := &backoff.ExponentialBackOff{
		InitialInterval:     c.cfg.RetryDelay,
		RandomizationFactor: jitter,
		Multiplier:          2,
		MaxInterval:         c.retryAfter(),
	}
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		f, again := c.tryHosts(ctx, first, req)
		switch {
		case f == nil:
			return struct{}{}, nil
		case !again:
			return struct{}{}, backoff.Permanent(f)
		default:
			return struct{}{}, f
		}
	},
		backoff.WithBackOff(delays),
		backoff.WithMaxTries(uint(c.cfg.Tries)),
		backoff.WithMaxElapsedTime(0),
		backoff.WithNotify(func(err error, delay time.Duration) {
			c.cfg.Logger.DebugContext(ctx, "retry ollama", "error", err, "delay", delay)
			f, failed := errors.AsType[*failure](err)
			if report, ok := ctx.Value(retryKey{}).(func(error)); ok && failed {
				report(c.publicError(f))
			}
		}))
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	return &failure{kind: callerCanceled, err: ctx.Err()}
}

// retryAfter is the delay that would follow the last try. It is the RetryAfter of
// an *UnavailableError.
func (c *Client) retryAfter() time.Duration {
	return c.cfg.RetryDelay << (c.cfg.Tries - 1)
}

// tryHosts makes the request to one host after the other until one succeeds. It
// returns nil, or the failure of the highest severity and whether a retry may help.
func (c *Client) tryHosts(ctx context.Context, first preference, req request) (*failure, bool) {
	var failures []*failure
	for tried := map[*host]bool{}; len(tried) < len(c.hosts); {
		h := c.reserve(first, tried)
		tried[h] = true
		err := req(ctx, h)
		c.release(h)
		if err == nil {
			return nil, false
		}
		f := classify(ctx, err)
		if f.stops() {
			return f, false
		}
		failures = append(failures, f)
	}
	again := slices.ContainsFunc(failures, func(f *failure) bool { return f.kind == transient })
	return slices.MinFunc(failures, func(a, b *failure) int {
		return cmp.Compare(severity(a.kind), severity(b.kind))
	}), again
}

// severity ranks failures, 0 first: those that the user can fix come before those
// that pass with time.
func severity(k kind) int {
	return slices.Index([]kind{modelMissing, transient, refused, circuitOpen}, k)
}

// reserve picks a host that was not tried yet. It counts as busy until released.
func (c *Client) reserve(first preference, tried map[*host]bool) *host {
	c.mu.Lock()
	defer c.mu.Unlock()
	var best *host
	for _, h := range c.hosts {
		if !tried[h] && (best == nil || (first == leastBusy && h.busy < best.busy)) {
			best = h
		}
	}
	best.busy++
	return best
}

func (c *Client) release(h *host) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h.busy--
}

// publicError returns the failure as an error that the package documents.
func (c *Client) publicError(f *failure) error {
	switch f.kind {
	case callerCanceled, badInput, wrongModel:
		return f.err
	case transient, refused, circuitOpen, interrupted, modelMissing:
		return f.unavailable(c.retryAfter())
	default:
		return fmt.Errorf("unknown kind of failure %d: %w", f.kind, f.err)
	}
}
