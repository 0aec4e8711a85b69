package ollama_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// fast is a configuration whose waits between tries are over at once.
func fast(url string) model.Config {
	return model.Config{Host: url, RetryDelay: time.Microsecond}
}

func newClient(t *testing.T, cfg model.Config) *model.Client {
	t.Helper()
	client, err := ollama.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func start(t *testing.T) (*fakeollama.Server, *model.Client) {
	t.Helper()
	server := fakeollama.Start(t)
	return server, newClient(t, fast(server.URL()))
}

// asType fails the test unless there is an error of the type in the chain.
func asType[E error](t *testing.T, err error) E {
	t.Helper()
	e, ok := errors.AsType[E](err)
	if !ok {
		t.Fatalf("got error %v (%T), want a %T in its chain", err, err, e)
	}
	return e
}

func wantContains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("got %q, want %q in it", text, part)
		}
	}
}

func wantRequests(t *testing.T, server *fakeollama.Server, path string, want int) {
	t.Helper()
	if got := len(server.Requests(path)); got != want {
		t.Errorf("got %d requests for %s, want %d", got, path, want)
	}
}
