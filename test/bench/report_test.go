package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReport_KeepsRowsThatWereNotMeasuredAgain(t *testing.T) {
	t.Parallel()
	r := report{
		Rows: []Row{
			{Name: "sync.noop.ratio", Value: 2, Commit: "old"},
			{Name: "search.recall10.min", Value: 0.9, Target: atLeast(0.995), Commit: "old", Reason: "of a bug"},
		},
		Curves: []curve{{Name: "p50", Passages: []float64{1}, MS: []float64{1}}, {Name: "exact"}},
	}
	r.put(Row{Name: "search.recall10.min", Value: 1, Unit: "share", Target: atLeast(0.995), Commit: "new"}, nil)
	r.put(Row{Name: "start.handshake.ratio", Value: 2, Target: atMost(1.5), Commit: "new", Reason: "it is slow"},
		[]curve{{Name: "p50", Passages: []float64{2}, MS: []float64{3}}})

	var got []string
	for _, row := range r.Rows {
		got = append(got, strings.Join([]string{row.Name, row.Commit, row.Verdict()}, " "))
	}
	want := []string{"start.handshake.ratio new short", "sync.noop.ratio old ok", "search.recall10.min new ok"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	wantCurves := []curve{{Name: "exact"}, {Name: "p50", Passages: []float64{2}, MS: []float64{3}}}
	if diff := cmp.Diff(wantCurves, r.Curves); diff != "" {
		t.Errorf("curves (-want +got):\n%s", diff)
	}

	page := rendered(t, r, "page.svg")
	for _, part := range []string{
		"| `search.recall10.min` | 1 | share | ≥ 0.995 | ok |", "**short**", "**Short because** it is slow.", "](page.svg)",
	} {
		if !strings.Contains(page, part) {
			t.Errorf("the page lacks %q:\n%s", part, page)
		}
	}
	if strings.Contains(page, "of a bug") {
		t.Error("a row that meets its target has a reason for missing it")
	}
}

func rendered(t *testing.T, r report, picture string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.md")
	if err := r.render(file, picture); err != nil {
		t.Fatal(err)
	}
	return content(t, file)
}

func content(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The page in docs/ is what its data makes.
func TestReport_PageIsOfItsData(t *testing.T) {
	t.Parallel()
	const page = "../../docs/benchmarks.md"
	r, err := readReport(beside(page, ".json"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rendered(t, r, "benchmarks.svg"), content(t, page)); diff != "" {
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
		return whole(func(context.Context, int) error { order += name; return nil })
	}
	s, err := alternate(t.Context(), 1, 3, side("a"), side("b"))
	if err != nil {
		t.Fatal(err)
	}
	if order != "abbaabba" || len(s.a) != 3 || len(s.b) != 3 {
		t.Errorf("order %s with %d and %d samples, want abbaabba with 3 and 3", order, len(s.a), len(s.b))
	}
}
