package index

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGrowth_Add(t *testing.T) {
	t.Parallel()
	var g growth
	grown := func() (at []int) {
		for i := range 10 {
			if g.add(500) {
				at = append(at, 500*(i+1))
			}
		}
		return at
	}
	if got := grown(); got != nil {
		t.Errorf("statistics are renewed at %v before it is known what there is", got)
	}
	g.begin(true)
	if diff := cmp.Diff([]int{1000, 4000}, grown()); diff != "" {
		t.Errorf("statistics of a table that was empty are renewed at (-want +got):\n%s", diff)
	}
	g.begin(false)
	if got := grown(); got != nil {
		t.Errorf("statistics of a table that was filled are renewed at %v", got)
	}
}
