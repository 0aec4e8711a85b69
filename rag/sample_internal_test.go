package rag

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// sampled is a sample of so many passages, as if the project had count of them. Each
// passage has the terms that its number is divisible by the divisors of.
func sampled(t *testing.T, size, count int, divisors map[string]int) *sample {
	t.Helper()
	rows := make([]db.PassageSampleRow, size)
	for i := range rows {
		share := float64(i+1) / float64(count)
		binary.BigEndian.PutUint64(rows[i].Hash[:8], uint64(share*math.MaxUint64))
		for word, divisor := range divisors {
			if i%divisor == 0 {
				rows[i].Terms = append(rows[i].Terms, termOf(t, word))
			}
		}
		slices.Sort(rows[i].Terms)
	}
	return newSample(rows)
}

func termOf(t *testing.T, word string) int32 {
	t.Helper()
	query := terms.NewQuery(1, word)
	if len(query.Terms) != 1 {
		t.Fatalf("%q has %d terms", word, len(query.Terms))
	}
	return query.Terms[0].Hash
}

func TestSample_Frequencies(t *testing.T) {
	t.Parallel()
	s := sampled(t, 100, 100, map[string]int{"harbour": 1, "crane": 2, "lorry": 50})
	for word, want := range map[string]int{"harbour": 100, "crane": 50, "lorry": 2, "train": 0} {
		if got := s.frequency(termOf(t, word)); got != want {
			t.Errorf("%s stands in %d passages, want %d", word, got, want)
		}
	}
}

// How many passages there are is known from a sample of them.
func TestSample_CountsPassages(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, count := range []int{0, 10, 1999, 2000, 5000, 100_000} {
		hashes := make([]uint64, count)
		for i := range hashes {
			hashes[i] = random.Uint64()
		}
		slices.Sort(hashes)
		rows := make([]db.PassageSampleRow, min(count, sampleSize))
		for i := range rows {
			binary.BigEndian.PutUint64(rows[i].Hash[:8], hashes[i])
		}
		got := newSample(rows).passages
		if wrong := math.Abs(float64(got-count)) / float64(max(count, 1)); wrong > .08 || count < sampleSize && wrong > 0 {
			t.Errorf("%d passages are taken for %d", count, got)
		}
	}
}

// The rarest terms find the passages, as many as match a part of them.
func TestSample_RareTerms(t *testing.T) {
	t.Parallel()
	divisors := map[string]int{"harbour": 1, "crane": 4, "lorry": 20, "train": 25}
	for _, test := range []struct {
		name        string
		size, count int
		query       string
		want        []string
	}{
		{"all of few passages", 900, 900, "harbour crane lorry", []string{"lorry", "crane", "harbour"}},
		{"all but the frequent one", 2000, 2000, "harbour crane lorry", []string{"lorry", "crane"}},
		{"only frequent ones", 2000, 2000, "harbour", []string{"harbour"}},
		{"unknown ones first", 2000, 2000, "harbour gauge lorry", []string{"gauge", "lorry"}},
		{"no more than 5,000", 2000, 80_000, "crane lorry train", []string{"train"}},
		{"what terms have in common counts once", 2000, 60_000, "lorry train", []string{"train", "lorry"}},
		{"none", 2000, 2000, "the of", []string{}},
	} {
		want := []int32{}
		for _, word := range test.want {
			want = append(want, termOf(t, word))
		}
		s := sampled(t, test.size, test.count, divisors)
		if diff := cmp.Diff(want, s.rareTerms(terms.NewQuery(1, test.query), s.maxMatches())); diff != "" {
			t.Errorf("%s: terms (-want +got):\n%s", test.name, diff)
		}
	}
}

// A sample holds until documents of the project change, and a full one for a minute
// longer.
func TestSample_Fresh(t *testing.T) {
	t.Parallel()
	small, full, old := sampled(t, 10, 10, nil), sampled(t, sampleSize, 5000, nil), sampled(t, sampleSize, 5000, nil)
	small.version, full.version, old.version = 7, 7, 7
	old.readAt = old.readAt.Add(-2 * sampleAge)
	for _, test := range []struct {
		name    string
		sample  *sample
		version int64
		want    bool
	}{
		{"as it was read", small, 7, true},
		{"after a change", small, 8, false},
		{"full, after a change", full, 8, true},
		{"full and old", old, 7, true},
		{"full and old, after a change", old, 8, false},
	} {
		if got := test.sample.fresh(test.version); got != test.want {
			t.Errorf("%s: fresh is %v", test.name, got)
		}
	}
}
