package main

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/compound-docs/compound-docs/internal/workspace"
)

// The count falls if the model is replaced during the work. The rate counts from then on.
func TestShowProgress_NoNegativeRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		show := showProgress(&out, "passages")
		for _, done := range []int{900, 910, 40, 60, 1000} {
			show(done, 1000)
			time.Sleep(2 * time.Second)
		}
		want := "passages: 900 of 1000\npassages: 910 of 1000, 5.0/s\npassages: 40 of 1000\n" +
			"passages: 60 of 1000, 10.0/s\npassages: 1000 of 1000, 240.0/s\n"
		if out.String() != want {
			t.Errorf("it says\n%s\nwant\n%s", &out, want)
		}
	})
}

// The passages count up to one total: that of the whole text, once it is counted.
func TestSyncProgress_HasAFixedTotal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		progress := &syncProgress{files: showProgress(&out, "files"), passages: showProgress(&out, "passages")}
		now := time.Now()
		for _, status := range []workspace.Status{
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
		want := "files: 1 of 2\nfiles: 2 of 2, 0.5/s\n" +
			"passages: 0 of 1088\npassages: 1000 of 1088, 250.0/s\npassages: 1088 of 1088, 181.3/s\n"
		if out.String() != want {
			t.Errorf("it says\n%s\nwant\n%s", &out, want)
		}
	})
}
