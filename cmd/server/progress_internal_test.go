package main

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/compound-docs/compound-docs/internal/workspace"
)

// The passages count up to one total: that of the whole text, once it is counted.
func TestSyncProgress_HasAFixedTotal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		progress := &syncProgress{files: showProgress(&out, "files"), passages: showProgress(&out, "passages")}
		now := time.Now()
		for _, status := range []workspace.IndexStatus{
			{Total: 2, Done: 1, Embedding: 1, Passages: 1, Counting: true},
			{Embedding: 1000, Passages: 1000, Counting: true, Synced: now},
			{Embedding: 1088, Passages: 1088, Synced: now},
			{Embedding: 1, Passages: 1088, Counting: true, Synced: now},
			{Embedding: 88, Passages: 1088, Synced: now},
			{Passages: 1088, Synced: now},
		} {
			progress.show(status)
			time.Sleep(2 * time.Second)
		}
		want := "files: 1 of 2\nfiles: 2 of 2\n" +
			"passages: 0 of 1088\npassages: 1000 of 1088\npassages: 1088 of 1088\n"
		if out.String() != want {
			t.Errorf("it says\n%s\nwant\n%s", &out, want)
		}
	})
}
