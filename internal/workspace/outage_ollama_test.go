package workspace_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/testenv"
)

func TestOutage_Ollama(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		faults fakeollama.Faults
		shut   bool
		// waiting is the expected status, and details those of a search's error.
		waiting string
		details []string
	}{
		{name: "stopped", shut: true, waiting: "start Ollama", details: []string{"circuit_state", "retry_after_seconds"}},
		{
			name: "hangs up", faults: fakeollama.Faults{HangUp: true},
			waiting: "the connection broke", details: []string{"circuit_state", "retry_after_seconds"},
		},
		{
			name: "answers 500", faults: fakeollama.Faults{Status: http.StatusInternalServerError, Message: "out of memory"},
			waiting: "out of memory", details: []string{"circuit_state", "retry_after_seconds"},
		},
		{
			name: "answers garbage", faults: fakeollama.Faults{Body: "<html>It works!</html>"},
			waiting: "makes no sense", details: []string{"circuit_state", "retry_after_seconds"},
		},
		{
			name: "answers too little", faults: fakeollama.Faults{Missing: 1},
			waiting: "makes no sense", details: []string{"circuit_state", "retry_after_seconds"},
		},
		{name: "wrong dimensions", faults: fakeollama.Faults{Dimensions: 2048}, waiting: "2048 dimensions", details: nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := setup(t, fruit())
			target, err := url.Parse(f.fake.URL())
			f.Must(err)
			proxy := testenv.NewFaultProxy(t, target.Host)
			s := f.serverWith(t, f.databaseURL, model.Config{
				Host: "http://" + proxy.Address(), RetryDelay: time.Millisecond,
				BreakerOpen: time.Second,
			})
			active := f.activate(t, s, "main")
			f.recovers(t, s)
			if test.shut {
				proxy.Shut()
			}
			f.fake.SetFaults(test.faults)
			f.changeFiles("meanwhile")
			eventually(t, "it says what has no vector, and why", func() bool {
				status := active.Status()
				return status.Pending() == 0 && status.Embedding > 0 && strings.Contains(status.EmbeddingWaits, test.waiting)
			})
			held, err := f.inIndex(t.Context())
			if err != nil || !cmp.Equal(f.onDisk(t), held) {
				t.Errorf("while files cannot be embedded the index holds the text of %v (%v), want what is on disk", held, err)
			}
			hits, err := s.Searcher().Search(t.Context(), active.Compounding(), rag.Query{Text: "dates meanwhile", Limit: 1, Mode: rag.Lexical})
			if err != nil || len(hits.Documents) != 1 || hits.Documents[0].Path != docs+"edited.md" {
				t.Errorf("a search by words meanwhile: %+v, %v, want the document that was edited", hits.Documents, err)
			}
			for end := time.Now().Add(outage(t)); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
				failure := search(t, s, time.Now())
				if failure == nil || failure.Code != apierror.EmbeddingServiceError {
					t.Fatalf("a search meanwhile: %v, want EMBEDDING_SERVICE_ERROR", failure)
				}
				for _, detail := range test.details {
					if failure.Details[detail] == nil {
						t.Fatalf("details %v lack %s", failure.Details, detail)
					}
				}
			}
			f.changeFiles("later")
			proxy.Open()
			f.fake.SetFaults(fakeollama.Faults{})
			f.recovers(t, s)
			if failure := search(t, s, "after"); failure != nil {
				t.Errorf("a search after it: %v", failure)
			}
		})
	}
}

// A slow Ollama delays, and does no more than that.
func TestOutage_SlowOllama(t *testing.T) {
	t.Parallel()
	delay := min(outage(t)/4, 10*time.Second)
	f := setup(t, fruit())
	s, follower := f.server(t), f.server(t)
	active := f.activate(t, s, "main")
	f.activate(t, follower, "main")
	f.recovers(t, s, follower)
	f.fake.SetFaults(fakeollama.Faults{Delay: delay})
	f.changeFiles("slowly")
	eventually(t, "the changes are found by their words", func() bool {
		status := active.Status()
		return status.Pending() == 0 && status.Embedding > 0
	})
	if status := active.Status(); status.Waiting != "" || status.EmbeddingWaits != "" {
		t.Errorf("status %+v: embedding does not wait, it is slow", status)
	}
	if failure := search(t, follower, "slowly"); failure != nil {
		t.Errorf("a search meanwhile: %v", failure)
	}
	f.recovers(t, s, follower)
	f.hasOneIndexer(t)
}
