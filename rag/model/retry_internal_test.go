package model

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// newTestClient has the default waits, for tests in a bubble of fake time.
// It has no server: requests are functions.
func newTestClient() *Client { return New("server", "h", nil, Config{}) }

// ask makes a request that ends so, with as many tries as it takes.
func ask(ctx context.Context, c *Client, err error) error {
	_, err = retry(ctx, c, c.embeds, longestPause, func(context.Context) (int, error) { return 0, err })
	return err
}

func state(c *Client) string { return c.embeds.breaker.State().String() }

// refuse and dead are failures that are not transient, with an answer and without.
func refuse(status int) *ServerError { return &ServerError{Err: errors.New("refused"), Status: status} }

func dead() *ServerError { return &ServerError{Err: errors.New("the runner died")} }

func TestBreaker(t *testing.T) {
	t.Parallel()
	broken := refuse(500)
	tests := []struct {
		name  string
		calls []error
		want  string
	}{
		{"four failures are too few", []error{broken, broken, broken, broken}, "closed"},
		{"five failures", []error{broken, broken, broken, broken, dead()}, "open"},
		{"half of six", []error{nil, nil, nil, broken, broken, broken}, "open"},
		{"less than half", []error{nil, nil, nil, nil, broken, broken, broken}, "closed"},
		{
			"bad requests are no failures",
			[]error{refuse(400), refuse(404), refuse(401), refuse(429), ErrInputTooLong, ErrUnusableText, &MissingError{}, ErrDimensions},
			"closed",
		},
		{"time-outs are failures", []error{noAnswer(1), noAnswer(1), noAnswer(1), noAnswer(1), noAnswer(1)}, "open"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client := newTestClient()
			for _, err := range test.calls {
				if got := ask(t.Context(), client, err); (got == nil) != (err == nil) {
					t.Errorf("got error %v, want %v", got, err)
				}
			}
			if diff := cmp.Diff(test.want, state(client)); diff != "" {
				t.Errorf("state (-want +got):\n%s", diff)
			}
			if got := client.chats.breaker.State().String(); got != "closed" {
				t.Errorf("the breaker of answers is %s after failed embeddings", got)
			}
		})
	}
}

func TestBreaker_CancelledCallsDoNotCount(t *testing.T) {
	t.Parallel()
	client := newTestClient()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 10 {
		if err := ask(ctx, client, dead()); !errors.Is(err, context.Canceled) {
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
		if err := ask(t.Context(), client, dead()); err == nil {
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
		client := newTestClient()
		open(t, client)
		time.Sleep(10 * time.Second)

		got, _ := errors.AsType[*UnavailableError](ask(t.Context(), client, nil))
		if got == nil {
			t.Fatal("a request was made")
		}
		want := map[string]any{
			"state": "open", "after": 20 * time.Second,
			"message": "server at h failed repeatedly and is not asked now, try again in 20s: the runner died",
		}
		if diff := cmp.Diff(want, map[string]any{
			"state": got.CircuitState, "after": got.RetryAfter, "message": got.Error(),
		}); diff != "" {
			t.Errorf("error (-want +got):\n%s", diff)
		}

		time.Sleep(20*time.Second + 1)
		// While one call tries the host the others are turned away.
		release, done := make(chan struct{}), make(chan error)
		go func() {
			_, err := retry(t.Context(), client, client.embeds, longestPause, func(context.Context) (int, error) {
				<-release
				return 0, nil
			})
			done <- err
		}()
		synctest.Wait()
		got, _ = errors.AsType[*UnavailableError](ask(t.Context(), client, nil))
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

func TestRetry_WaitsLongerEachTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := newTestClient()
		start, last := time.Now(), time.Now()
		var waits []time.Duration
		_, err := retry(t.Context(), client, client.embeds, longestPause, func(context.Context) (int, error) {
			waits = append(waits, time.Since(last))
			last = time.Now()
			return 0, &ServerError{Err: errors.New("busy"), Status: 503, Transient: true}
		})
		if err == nil || len(waits) != 3 {
			t.Fatalf("got error %v after %d tries, want one after 3", err, len(waits))
		}
		for i, want := range []time.Duration{0, time.Second, 2 * time.Second} {
			if low, high := want*4/5, want*6/5; waits[i] < low || waits[i] > high+1 {
				t.Errorf("wait %d is %s, want %s to %s", i, waits[i], low, high)
			}
		}
		if time.Since(start) > 4*time.Second {
			t.Errorf("took %s: the last try is followed by no wait", time.Since(start))
		}
		got, _ := errors.AsType[*UnavailableError](err)
		if got == nil || got.RetryAfter != 4*time.Second || got.CircuitState != "closed" {
			t.Errorf("got %+v, want closed, retry after 4s", got)
		}
	})
}

// A server that asks for a pause longer than somebody waits is not waited for.
func TestRetry_KeepsToThePauseOfTheServer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pause, longest, deadline time.Duration
		want                     int
	}{
		{time.Minute, longestPause, time.Hour, 3},
		{2 * time.Minute, longestPause, time.Hour, 1},
		{time.Minute, queryTimeout, time.Hour, 1},
		{time.Minute, longestPause, 5 * time.Second, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), test.deadline)
			defer stop()
			tries, began, client := 0, time.Now(), newTestClient()
			_, err := retry(ctx, client, client.embeds, test.longest, func(context.Context) (int, error) {
				tries++
				return 0, &ServerError{Err: errors.New("slow down"), Status: 429, Transient: true, RetryAfter: test.pause}
			})
			got, ok := errors.AsType[*UnavailableError](err)
			if !ok || tries != test.want || got.RetryAfter != test.pause || time.Since(began) != test.pause*time.Duration(test.want-1) {
				t.Errorf("%+v: %v after %d tries and %s", test, err, tries, time.Since(began))
			}
		})
	}
}
