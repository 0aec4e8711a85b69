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

// jitter is by how much a delay may be shorter or longer.
const jitter = 0.2

// preference says which host is asked first.
type preference int

const (
	inOrder   preference = iota // the first that is configured
	leastBusy                   // the one with the fewest calls under way
)

// request asks one host. Its error is nil or a *failure.
type request func(ctx context.Context, h *host) error

// withModel makes a request that needs a model, with all that belongs to it:
// other hosts, retries, and the model pulled if no host that answers has it.
// The error is fit for callers of the package.
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
	return c.public(f)
}

// retry makes passes over the hosts until one succeeds, waiting longer between
// them each time.
func (c *Client) retry(ctx context.Context, first preference, req request) *failure {
	delays := &backoff.ExponentialBackOff{
		InitialInterval:     c.cfg.RetryDelay,
		RandomizationFactor: jitter,
		Multiplier:          2,
		MaxInterval:         c.retryAfter(),
	}
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		f, again := c.pass(ctx, first, req)
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
		}))
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	return &failure{kind: callerGone, err: ctx.Err()}
}

// retryAfter is the delay that would come after the last try: what callers are
// told to wait.
func (c *Client) retryAfter() time.Duration {
	return c.cfg.RetryDelay << (c.cfg.Tries - 1)
}

// pass asks the hosts one after the other until one succeeds. It returns the
// failure that says most, and whether another pass could end better.
func (c *Client) pass(ctx context.Context, first preference, req request) (*failure, bool) {
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
		return cmp.Compare(tellingFirst(a.kind), tellingFirst(b.kind))
	}), again
}

// tellingFirst orders the failures of several hosts: what can be mended comes
// before what has to be waited for.
func tellingFirst(k kind) int {
	return slices.Index([]kind{modelMissing, transient, refused, circuitOpen}, k)
}

// reserve picks a host that was not tried yet, and counts it as busy until
// it is released.
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

// public makes an error for callers of the package of a failure.
func (c *Client) public(f *failure) error {
	switch f.kind {
	case callerGone, badInput, wrongModel:
		return f.err
	case transient, refused, circuitOpen, brokeOff, modelMissing:
		return f.unavailable(c.retryAfter())
	default:
		return fmt.Errorf("unknown kind of failure %d: %w", f.kind, f.err)
	}
}
