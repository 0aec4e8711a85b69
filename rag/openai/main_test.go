package openai_test

import (
	"cmp"
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
	t.Cleanup(client.Close)
	return client
}
