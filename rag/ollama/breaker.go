package ollama

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"
)

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
