package ollama

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/modelhttp"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// Each fault, the caller's error, the number of requests, and whether the breaker counts a failure.
func TestFaults(t *testing.T) {
	t.Parallel()
	type faults = fakeollama.Faults
	unavailable := func(err error) bool { return errors.As(err, new(*model.UnavailableError)) }
	wrongModel := func(err error) bool { return errors.Is(err, model.ErrDimensions) }
	missing := func(err error) bool { return errors.As(err, new(*model.MissingError)) }
	tests := []struct {
		name  string
		fault faults
		is    func(error) bool
		made  int
		says  string
		fails bool
	}{
		{"500", faults{Status: 500, Message: "out of memory"}, unavailable, 3, "HTTP 500 Internal Server Error: out of memory", true},
		{"503", faults{Status: 503}, unavailable, 3, "HTTP 503 Service Unavailable", true},
		{"408", faults{Status: 408}, unavailable, 3, "HTTP 408 Request Timeout", false},
		{"429", faults{Status: 429}, unavailable, 3, "HTTP 429 Too Many Requests", false},
		{"connection breaks", faults{HangUp: true}, unavailable, 3, "the connection broke: EOF", true},
		{"hangs", faults{Delay: time.Hour}, unavailable, 1, "no answer within 5m0s", true},
		{"401", faults{Status: 401}, unavailable, 1, "HTTP 401 Unauthorized; check the user name and password", false},
		{"403", faults{Status: 403}, unavailable, 1, "HTTP 403 Forbidden; check the user name and password", false},
		{"404 of another server", faults{Status: 404, Body: "404 page not found"}, unavailable, 1, "is this an Ollama server?", false},
		{"418", faults{Status: 418}, unavailable, 1, "HTTP 418 I'm a teapot", false},
		{"no embedding model", faults{Status: 400, Message: `"mistral" does not support embeddings`}, unavailable, 1, "does not support embeddings", false},
		{"no JSON", faults{Body: "<html>welcome</html>"}, unavailable, 1, "no valid JSON; is this an Ollama server?", true},
		{"another shape", faults{Body: `{"embeddings":["x"]}`}, unavailable, 1, "no valid JSON; is this an Ollama server?", true},
		{"a number too large", faults{Body: `{"embeddings":[[1e400]]}`}, unavailable, 1, "no valid JSON", true},
		{"too few vectors", faults{Missing: 1}, unavailable, 1, "1 vectors for 2 texts", true},
		{"too many numbers", faults{Body: `{"embeddings":[[` + strings.Repeat("0.123456789,", 60_000) + `1]]}`}, unavailable, 1, "it is larger than 640 KiB", true},
		{"too many vectors", faults{Body: `{"embeddings":[` + strings.Repeat("[],", 100) + `[]]}`}, unavailable, 1, "101 vectors for 2 texts", true},
		{"half an answer", faults{Body: `{"embeddings":[[1`}, unavailable, 3, "the connection broke: unexpected EOF", true},
		{"too many dimensions", faults{Dimensions: 2048}, wrongModel, 1, "makes vectors of 2048 dimensions", false},
		{"model missing", faults{Status: 404, Message: `model "x" not found, try pulling it first`}, missing, 1, "run: ollama pull ", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server, client := startInMemory(t)
				test.fault.Paths = []string{"/api/embed"}
				server.SetFaults(test.fault)
				var err error
				for range 5 {
					server.Forget()
					if _, err = client.Embed(t.Context(), []string{"a text", "another text"}); !test.is(err) || !strings.Contains(err.Error(), test.says) {
						t.Fatalf("got %v (%T), want another type or %q", err, err, test.says)
					}
					if made := len(server.Requests("/api/embed")); made != test.made {
						t.Errorf("the request was made %d times, want %d", made, test.made)
					}
					if away, ok := errors.AsType[*model.UnavailableError](err); ok && (away.RetryAfter > 0) != (test.made > 1) {
						t.Errorf("retry after %s, want a time exactly if waiting helps", away.RetryAfter)
					}
					time.Sleep(time.Minute)
				}
				fail := func() { _, err = client.EmbedQuery(t.Context(), "a query") }
				for range 5 {
					fail()
				}
				server.Forget()
				fail()
				if open := len(server.Requests("/api/embed")) == 0; open != test.fails {
					t.Errorf("after 5 calls at once the breaker is open: %t, want %t (%v)", open, test.fails, err)
				}
			})
		})
	}
}

// A request is made again after a fault that passes.
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
	fake := fakeollama.StartInMemory(t)
	requests, err := modelhttp.New(kind, "localhost", "", "")
	if err != nil {
		t.Fatal(err)
	}
	client := model.New("ollama", requests.Host, &server{Client: requests, logger: slog.New(slog.DiscardHandler)},
		Config{EmbedModel: "mxbai-embed-large", ChatModel: "mistral"})
	transport, _ := requests.HTTP.Transport.(*http.Transport)
	transport.Proxy = nil
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		return fake.Dial(ctx, network, address)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return fake, client
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
		if err := ask("known", 2); err != nil { // the build, the vector
			t.Fatal(err)
		}
		server.SetFaults(fakeollama.Faults{HangUp: true})
		for requests := range 2 {
			err := ask("new", 1-requests)
			if away, ok := errors.AsType[*model.UnavailableError](err); !ok || away.RetryAfter != 4*time.Second || !strings.Contains(err.Error(), "the connection broke") {
				t.Errorf("got %v, want an error that says to try again after 4s", err)
			}
		}
		if err := ask("known", 0); err != nil {
			t.Errorf("a query that is remembered: %v", err)
		}
		time.Sleep(5*time.Second + 1)
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

// A query is not held up by a server that takes requests and answers none.
func TestEmbedQuery_OfAServerThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, client := startInMemory(t)
		ask := func(ctx context.Context, query string, want time.Duration) {
			t.Helper()
			began := time.Now()
			_, err := client.EmbedQuery(ctx, query)
			if _, ok := errors.AsType[*model.UnavailableError](err); !ok || time.Since(began) != want {
				t.Errorf("got %v after %s, want an *UnavailableError after %s", err, time.Since(began), want)
			}
		}
		hangs := fakeollama.Faults{Delay: time.Hour, Paths: []string{"/api/embed"}}
		server.SetFaults(hangs)
		ask(t.Context(), "the model may have to be loaded", 20*time.Second)
		ask(t.Context(), "another", 5*time.Second)
		ask(model.FailFast(t.Context()), "moments later", 0)
		time.Sleep(6 * time.Second)
		ask(model.FailFast(t.Context()), "later", 5*time.Second)
		time.Sleep(6 * time.Second)
		hangs.Paths = nil
		server.SetFaults(hangs)
		ask(t.Context(), "nothing answers", 5*time.Second)
	})
}

// Failed answers say nothing about vectors: the next search uses meaning.
func TestBreaker_OfAnswersIsNotThatOfVectors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, client := startInMemory(t)
		answer := func(want string) {
			t.Helper()
			_, err := client.Generate(t.Context(), model.Prompt{User: "hello"}, nil)
			if _, ok := errors.AsType[*model.UnavailableError](err); !ok || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want an *UnavailableError that says %q", err, want)
			}
			if _, err := client.EmbedQuery(model.FailFast(t.Context()), time.Now().String()); err != nil {
				t.Errorf("a query: %v", err)
			}
		}
		server.SetFaults(fakeollama.Faults{Delay: time.Hour, Paths: []string{"/api/chat"}})
		answer("no answer within 2m0s")
		server.SetFaults(fakeollama.Faults{Status: 500, Paths: []string{"/api/chat"}})
		answer("HTTP 500")
		answer("failed repeatedly and is not asked now")
	})
}
