package openai_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/rag/model"
)

// A model that is being loaded answers nothing for minutes. A query gives up when its time is over.
func TestEmbedQuery_DoesNotWaitForPassages(t *testing.T) {
	t.Parallel()
	asked, stop := make(chan struct{}, 100), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		if strings.Count(string(text), "word") > 100 {
			asked <- struct{}{}
			select {
			case <-stop:
			case <-time.After(5 * time.Second):
			}
		}
		_, _ = io.WriteString(w, `{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1]}, {"index": 2, "embedding": [1]}]}`)
	}))
	defer server.Close()
	client := newClient(t, model.Config{Host: server.URL, EmbedModel: "m"})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = client.Embed(ctx, []string{strings.Repeat("long ", 100)})
	}()
	<-asked
	began := time.Now()
	limited, end := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer end()
	_, err := client.EmbedQuery(limited, "a query")
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("a query with a tenth of a second waits for %s, and gets %v", took, err)
	}
	cancel()
	close(stop)
	<-ended
}
