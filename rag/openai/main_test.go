package openai_test

import (
	"cmp"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newClient is a client whose waits between tries are over at once.
func newClient(t *testing.T, cfg model.Config) *model.Client {
	t.Helper()
	cfg.RetryDelay, cfg.ModelTTL = time.Microsecond, cmp.Or(cfg.ModelTTL, time.Nanosecond)
	client, err := openai.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return client
}

// realHost is a real Ollama, which has OpenAI's API under /v1.
func realHost(t *testing.T) string {
	t.Helper()
	host := os.Getenv("CDOCS_TEST_OLLAMA_HOST")
	if host == "" {
		t.Skip("CDOCS_TEST_OLLAMA_HOST is not set")
	}
	return host
}
