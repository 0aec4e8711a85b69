package terms

import (
	"math"
	"slices"
	"strings"
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

func TestDocument_BoundsTermsAndLength(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	for i := range 3 * maxTerms {
		body.WriteString(" w")
		for n := i; n > 0; n /= 26 {
			body.WriteByte(byte('a' + n%26))
		}
	}
	terms, weights := Document(1, English, "heading", body.String())
	if len(terms) != maxTerms {
		t.Errorf("got %d terms, want %d", len(terms), maxTerms)
	}
	if !slices.Contains(terms, hashTerm(1, "head")) {
		t.Error("the heading's term is missing")
	}
	if least := slices.Min(weights); least < .66 {
		t.Errorf("a term weighs %v in a long passage, want at least .66", least)
	}
}
