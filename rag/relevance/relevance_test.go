package relevance_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/compound-docs/compound-docs/rag/relevance"
)

func TestScore_OfKnownEvidence(t *testing.T) {
	t.Parallel()
	cosine := func(c float64) *float64 { return &c }
	for _, test := range []struct {
		name     string
		evidence relevance.Evidence
		want     float64
	}{
		{"the cosine where no word matches", relevance.Evidence{Cosine: cosine(.6)}, .6},
		{"both", relevance.Evidence{Cosine: cosine(.5), Share: .5}, 1 - .5*(1-.35)},
		{"all three", relevance.Evidence{Cosine: cosine(.5), Share: .5, Phrase: 1}, 1 - .5*(1-.35)*.2},
		{"three quarters of the words without a vector", relevance.Evidence{Share: .75}, .768},
		{"nothing known", relevance.Evidence{}, relevance.Prior},
		{"a negative cosine", relevance.Evidence{Cosine: cosine(-.2)}, 0},
		{"no number", relevance.Evidence{Cosine: cosine(math.NaN()), Share: math.NaN(), Phrase: math.NaN()}, 0},
		{"beyond the range", relevance.Evidence{Cosine: cosine(1.1), Share: 3, Phrase: 2}, 1},
	} {
		if got := test.evidence.Score(); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

// A query's passages must pass the default thresholds by their words alone, and
// a stray word must not.
func TestScore_KeepsTheMeaningOfThresholdsWithoutAVector(t *testing.T) {
	t.Parallel()
	if all := (relevance.Evidence{Share: .7}).Score(); all < .7 {
		t.Errorf("the least share of a passage with all terms scores %v, below .7", all)
	}
	if stray := (relevance.Evidence{Share: .25}).Score(); stray >= .5 {
		t.Errorf("a quarter of the evidence scores %v, not below .5", stray)
	}
}

func TestScore_IsBoundedAndMonotone(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		low := relevance.Evidence{Share: random.Float64(), Phrase: random.Float64()}
		high := relevance.Evidence{
			Share:  low.Share + (1-low.Share)*random.Float64(),
			Phrase: low.Phrase + (1-low.Phrase)*random.Float64(),
		}
		if random.IntN(4) > 0 {
			a := random.Float64()
			b := a + (1-a)*random.Float64()
			low.Cosine, high.Cosine = &a, &b
		}
		l, h := low.Score(), high.Score()
		if l < 0 || h > 1 {
			t.Fatalf("%v and %v are not in [0,1]", l, h)
		}
		if l > h {
			t.Fatalf("%+v scores %v, more than %v of %+v with more evidence", low, l, h, high)
		}
		if low.Cosine != nil && l < *low.Cosine {
			t.Fatalf("%v is below the cosine %v", l, *low.Cosine)
		}
		if none := (relevance.Evidence{Cosine: low.Cosine}).Score(); low.Cosine != nil && none != *low.Cosine {
			t.Fatalf("%v is not the cosine %v", none, *low.Cosine)
		}
	}
}
