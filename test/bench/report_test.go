package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The page in docs/ follows from its data.
func TestReport_PageIsOfItsData(t *testing.T) {
	t.Parallel()
	const page = "../../docs/benchmarks.md"
	r, err := readReport(beside(page, ".json"))
	if err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(t.TempDir(), "page.md")
	if err := r.render(again, "benchmarks.svg"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(get(os.ReadFile(again))), string(get(os.ReadFile(page)))); diff != "" {
		t.Errorf("%s is not what make bench wrote (-want +got):\n%s", page, diff)
	}
}

func TestSlope(t *testing.T) {
	t.Parallel()
	xs := []float64{10, 1000, 100_000}
	for name, test := range map[string]struct {
		ys   []float64
		want float64
	}{
		"constant": {ys: []float64{7, 7, 7}, want: 0},
		"root":     {ys: []float64{1, 10, 100}, want: 0.5},
	} {
		if got := slope(xs, test.ys); got < test.want-1e-9 || got > test.want+1e-9 {
			t.Errorf("%s: slope %v, want %v", name, got, test.want)
		}
	}
}

func TestAlternate_BeginsWithEachInTurn(t *testing.T) {
	t.Parallel()
	var order string
	side := func(name string) timed {
		return whole(func(context.Context, int) { order += name })
	}
	s := alternate(t.Context(), 1, 3, side("a"), side("b"))
	if order != "abbaabba" || len(s.a) != 3 || len(s.b) != 3 {
		t.Errorf("order %s with %d and %d samples, want abbaabba with 3 and 3", order, len(s.a), len(s.b))
	}
}
