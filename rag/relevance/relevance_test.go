package relevance_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/compound-docs/compound-docs/rag/relevance"
)

func mustBe(t *testing.T, name string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s: got %v, want %v", name, got, want)
	}
}

// The sums are made by hand. ln 100 is 4.605170186.
func TestLogOdds(t *testing.T) {
	t.Parallel()
	signals := relevance.Signals{Meaning: 5, Strength: 3, Share: .8}
	for _, test := range []struct {
		name     string
		evidence relevance.Evidence
		want     float64
	}{
		{"nothing known, of one passage", relevance.Evidence{Passages: 1}, -4.8},
		{"nothing known, of none", relevance.Evidence{}, -4.8},
		{"nothing known, of a hundred", relevance.Evidence{Passages: 100}, -.8*4.605170186 - 4.8},
		{"words and meaning", relevance.Evidence{Signals: signals, Phrase: .5, Passages: 100}, 2 + 7.5 + 2.4 + 2 - .8*4.605170186 - 4.8},
		{"words alone", relevance.Evidence{Form: relevance.Words, Signals: signals, Phrase: .5, Passages: 100}, 9 + 2.8 + 1.25 - .7*4.605170186 - 6.3},
		{"words and built-in vectors", relevance.Evidence{Form: relevance.BuiltIn, Signals: signals, Phrase: .5, Passages: 100}, 1.5 + 9 + 2.16 + 1.5 - .75*4.605170186 - 5.6},
		{"meaning alone", relevance.Evidence{Form: relevance.Meaning, Signals: signals, Phrase: .5, Passages: 100}, 2.5 - .2*4.605170186 - 1},
		{"a cosine that speaks against it", relevance.Evidence{Signals: relevance.Signals{Meaning: -10}, Passages: 1}, -8.8},
	} {
		if got := test.evidence.LogOdds(); math.Abs(got-test.want) > 1e-8 {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

// Where all documents are near or have the words, one that does is worth less. A project of a few has no crowd.
func TestCrowdOf(t *testing.T) {
	t.Parallel()
	near := relevance.Evidence{Form: relevance.BuiltIn, Signals: relevance.Signals{Meaning: 4}, Passages: 1}
	far, byWords := near, relevance.Evidence{Form: relevance.Words, Signals: relevance.Signals{Meaning: 4, Strength: 3}, Passages: 1}
	far.Meaning = -20
	for _, test := range []struct {
		documents []relevance.Evidence
		want      relevance.Crowd
	}{
		{nil, relevance.Crowd{Meaning: -6, Words: -6}},
		{[]relevance.Evidence{near, far}, relevance.Crowd{Meaning: -5, Words: -6}},
		{[]relevance.Evidence{byWords}, relevance.Crowd{Meaning: -6, Words: -6 + .87}}, // 3 · 3 - 6.3 is 8.7 more than -6
		{slices.Repeat([]relevance.Evidence{near}, 20), relevance.Crowd{Meaning: 4, Words: -6}},
	} {
		got := relevance.CrowdOf(test.documents)
		mustBe(t, "the meaning of the crowd", got.Meaning, test.want.Meaning)
		mustBe(t, "the words of the crowd", got.Words, test.want.Words)
	}
	for _, form := range []relevance.Form{relevance.BuiltIn, relevance.Words} {
		alone, among := relevance.Evidence{Form: form, Crowd: relevance.CrowdOf(nil)}, relevance.Evidence{Form: form}
		if alone.LogOdds() != among.LogOdds() || alone.Calibrated(1) <= among.Calibrated(1) {
			t.Errorf("a document has %g alone and %g among others like it", alone.Calibrated(1), among.Calibrated(1))
		}
	}
}

// The evidence of a long text is bounded: twice the query and twice the matches are no
// more.
func TestStrength(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ bm25, queryWeight, want float64 }{
		{0, 20, 0},
		{0, 0, 0}, // no terms at all
		{19, 20, math.Log(20)},
		{40, 80, math.Log(41)},
		{40, 160, math.Log(21)},
		{80, 320, math.Log(21)},
	} {
		mustBe(t, "strength", relevance.Strength(test.bm25, test.queryWeight), test.want)
	}
}

// A passage keeps six tenths of its own signals. Four tenths are the best of its document, which
// may come from several passages.
func TestSignals_Within(t *testing.T) {
	t.Parallel()
	best := relevance.Signals{Meaning: 2, Strength: 4, Share: .5}
	got := relevance.Signals{Meaning: 2, Strength: 1, Share: 0}.Within(best)
	mustBe(t, "meaning", got.Meaning, 2)
	mustBe(t, "strength", got.Strength, .6+1.6)
	mustBe(t, "share", got.Share, .2)
	if got := best.Within(best); got != best {
		t.Errorf("the only passage of a document has %+v of %+v", got, best)
	}
}

func TestMeaningDecides(t *testing.T) {
	t.Parallel()
	for known, want := range map[float64]bool{0: true, .19: true, .2: false, 1: false} {
		if got := relevance.MeaningDecides(known); got != want {
			t.Errorf("with %v of the words known meaning decides: %v", known, got)
		}
	}
}

// More of any evidence never lowers the odds, and more passages never raise them.
func TestLogOdds_IsMonotone(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		low := relevance.Evidence{
			Form: []relevance.Form{relevance.Both, relevance.Words, relevance.BuiltIn, relevance.Meaning}[random.IntN(4)], Phrase: random.Float64(),
			Signals:  relevance.Signals{Meaning: 20 * random.NormFloat64(), Strength: 5 * random.Float64(), Share: random.Float64()},
			Passages: 1 + random.IntN(10_000),
		}
		high := low
		high.Meaning += random.Float64()
		high.Strength += random.Float64()
		high.Share += (1 - low.Share) * random.Float64()
		high.Phrase += (1 - low.Phrase) * random.Float64()
		high.Passages = 1 + random.IntN(low.Passages)
		if l, h := low.LogOdds(), high.LogOdds(); l > h {
			t.Fatalf("%+v has %v, more than %v of %+v", low, l, h, high)
		}
	}
}
