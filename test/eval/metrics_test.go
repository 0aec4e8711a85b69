package main

import (
	"math"
	"testing"
)

// The values are computed by hand: log2(2) = 1, log2(3) = 1.58496, log2(4) = 2,
// log2(5) = 2.32193.
func TestMeasures_AgainstHandComputedValues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name               string
		ranking            []string
		judged             judgements
		k                  int
		ndcg, recall, rank float64
	}{
		{"perfect", []string{"a", "b"}, judgements{"a": 1, "b": 1}, 10, 1, 1, 1},
		{"second and fourth", []string{"x", "a", "y", "b"}, judgements{"a": 1, "b": 1}, 10, 1.061607 / 1.630930, 1, .5},
		{"graded", []string{"a", "b", "c"}, judgements{"a": 1, "b": 3, "c": 2}, 10, 3.892789 / 4.761860, 1, 1},
		{"cut at two", []string{"x", "a", "b"}, judgements{"a": 1, "b": 1, "c": 1}, 2, .630930 / 1.630930, 1. / 3, .5},
		{"behind the cut", []string{"x", "y", "a"}, judgements{"a": 1}, 2, 0, 0, 0},
		{"more relevant than places", []string{"a"}, judgements{"a": 1, "b": 1}, 1, 1, .5, 1},
		{"an id that returns", []string{"a", "a", "b"}, judgements{"a": 1, "b": 1}, 2, 1, 1, 1},
		{"grades that are not positive", []string{"a", "b"}, judgements{"a": -1, "b": 1, "c": 0}, 10, .630930, 1, .5},
		{"nothing relevant", []string{"a"}, judgements{"a": 0}, 10, 0, 0, 0},
		{"nothing found", nil, judgements{"a": 1}, 10, 0, 0, 0},
	} {
		check := func(measure string, got, want float64) {
			if math.Abs(got-want) > 1e-5 {
				t.Errorf("%s: %s is %.6f, want %.6f", test.name, measure, got, want)
			}
		}
		check("nDCG", ndcg(test.ranking, test.judged, test.k), test.ndcg)
		check("recall", recall(test.ranking, test.judged, test.k), test.recall)
		check("reciprocal rank", reciprocalRank(test.ranking, test.judged, test.k), test.rank)
	}
}
