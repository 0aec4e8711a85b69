package terms

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Rows of an index hold these numbers. A change of them means that every passage
// must be analysed again.
func TestDocument_KeepsWhatIsStored(t *testing.T) {
	t.Parallel()
	terms, weights := Document(42, English, "Pools", "The pool of max_conns.")
	want := map[string]float64{"pool": 3, "max_conns": 1, "max": 1, "conn": 1}
	if len(terms) != len(want) {
		t.Fatalf("got %d terms, want %d", len(terms), len(want))
	}
	for term, tf := range want {
		i := slices.Index(terms, hashTerm(42, term))
		if i < 0 {
			t.Errorf("the term %q is missing", term)
			continue
		}
		// 2 for the heading, and the, pool, of, max and conns.
		length := 7.0
		weight := tf * 3 / (tf + 2*(.25+.75*length/150))
		if math.Abs(float64(weights[i])-weight) > 1e-6 {
			t.Errorf("%q weighs %v, want %v", term, weights[i], weight)
		}
	}
	got := []int32{hashTerm(1, "pool"), hashTerm(2, "pool"), hashTerm(1, ""), hashTerm(-1, "数据")}
	if diff := cmp.Diff([]int32{52765495, 22423632, 910006839, 252353185}, got); diff != "" {
		t.Errorf("hashes (-want +got):\n%s", diff)
	}
}
