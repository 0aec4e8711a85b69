package ollama

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/sony/gobreaker/v2"
)

// windowBuckets is the number of steps in which the breaker's window moves.
const windowBuckets = 10

// host is one Ollama server behind a circuit breaker.
type host struct {
	name    string // URL without user name and password
	api     *api.Client
	breaker *gobreaker.CircuitBreaker[struct{}]
	openFor time.Duration

	openedAt atomic.Pointer[time.Time]
	lastErr  atomic.Pointer[failure]

	// passages holds an element while a request for passages runs.
	passages chan struct{}

	busy int   // running and waiting requests; guarded by Client.mu
	seen build // last known build of the embedding model; guarded by Client.mu
}

func newHost(base *url.URL, client *http.Client, cfg BreakerConfig, logger *slog.Logger) *host {
	named := *base
	named.User = nil
	h := &host{
		name: named.String(), api: api.NewClient(base, client), openFor: cfg.OpenFor,
		passages: make(chan struct{}, 1),
	}
	h.breaker = gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Name:         h.name,
		MaxRequests:  1,
		Interval:     cfg.Window,
		BucketPeriod: cfg.Window / windowBuckets,
		Timeout:      cfg.OpenFor,
		ReadyToTrip: func(counts gobreaker.Counts) bool {
			calls := counts.TotalSuccesses + counts.TotalFailures
			return int(calls) >= cfg.MinCalls &&
				float64(counts.TotalFailures) >= cfg.FailureRatio*float64(calls)
		},
		OnStateChange: func(_ string, from, to gobreaker.State) {
			if to == gobreaker.StateOpen {
				now := time.Now()
				h.openedAt.Store(&now)
			}
			logger.Warn("ollama circuit breaker", "host", h.name, "from", from.String(), "to", to.String())
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
	return h
}

// call makes one request unless the breaker is open. The error is nil or a
// *failure.
func (h *host) call(ctx context.Context, request func(ctx context.Context, client *api.Client) error) error {
	run := func() (struct{}, error) {
		err := request(ctx, h.api)
		if err == nil {
			return struct{}{}, nil
		}
		f := classify(ctx, err)
		f.host = h
		if !f.countsAsSuccess() && !f.ignored() {
			h.lastErr.Store(f)
		}
		return struct{}{}, f
	}
	var err error
	if h.breaker.State() == gobreaker.StateClosed {
		// The call is counted when it ends: the breaker forgets calls that
		// started before its window, so it would never open for a host that
		// hangs for minutes.
		_, err = run()
		_, _ = h.breaker.Execute(func() (struct{}, error) { return struct{}{}, err })
		return err
	}
	_, err = h.breaker.Execute(run)
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return &failure{kind: circuitOpen, host: h, err: h.lastFailure()}
	}
	return err
}

// lastFailure returns the error that opened the breaker.
func (h *host) lastFailure() error {
	if f := h.lastErr.Load(); f != nil {
		return f.err
	}
	return gobreaker.ErrOpenState
}

// openTimeLeft returns how long the breaker stays open.
func (h *host) openTimeLeft() time.Duration {
	openedAt := h.openedAt.Load()
	if openedAt == nil {
		return 0
	}
	return max(0, h.openFor-time.Since(*openedAt))
}

// unavailable returns the failure as an error for callers of the package.
// closedRetry is the RetryAfter to use while the breaker is closed.
func (f *failure) unavailable(closedRetry time.Duration) *UnavailableError {
	state := f.host.breaker.State()
	e := &UnavailableError{Host: f.host.name, CircuitState: state.String(), Err: f.err}
	switch {
	case state != gobreaker.StateClosed:
		// While half-open, the deciding call is running: a second is enough.
		e.RetryAfter = max(f.host.openTimeLeft(), time.Second)
	case f.kind == transient || f.kind == interrupted || f.kind == circuitOpen:
		e.RetryAfter = closedRetry
	}
	return e
}
