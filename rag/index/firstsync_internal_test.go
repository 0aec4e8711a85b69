package index

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// During a first sync two batches are written at a time, and later one.
func TestFirstSync_SemaphoreWeight(t *testing.T) {
	t.Parallel()
	var sync firstSync
	if got := sync.semaphoreWeight(); got != maxWriters {
		t.Errorf("before it is known what the index has, a writer's share is %d, want %d", got, maxWriters)
	}
	for _, tt := range []struct {
		first bool
		want  int64
	}{{true, 1}, {false, maxWriters}} {
		sync.begin(tt.first)
		if got := sync.semaphoreWeight(); got != tt.want {
			t.Errorf("first sync %v: a writer's share is %d, want %d", tt.first, got, tt.want)
		}
	}
}

func TestFirstSync_NeedsAnalyze(t *testing.T) {
	t.Parallel()
	batch := []*prepared{{passages: make([]passage, 300)}, {passages: make([]passage, 200)}}
	var f firstSync
	grown := func() (at []int) {
		for i := range 10 {
			if f.needsAnalyze(batch) {
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
