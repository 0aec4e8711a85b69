package index

import (
	"testing"

	"github.com/google/uuid"
)

// A search by words alone names all that it finds, because it does not look at vectors.
func TestQueue_PreferCostsNothingWhereNoVectorIsMissing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status QueueStatus
		stale  bool
		looks  int
	}{
		"not counted yet":            {stale: true, looks: 1},
		"some are missing":           {status: QueueStatus{Chunks: 9, Missing: 2}, looks: 1},
		"none is missing":            {status: QueueStatus{Chunks: 9}, looks: 0},
		"what is missing is refused": {status: QueueStatus{Chunks: 9, Missing: 1}, looks: 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := (&Index{}).Queue(nil)
			q.status, q.stale = test.status, test.stale
			q.refused = map[uuid.UUID]error{uuid.New(): nil}
			q.Prefer([]uuid.UUID{uuid.New()})
			if len(q.wake) != test.looks || len(q.asked) != test.looks {
				t.Errorf("%d looks for %d passages, want %d", len(q.wake), len(q.asked), test.looks)
			}
		})
	}
}
