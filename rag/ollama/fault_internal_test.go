package ollama

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// What goes wrong, what kind of failure it is, how often the request is made, what the
// breaker makes of one, and what the user reads.
func TestFaults(t *testing.T) {
	t.Parallel()
	const works, fails, ignored = "works", "fails", "ignored"
	type faults = fakeollama.Faults
	tests := []struct {
		name    string
		fault   faults
		kind    kind
		made    int
		breaker string
		says    string
	}{
		{"500", faults{Status: 500, Message: "out of memory"}, transient, 3, fails, "HTTP 500 Internal Server Error: out of memory"},
		{"503", faults{Status: 503}, transient, 3, fails, "HTTP 503 Service Unavailable"},
		{"408", faults{Status: 408}, transient, 3, ignored, "HTTP 408 Request Timeout"},
		{"429", faults{Status: 429}, transient, 3, ignored, "HTTP 429 Too Many Requests"},
		{"connection breaks", faults{HangUp: true}, transient, 3, fails, "the connection broke: EOF"},
		{"hangs", faults{Delay: time.Hour}, refused, 1, fails, "no answer within 1s"},
		{"401", faults{Status: 401}, refused, 1, works, "HTTP 401 Unauthorized; check the user name and password"},
		{"403", faults{Status: 403}, refused, 1, works, "HTTP 403 Forbidden; check the user name and password"},
		{"404 of another server", faults{Status: 404, Body: "404 page not found"}, refused, 1, works, "is this an Ollama server?"},
		{"418", faults{Status: 418}, refused, 1, works, "HTTP 418 I'm a teapot"},
		{"no embedding model", faults{Status: 400, Message: `"mistral" does not support embeddings`}, refused, 1, works, "does not support embeddings"},
		{"no JSON", faults{Body: "<html>welcome</html>"}, refused, 1, fails, "no valid JSON; is this an Ollama server?"},
		{"another shape", faults{Body: `{"embeddings":["x"]}`}, refused, 1, fails, "no valid JSON; is this an Ollama server?"},
		{"a number too large", faults{Body: `{"embeddings":[[1e400]]}`}, refused, 1, fails, "no valid JSON"},
		{"too few vectors", faults{Missing: 1}, refused, 1, fails, "1 vectors for 2 texts; is this an Ollama server?"},
		{"too many numbers", faults{Body: `{"embeddings":[[` + strings.Repeat("0.123456789,", 60_000) + `1]]}`}, refused, 1, fails, "it is larger than 640 KiB"},
		{"too many vectors", faults{Body: `{"embeddings":[` + strings.Repeat("[],", 100) + `[]]}`}, refused, 1, fails, "101 vectors for 2 texts"},
		{"too many dimensions", faults{Dimensions: 2048}, wrongModel, 1, works, "makes vectors of 2048 dimensions"},
		{"model missing", faults{Status: 404, Message: `model "x" not found, try pulling it first`}, modelMissing, 1, works, "not found"},
		{"text too long", faults{Window: 1}, badInput, 1, works, "longer than the model's context window"},
		{"text rejected", faults{Reject: []string{"text"}}, badInput, 1, works, "this text is rejected"},
		{"vector overflows", faults{NaN: []string{"text"}}, badInput, 1, works, "unsupported value: NaN"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := fakeollama.Start(t)
			client, err := New(Config{Host: server.URL(), RetryDelay: time.Microsecond, BreakerCalls: 1000, EmbedTimeout: time.Second})
			if err != nil {
				t.Fatal(err)
			}
			test.fault.Paths = []string{"/api/embed"}
			server.SetFaults(test.fault)

			f := client.retry(t.Context(), func(ctx context.Context) error {
				_, err := client.request(ctx, &api.EmbedRequest{Model: client.cfg.EmbedModel, Input: []string{"a text", "another text"}}, 2)
				return err
			})
			if f == nil || f.kind != test.kind || !strings.Contains(f.Error(), test.says) {
				t.Errorf("got %+v, want one of kind %d that says %q", f, test.kind, test.says)
			}
			if made := len(server.Requests("/api/embed")); made != test.made {
				t.Errorf("the request was made %d times, want %d", made, test.made)
			}
			counts := client.breaker.Counts()
			got := map[bool]string{counts.TotalSuccesses > 0: works, counts.TotalFailures > 0: fails}[true]
			if got == "" {
				got = ignored
			}
			if got != test.breaker {
				t.Errorf("the breaker takes it for: %s, want %s", got, test.breaker)
			}
			if unavailable, ok := errors.AsType[*model.UnavailableError](client.publicError(f)); ok {
				if waits := unavailable.RetryAfter > 0; waits != (test.kind == transient) {
					t.Errorf("retry after %s, want a time exactly if waiting helps", unavailable.RetryAfter)
				}
			}
			if err := client.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// What passes is over after it has passed: the request is made again.
func TestFaults_ThatPass(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault fakeollama.Faults
		made  int
	}{
		"500 once":                    {fakeollama.Faults{Status: 500, Times: 1}, 2},
		"503 twice":                   {fakeollama.Faults{Status: 503, Times: 2}, 3},
		"the connection breaks once":  {fakeollama.Faults{HangUp: true, Times: 1}, 2},
		"too many requests, but once": {fakeollama.Faults{Status: 429, Times: 1}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := fakeollama.Start(t)
			client, err := New(Config{Host: server.URL(), RetryDelay: time.Microsecond})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = client.Close() }()
			test.fault.Paths = []string{"/api/embed"}
			server.SetFaults(test.fault)

			got, err := client.Embed(t.Context(), []string{"a text"})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(fakeollama.Vector("a text", 1024), got[0].Vector); diff != "" {
				t.Error("another vector than the fake's")
			}
			if made := len(server.Requests("/api/embed")); made != test.made {
				t.Errorf("the request was made %d times, want %d", made, test.made)
			}
		})
	}
}

// startInMemory starts a server, and a client of it with the default waits, in a bubble of
// fake time.
func startInMemory(t *testing.T) (*fakeollama.Server, *Client) {
	t.Helper()
	server, client := fakeollama.StartInMemory(t), newTestClient(t)
	client.transport.Proxy = nil
	client.transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		return server.Dial(ctx, network, address)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return server, client
}

// A caller that does without Ollama learns of a failure at once: its request is made once,
// and not at all for five seconds after one that the server did not answer.
func TestFailFast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, client := startInMemory(t)
		ask := func(query string, requests int) error {
			t.Helper()
			began, before := time.Now(), len(server.Requests(""))
			_, err := client.EmbedQuery(model.FailFast(t.Context()), query)
			if made := len(server.Requests("")) - before; made != requests || time.Since(began) > 0 {
				t.Errorf("%d requests in %s, want %d without a wait", made, time.Since(began), requests)
			}
			return err
		}
		if err := ask("known", 4); err != nil { // the build, its window, the vector, the build
			t.Fatal(err)
		}
		server.SetFaults(fakeollama.Faults{HangUp: true})
		for requests := range 2 {
			err := ask("new", 1-requests)
			if got := model.RetryAfter(err); got != 4*time.Second || !strings.Contains(err.Error(), "the connection broke") {
				t.Errorf("%v, to be tried again after %s, want after 4s", err, got)
			}
		}
		if err := ask("known", 0); err != nil {
			t.Errorf("a query that is remembered: %v", err)
		}
		time.Sleep(failureKnownFor + 1)
		server.SetFaults(fakeollama.Faults{Status: http.StatusInternalServerError})
		for range 2 { // an answer is no sign that the server is away
			if err := ask("new", 1); !strings.Contains(err.Error(), "HTTP 500") {
				t.Errorf("got %v, want what the server says", err)
			}
		}
	})
}

// Others find out that the server is back before the five seconds are over.
func TestFailFast_EndsWithTheFirstSuccess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, client := startInMemory(t)
		server.SetFaults(fakeollama.Faults{HangUp: true})
		if _, err := client.EmbedQuery(model.FailFast(t.Context()), "a query"); err == nil {
			t.Fatal("got no error")
		}
		server.SetFaults(fakeollama.Faults{})
		if _, err := client.Embed(t.Context(), []string{"a passage"}); err != nil {
			t.Fatal(err)
		}
		if _, err := client.EmbedQuery(model.FailFast(t.Context()), "a query"); err != nil {
			t.Errorf("once the server is back: %v", err)
		}
	})
}

// A missing model is pulled, and not waited for.
func TestFailFast_DoesNotWaitForAPull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, client := startInMemory(t)
		server.RemoveModel("mxbai-embed-large")
		server.SetPull(fakeollama.Pull{Hold: make(chan struct{})})
		began := time.Now()
		_, err := client.EmbedQuery(model.FailFast(t.Context()), "a query")
		missing, ok := errors.AsType[*model.ModelMissingError](err)
		if !ok || missing.Err != nil || model.RetryAfter(err) != 10*time.Second || time.Since(began) > 0 {
			t.Errorf("got %v after %s, to be tried again after %s, want a pull that goes on", err, time.Since(began), model.RetryAfter(err))
		}
	})
}
