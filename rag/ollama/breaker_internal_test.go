package ollama

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"github.com/compound-docs/compound-docs/rag/model"
)

// newTestClient has the default waits, for tests in a bubble of fake time.
// Nothing listens at the host: requests are functions.
func newTestClient(t *testing.T) *Client {
	t.Helper()
	client, err := New(Config{Host: "localhost"})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// answer makes a request that ends so.
func answer(err error) func(context.Context) error {
	return func(context.Context) error { return err }
}

func state(c *Client) string { return c.breaker.State().String() }

func TestBreaker(t *testing.T) {
	t.Parallel()
	broken := api.StatusError{StatusCode: http.StatusInternalServerError}
	tests := []struct {
		name  string
		calls []error
		want  string
	}{
		{"four failures are too few", []error{broken, broken, broken, broken}, "closed"},
		{"five failures", []error{broken, broken, broken, broken, broken}, "open"},
		{"half of six", []error{nil, nil, nil, broken, broken, broken}, "open"},
		{"less than half", []error{nil, nil, nil, nil, broken, broken, broken}, "closed"},
		{
			"bad requests are no failures",
			[]error{
				api.StatusError{StatusCode: 400},
				api.StatusError{StatusCode: 404},
				api.AuthorizationError{},
				api.StatusError{StatusCode: 400},
				api.StatusError{StatusCode: 404},
				api.AuthorizationError{},
			},
			"closed",
		},
		{
			"ignored answers do not count",
			[]error{
				broken, broken, broken, broken,
				api.StatusError{StatusCode: 408},
				api.StatusError{StatusCode: 429},
				api.StatusError{StatusCode: 429},
			},
			"closed",
		},
		{
			"timeouts are failures",
			[]error{&timeoutError{after: 1}, &timeoutError{after: 1}, &timeoutError{after: 1}, &timeoutError{after: 1}, &timeoutError{after: 1}},
			"open",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client := newTestClient(t)
			for _, err := range test.calls {
				if got := client.call(t.Context(), answer(err)); (got == nil) != (err == nil) {
					t.Errorf("got error %v, want %v", got, err)
				}
			}
			if diff := cmp.Diff(test.want, state(client)); diff != "" {
				t.Errorf("state (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBreaker_CancelledCallsDoNotCount(t *testing.T) {
	t.Parallel()
	client := newTestClient(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 10 {
		if err := client.call(ctx, answer(errors.New("whatever"))); !errors.Is(err, context.Canceled) {
			t.Errorf("got error %v, want context.Canceled", err)
		}
	}
	if diff := cmp.Diff("closed", state(client)); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
}

// open makes the breaker open.
func open(t *testing.T, client *Client) {
	t.Helper()
	for range 5 {
		if err := client.call(t.Context(), answer(errors.New("the runner died"))); err == nil {
			t.Fatal("a call that failed has no error")
		}
	}
	if diff := cmp.Diff("open", state(client)); diff != "" {
		t.Fatalf("state (-want +got):\n%s", diff)
	}
}

func TestBreaker_OpensAndRecovers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := newTestClient(t)
		open(t, client)
		time.Sleep(10 * time.Second)

		asked := 0
		f := client.retry(t.Context(), func(ctx context.Context) error {
			return client.call(ctx, func(context.Context) error {
				asked++
				return nil
			})
		})
		got, _ := errors.AsType[*model.UnavailableError](client.publicError(f))
		if got == nil || asked != 0 {
			t.Fatalf("got error %v after %d requests, want an *model.UnavailableError after none", f, asked)
		}
		message := "ollama at http://localhost:11434 failed repeatedly and is not asked for now, try again in 20s: " +
			"the server reports: the runner died"
		want := map[string]any{"state": "open", "after": 20 * time.Second, "message": message}
		if diff := cmp.Diff(want, map[string]any{
			"state": got.CircuitState, "after": got.RetryAfter, "message": got.Error(),
		}); diff != "" {
			t.Errorf("error (-want +got):\n%s", diff)
		}

		time.Sleep(20*time.Second + 1)
		if diff := cmp.Diff("half-open", state(client)); diff != "" {
			t.Errorf("state (-want +got):\n%s", diff)
		}
		// While one call tries the host the others are turned away.
		release, done := make(chan struct{}), make(chan error)
		go func() {
			done <- client.call(t.Context(), func(context.Context) error {
				<-release
				return nil
			})
		}()
		synctest.Wait()
		f = client.retry(t.Context(), func(ctx context.Context) error { return client.call(ctx, answer(nil)) })
		got, _ = errors.AsType[*model.UnavailableError](client.publicError(f))
		if got == nil || got.CircuitState != "half-open" || got.RetryAfter != time.Second {
			t.Errorf("got %+v, want half-open, after 1s", got)
		}
		close(release)
		if err := <-done; err != nil {
			t.Errorf("the call that was let through: %v", err)
		}
		if diff := cmp.Diff("closed", state(client)); diff != "" {
			t.Errorf("state (-want +got):\n%s", diff)
		}
	})
}

func TestBreaker_FailureWhenHalfOpenOpens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := newTestClient(t)
		open(t, client)
		time.Sleep(30*time.Second + 1)
		if err := client.call(t.Context(), answer(errors.New("still dead"))); err == nil {
			t.Error("got no error")
		}
		if state(client) != "open" || client.breaker.retryAfter() != 30*time.Second {
			t.Errorf("got %s for %s, want open for 30s", state(client), client.breaker.retryAfter())
		}
	})
}

func TestBreaker_CancelledProbeLetsTheNextThrough(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := newTestClient(t)
		open(t, client)
		time.Sleep(30*time.Second + 1)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := client.call(ctx, answer(errors.New("whatever"))); !errors.Is(err, context.Canceled) {
			t.Errorf("got error %v, want context.Canceled", err)
		}
		if err := client.call(t.Context(), answer(nil)); err != nil || state(client) != "closed" {
			t.Errorf("got error %v and state %s, want closed", err, state(client))
		}
	})
}

func TestBreaker_FailuresAgeOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := newTestClient(t)
		for range 10 {
			if err := client.call(t.Context(), answer(errors.New("now and then"))); err == nil {
				t.Error("got no error")
			}
			time.Sleep(8 * time.Second)
		}
		if diff := cmp.Diff("closed", state(client)); diff != "" {
			t.Errorf("state after a failure every 8 s (-want +got):\n%s", diff)
		}
	})
}

// A hanging host fails later than the window is long.
func TestBreaker_CountsSlowFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := newTestClient(t)
		results := make(chan error)
		for range 5 {
			go func() {
				results <- client.call(t.Context(), func(ctx context.Context) error {
					return withTimeout(ctx, 5*time.Minute, func(ctx context.Context) error {
						<-ctx.Done()
						return ctx.Err()
					})
				})
			}()
		}
		for range 5 {
			if err := <-results; err.Error() != "no answer within 5m0s" {
				t.Errorf("got error %v", err)
			}
		}
		if diff := cmp.Diff("open", state(client)); diff != "" {
			t.Errorf("state (-want +got):\n%s", diff)
		}
	})
}
