package index

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGrowth_Add(t *testing.T) {
	t.Parallel()
	var g growth
	var at []int
	for i := range 40 {
		if g.add(500) {
			at = append(at, 500*(i+1))
		}
	}
	if diff := cmp.Diff([]int{1000, 4000, 16000}, at); diff != "" {
		t.Errorf("statistics are renewed at (-want +got):\n%s", diff)
	}
}
