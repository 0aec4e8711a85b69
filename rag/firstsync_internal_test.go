package rag

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Writers of a first sync share, later ones take turns.
func TestFirstSync_WriterShare(t *testing.T) {
	t.Parallel()
	f := newRouteFixture(t)
	tenant := f.tenant(t, "main", 1) // in Compounding
	for collection, want := range map[Collection]int64{External: 1, Compounding: maxWriters} {
		x := f.library.Indexer(tenant, collection, nil)
		if got := x.firstSync.writerShare(); got != maxWriters {
			t.Errorf("%s: before it is known what the index has, a writer's share is %d, want %d", collection, got, maxWriters)
		}
		if _, err := x.Known(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := x.firstSync.writerShare(); got != want {
			t.Errorf("%s: a writer's share is %d, want %d", collection, got, want)
		}
	}
}

func TestFirstSync_Outgrows(t *testing.T) {
	t.Parallel()
	batch := []*prepared{{passages: make([]passage, 300)}, {passages: make([]passage, 200)}}
	var f firstSync
	grown := func() (at []int) {
		for i := range 10 {
			if f.outgrows(batch) {
				at = append(at, 500*(i+1))
			}
		}
		return at
	}
	if got := grown(); got != nil {
		t.Errorf("statistics are renewed at %v chunks of a later sync", got)
	}
	f.begin(true)
	if diff := cmp.Diff([]int{1000, 2000, 3000, 4500}, grown()); diff != "" {
		t.Errorf("statistics are renewed at (-want +got):\n%s", diff)
	}
	f.begin(false)
	if got := grown(); got != nil {
		t.Errorf("statistics are renewed at %v chunks of a later sync", got)
	}
}
