package rank

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/rag/terms"
)

// sampled is a sample of so many passages, as if the project had count of them. Each
// passage has the terms that its number is divisible by the divisors of.
func sampled(t *testing.T, size, count int, divisors map[string]int) *Sample {
	t.Helper()
	passages := make([]string, size)
	for i := range passages {
		var terms []string
		for word, divisor := range divisors {
			if i%divisor == 0 {
				terms = append(terms, strconv.Itoa(int(termOf(t, word))))
			}
		}
		passages[i] = strings.Join(terms, ",")
	}
	return read(t, size, uint64(float64(size)/float64(count)*math.MaxUint64), strings.Join(passages, ";"))
}

// read is a sample whose largest hash begins with last.
func read(t *testing.T, size int, last uint64, terms string) *Sample {
	t.Helper()
	var hash uuid.UUID
	binary.BigEndian.PutUint64(hash[:8], last)
	s, err := NewSample(terms, size, hash.String(), 7)
	if err != nil {
		t.Fatal(err)
	}
	return s.At(7)
}

func termOf(t *testing.T, word string) int32 {
	t.Helper()
	query := terms.NewQuery(1, word)
	if len(query.Terms) != 1 {
		t.Fatalf("%q has %d terms", word, len(query.Terms))
	}
	return query.Terms[0].Hash
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
		query := terms.NewQuery(1, test.query)
		if diff := cmp.Diff(want, s.rareTerms(query, s.maxMatches(query))); diff != "" {
			t.Errorf("%s: terms (-want +got):\n%s", test.name, diff)
		}
	}
}

// A long query has rare terms enough to look at fewer passages.
func TestSample_LongQuery(t *testing.T) {
	t.Parallel()
	s := sampled(t, 2000, 15_000, nil)
	for count, want := range map[int]float64{longQuery - 1: 4500, longQuery: 1500} {
		got := s.maxMatches(terms.Query{Terms: make([]terms.QueryTerm, count)})
		if math.Abs(got-want) > .01*want {
			t.Errorf("a query of %d terms may match %g passages, want %g", count, got, want)
		}
	}
}

// After a change a document may have a term that the sample lacks.
func TestSample_Complete(t *testing.T) {
	t.Parallel()
	s, unknown := sampled(t, 10, 10, nil), terms.NewQuery(1, "gauge")
	for version, want := range map[int64]bool{7: false, 8: true} {
		if _, got := s.At(version).rarest(unknown); got != want {
			t.Errorf("at version %d of 7 a term that the sample lacks may stand in a document: %v", version, got)
		}
	}
}
