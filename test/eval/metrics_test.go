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

// The mean of n values of a fair coin has a standard error of ½/√n, and 95 % of samples
// lie within 1.96 of it.
func TestBootstrap_GivesTheIntervalOfTheMean(t *testing.T) {
	t.Parallel()
	values := make([]float64, 400)
	for i := range values {
		values[i] = float64(i % 2)
	}
	got := bootstrap(values)
	if got.Value != .5 || math.Abs(got.Low-.451) > .006 || math.Abs(got.High-.549) > .006 {
		t.Errorf("got %+v, want .5 within .451 and .549", got)
	}
	if again := bootstrap(values); again != got {
		t.Errorf("got %+v, then %+v of the same values", got, again)
	}
	if none := bootstrap(nil); none != (estimate{}) {
		t.Errorf("got %+v of no values", none)
	}
}
