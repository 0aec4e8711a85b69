package ollama

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"
)

func TestRetry_WaitsLongerEachTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := newTestClient(t, "a")
		start, last := time.Now(), time.Now()
		var waits []time.Duration
		f := client.retry(t.Context(), inOrder, func(ctx context.Context, h *host) error {
			waits = append(waits, time.Since(last))
			last = time.Now()
			return h.call(ctx, answer(api.StatusError{StatusCode: 503, ErrorMessage: "busy"}))
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
		got, _ := errors.AsType[*UnavailableError](client.publicError(f))
		if got == nil || got.RetryAfter != 4*time.Second || got.CircuitState != "closed" {
			t.Errorf("got %+v, want closed, retry after 4s", got)
		}
	})
}

func TestRetry_StopsWaitingWithTheCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := newTestClient(t, "a")
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		f := client.retry(ctx, inOrder, func(ctx context.Context, h *host) error {
			return h.call(ctx, answer(api.StatusError{StatusCode: 503}))
		})
		if f == nil || f.kind != callerCanceled || time.Since(start) != 100*time.Millisecond {
			t.Errorf("got %v after %s, want the caller's deadline after 100ms", f, time.Since(start))
		}
	})
}

func TestTryHosts_ReportsWhatTheUserCanFix(t *testing.T) {
	t.Parallel()
	missing := api.StatusError{StatusCode: 404, ErrorMessage: `model "x" not found, try pulling it first`}
	busy := api.StatusError{StatusCode: 503}
	forbidden := api.StatusError{StatusCode: 403}
	tests := []struct {
		answers []error
		host    string
		again   bool
	}{
		{[]error{busy, missing, forbidden}, "http://b:11434", true},
		{[]error{forbidden, missing, missing}, "http://b:11434", false},
		{[]error{forbidden, forbidden, busy}, "http://c:11434", true},
		{[]error{busy, busy, nil}, "", false},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.answers), func(t *testing.T) {
			t.Parallel()
			client := newTestClient(t, "a", "b", "c")
			i := 0
			f, again := client.tryHosts(t.Context(), inOrder, func(ctx context.Context, h *host) error {
				i++
				return h.call(ctx, answer(test.answers[i-1]))
			})
			got := ""
			if f != nil {
				got = f.host.name
			}
			if got != test.host || again != test.again {
				t.Errorf("got %q, again %v; want %q, %v", got, again, test.host, test.again)
			}
		})
	}
}

func TestParseHosts(t *testing.T) {
	t.Parallel()
	given := []string{
		"localhost", "http://localhost:11434/", " gpu-box:80 ", "http://plain", "https://me:pw@secure/models/?q#f", "[::1]",
	}
	urls, err := parseHosts(given)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, u := range urls {
		got = append(got, u.String())
	}
	want := []string{
		"http://localhost:11434", "http://gpu-box:80", "http://plain", "https://me:pw@secure/models", "http://[::1]:11434",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("hosts (-want +got):\n%s", diff)
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
