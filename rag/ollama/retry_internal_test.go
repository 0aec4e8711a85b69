package ollama

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/compound-docs/compound-docs/rag/model"
)

func TestRetry_WaitsLongerEachTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := newTestClient(t)
		start, last := time.Now(), time.Now()
		var waits []time.Duration
		f := client.retry(t.Context(), func(ctx context.Context) error {
			waits = append(waits, time.Since(last))
			last = time.Now()
			return client.call(ctx, answer(api.StatusError{StatusCode: 503, ErrorMessage: "busy"}))
		})
		if f == nil || len(waits) != 3 {
			t.Fatalf("got error %v after %d tries, want one after 3", f, len(waits))
		}
		for i, want := range []time.Duration{0, time.Second, 2 * time.Second} {
			if low, high := want*4/5, want*6/5; waits[i] < low || waits[i] > high+1 {
				t.Errorf("wait %d is %s, want %s to %s", i, waits[i], low, high)
			}
		}
		if time.Since(start) > 4*time.Second {
			t.Errorf("took %s: the last try is followed by no wait", time.Since(start))
		}
		got, _ := errors.AsType[*model.UnavailableError](client.publicError(f))
		if got == nil || got.RetryAfter != 4*time.Second || got.CircuitState != "closed" {
			t.Errorf("got %+v, want closed, retry after 4s", got)
		}
	})
}

func TestRetry_StopsWaitingWithTheCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := newTestClient(t)
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		f := client.retry(ctx, func(ctx context.Context) error {
			return client.call(ctx, answer(api.StatusError{StatusCode: 503}))
		})
		if f == nil || f.kind != callerCanceled || time.Since(start) != 100*time.Millisecond {
			t.Errorf("got %v after %s, want the caller's deadline after 100ms", f, time.Since(start))
		}
	})
}

func TestParseHost(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ given, want string }{
		{"localhost", "http://localhost:11434"},
		{"http://localhost:11434/", "http://localhost:11434"},
		{" gpu-box:80 ", "http://gpu-box:80"},
		{"http://plain", "http://plain"},
		{"https://me:pw@secure/m/?q#f", "https://me:pw@secure/m"},
		{"[::1]", "http://[::1]:11434"},
	} {
		got, err := parseHost(test.given)
		if err != nil || got.String() != test.want {
			t.Errorf("%q is %v, %v, want %s", test.given, got, err, test.want)
		}
	}
}

func TestCutAtWord(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text  string
		limit int
		want  string
	}{
		{"one two three", 9, "one two"},
		{"one two three", 7, "one"},
		{"unbroken", 3, "unb"},
		{"äöüäöü", 3, "ä"},
		{"a", 0, ""},
	}
	for _, test := range tests {
		if got := cutAtWord(test.text, test.limit); got != test.want {
			t.Errorf("cutAtWord(%q, %d) = %q, want %q", test.text, test.limit, got, test.want)
		}
	}
}
