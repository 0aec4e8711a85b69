package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/sony/gobreaker/v2"
)

// retry makes a request until it succeeds or fails for good, at most [tries] times, and never while the circuit is
// open. It gives up if the server asks for a pause that is longer than maxPause, or ends after the context's deadline.
// It wraps a [*ServerError] in an [*UnavailableError]. After the deadline, the UnavailableError wraps [ErrLate], or the
// last failure if the deadline passed in a pause.
func retry[T any](
	ctx context.Context, c *Client, circuit *circuit, maxPause time.Duration, request func(context.Context) (T, error),
) (T, error) {
	type answer struct {
		result T
		err    error
	}
	delays := backoff.NewExponentialBackOff()
	delays.InitialInterval, delays.Multiplier, delays.RandomizationFactor = c.cfg.RetryDelay, 2, 0.2
	if deadline, ok := ctx.Deadline(); ok {
		maxPause = min(maxPause, time.Until(deadline))
	}
	last, _ := backoff.Retry(ctx, func() (answer, error) {
		done, refusal := circuit.allow(failsFast(ctx))
		if refusal != nil {
			return answer{err: refusal}, backoff.Permanent(refusal)
		}
		result, err := request(ctx)
		if ctx.Err() != nil {
			done(context.Canceled)
			err = &ServerError{Err: ErrLate}
			return answer{result, err}, backoff.Permanent(err)
		}
		done(err)
		failure, failed := errors.AsType[*ServerError](err)
		isFinal := !failed || !failure.Transient || failure.Unreached || failure.RetryAfter > max(0, maxPause) || failsFast(ctx)
		switch {
		case isFinal:
			return answer{result, err}, backoff.Permanent(err)
		case failure.RetryAfter > 0:
			return answer{result, err}, errors.Join(err, &backoff.RetryAfterError{Duration: failure.RetryAfter})
		default:
			return answer{result, err}, err
		}
	}, backoff.WithBackOff(delays), backoff.WithMaxTries(tries), backoff.WithMaxElapsedTime(0),
		backoff.WithNotify(func(err error, delay time.Duration) {
			c.cfg.Logger.DebugContext(ctx, "retry", "server", c.name, "error", err, "delay", delay)
		}))
	var none T
	failure, failed := errors.AsType[*ServerError](last.err)
	if !failed {
		return last.result, last.err
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return none, ctx.Err() //nolint:wrapcheck // the caller's own
	}
	return none, c.unavailable(circuit, failure)
}

// tries is how often a request with transient errors is made.
const tries = 3

// longestPause is the longest pause before a next try that a server may ask for. Providers limit requests by the
// minute.
const longestPause = time.Minute

func (c *Client) unavailable(circuit *circuit, failure *ServerError) *UnavailableError {
	e := &UnavailableError{
		Server: c.name, CircuitState: circuit.breaker.State().String(), RetryAfter: circuit.retryAfter(), Err: failure,
	}
	e.RetryAfter = max(e.RetryAfter, failure.RetryAfter)
	if e.RetryAfter == 0 && failure.Transient {
		e.RetryAfter = c.cfg.RetryDelay << (tries - 1) // the delay that would follow the last try
	}
	return e
}

// noAnswer returns the failure of a request that took too long.
func noAnswer(after time.Duration) *ServerError {
	return &ServerError{Err: fmt.Errorf("no answer within %s", after)}
}

// causeOf returns the [*ServerError] that has cancelled ctx. Without such an error, or if err is nil, it returns err.
func causeOf(ctx context.Context, err error) error {
	if failure, ok := errors.AsType[*ServerError](context.Cause(ctx)); ok && err != nil {
		return failure
	}
	return err
}

const (
	// The breaker opens when half of at least 5 calls in 30 seconds have failed.
	breakerWindow = 30 * time.Second
	breakerStep   = 3 * time.Second
	breakerCalls  = 5
	// breakerOpen is how long no request is made after the breaker has opened.
	breakerOpen = 30 * time.Second
	// awayFor is how long a caller with [FailFast] sends no request to a server that gave no answer.
	awayFor = 5 * time.Second
)

// circuit stops requests to a server that fails again and again.
type circuit struct {
	breaker *gobreaker.TwoStepCircuitBreaker[struct{}]

	mu     sync.Mutex
	last   *ServerError // of the last call, nil if it succeeded
	lastAt time.Time
}

func newCircuit(logger *slog.Logger) *circuit {
	return &circuit{
		breaker: gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
			MaxRequests: 1, Interval: breakerWindow, BucketPeriod: breakerStep, Timeout: breakerOpen,
			ReadyToTrip: func(counts gobreaker.Counts) bool {
				calls := counts.TotalSuccesses + counts.TotalFailures
				return calls >= breakerCalls && 2*counts.TotalFailures >= calls
			},
			IsExcluded:   func(err error) bool { return errors.Is(err, context.Canceled) },
			IsSuccessful: func(err error) bool { return failureOf(err) == nil },
			OnStateChange: func(_ string, from, to gobreaker.State) {
				logger.Info("circuit breaker", "from", from.String(), "to", to.String())
			},
		}),
	}
}

// failureOf returns the server's failure in an error, nil for another error or if the server only refuses this request.
func failureOf(err error) *ServerError {
	failure, failed := errors.AsType[*ServerError](err)
	if !failed || failure.Status >= 400 && failure.Status < 500 {
		return nil
	}
	return failure
}

// allow returns a function. After the request, the caller calls it with the request's error, or [context.Canceled] if
// the request says nothing about the server. If no request may be made, allow returns the last failure.
func (c *circuit) allow(failFast bool) (done func(error), refusal *ServerError) {
	c.mu.Lock()
	last, age := c.last, time.Since(c.lastAt)
	c.mu.Unlock()
	if failFast && last != nil && last.Status == 0 && age <= awayFor {
		return nil, last
	}
	count, err := c.breaker.Allow()
	if err != nil {
		return nil, cmp.Or(last, &ServerError{Err: err})
	}
	return func(err error) {
		if !errors.Is(err, context.Canceled) {
			c.mu.Lock()
			c.last, c.lastAt = failureOf(err), time.Now()
			c.mu.Unlock()
		}
		count(err)
	}, nil
}

// retryAfter returns how long the breaker stays open, at least a second, and 0 while it is closed.
func (c *circuit) retryAfter() time.Duration {
	if c.breaker.State() == gobreaker.StateClosed {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return max(breakerOpen-time.Since(c.lastAt), time.Second) // the breaker opened at the last failure
}
