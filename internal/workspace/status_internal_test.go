package workspace

import (
	"errors"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
)

// A server that does not index relies on all else within a second.
func TestStatus_OnlyProgressCanWait(t *testing.T) {
	t.Parallel()
	now := time.Now()
	syncing := IndexStatus{Synced: now, Done: 3, Total: 10, State: 1, Embedding: 9, Passages: 40, Failed: []Failed{}}
	embedding := IndexStatus{Synced: now, Done: 10, Total: 10, State: 2, Embedding: 9, Passages: 40, Failed: []Failed{}}
	for what, test := range map[string]struct {
		before IndexStatus
		change func(*IndexStatus)
		waits  bool
	}{
		"more files are done":    {syncing, func(s *IndexStatus) { s.Done, s.Synced = 5, now.Add(1) }, true},
		"more files are found":   {syncing, func(s *IndexStatus) { s.Total, s.Queued = 50, 1 }, true},
		"more passages are done": {embedding, func(s *IndexStatus) { s.Embedding = 1 }, true},
		"all files are done":     {syncing, func(s *IndexStatus) { s.Done = 10; s.Embedding = 0 }, false},
		"all vectors are made":   {embedding, func(s *IndexStatus) { s.Embedding = 0 }, false},
		"other files are there":  {embedding, func(s *IndexStatus) { s.State = 3 }, false},
		"a file fails":           {syncing, func(s *IndexStatus) { *s = s.plusFailed(document.Failure{Path: "a.md", Err: errors.New("x")}, now) }, false},
		"indexing waits":         {syncing, func(s *IndexStatus) { s.Waiting = "for git" }, false},
		"embedding waits":        {embedding, func(s *IndexStatus) { s.EmbeddingWaits = "for Ollama" }, false},
		"the count is old":       {embedding, func(s *IndexStatus) { s.Counting = true }, false},
	} {
		after := test.before
		test.change(&after)
		if got := after.onlyProgress(test.before); got != test.waits {
			t.Errorf("%s: onlyProgress is %t", what, got)
		}
	}
}
