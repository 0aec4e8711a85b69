package catalog_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/rag/catalog"
)

func TestNewStandings_Superseded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		later map[string][]string
		want  map[string]int
	}{
		{"one after the other", map[string][]string{"a": {"b"}, "b": {"c"}}, map[string]int{"a": 2, "b": 1}},
		{"the longest way counts", map[string][]string{"a": {"d", "b"}, "b": {"c"}, "c": {"d"}}, map[string]int{"a": 3, "b": 2, "c": 1}},
		{"itself", map[string][]string{"a": {"a"}}, map[string]int{}},
		{"none", nil, map[string]int{}},
	} {
		got := catalog.NewStandings(nil, test.later, nil)
		for path, later := range test.later {
			if generations := got.Generations(path); generations != test.want[path] {
				t.Errorf("%s: %d documents replace %s, want %d", test.name, generations, path, test.want[path])
			}
			want := later[0]
			if want == path {
				want = ""
			}
			if by := got.Of(path, "").SupersededBy; by != want {
				t.Errorf("%s: %s is replaced by %q, want %q", test.name, path, by, want)
			}
		}
	}
	// In a circle no document is replaced; one that a document of it replaces is.
	circle := catalog.NewStandings(nil, map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"a"}, "old": {"a"}}, nil)
	for path, want := range map[string]string{"a": "", "b": "", "c": "", "old": "a"} {
		if got := circle.Of(path, "").SupersededBy; got != want {
			t.Errorf("in a circle %q replaces %s, want %q", got, path, want)
		}
	}
	if got := catalog.NewStandings(nil, map[string][]string{"a": {"b"}, "b": {"a"}, "old": {"a"}}, nil).Latest("old"); got != "a" {
		t.Errorf("the latest document before a circle is %s", got)
	}
	// The time grows with the documents, not with their square.
	const many = 100_000
	chain := map[string][]string{}
	for i := range many {
		chain[strconv.Itoa(i)] = []string{strconv.Itoa(i + 1)}
	}
	standings := catalog.NewStandings(nil, chain, nil)
	if got := standings.Generations("0"); got != many {
		t.Errorf("%d documents replace the first of many", got)
	}
	for path := range chain {
		if got := standings.Latest(path); got != strconv.Itoa(many) {
			t.Fatalf("the latest document after %s is %s", path, got)
		}
	}
}

// A proposal does not replace what holds, and a rejected document replaces nothing.
func TestStandings_OfUndecidedSuccessors(t *testing.T) {
	t.Parallel()
	said := func(status catalog.Status) catalog.Said { return catalog.Said{Status: status} }
	for _, test := range []struct {
		name         string
		older, later catalog.Status
		want         string
	}{
		{"accepted", "", catalog.Active, "superseded by ./new.md"},
		{"no status", "", "", "superseded by ./new.md"},
		{"no longer valid itself", catalog.Active, catalog.Deprecated, "superseded by ./new.md"},
		{"proposed", catalog.Active, catalog.Proposed, ""},
		{"rejected", catalog.Active, catalog.Rejected, ""},
		{"a proposal for another", catalog.Proposed, catalog.Proposed, "superseded by ./new.md"},
		{"a rejected proposal for another", catalog.Proposed, catalog.Rejected, "proposed"},
		{"the old one says so", catalog.Replaced, catalog.Proposed, "superseded by ./new.md"},
	} {
		is := map[string]catalog.Said{"old.md": said(test.older), "new.md": said(test.later)}
		replacing := catalog.NewStandings(is, map[string][]string{"old.md": {"new.md"}}, nil)
		if got := replacing.Of("old.md", "2026-11-26").Mark(); got != test.want {
			t.Errorf("%s: the mark is %q, want %q", test.name, got, test.want)
		}
		amended := catalog.NewStandings(is, nil, map[string][]string{"old.md": {"new.md"}}).Of("old.md", "2026-11-26").AmendedBy
		if (amended != "") != (replacing.Of("old.md", "2026-11-26").SupersededBy != "") {
			t.Errorf("%s: it is amended by %q", test.name, amended)
		}
	}
}

func TestStanding_MarkNamesDocumentsOutside(t *testing.T) {
	t.Parallel()
	outside, err := filepath.Abs("new.md")
	if err != nil {
		t.Fatal(err)
	}
	outside = filepath.ToSlash(outside)
	for path, want := range map[string]string{"docs/new.md": "superseded by ./docs/new.md", outside: "superseded by " + outside} {
		if got := (catalog.Standing{SupersededBy: path}).Mark(); got != want {
			t.Errorf("the mark is %q, want %q", got, want)
		}
		if got, _ := strings.CutPrefix(want, "superseded by "); catalog.Shown(path) != got {
			t.Errorf("%s is shown as %s", path, catalog.Shown(path))
		}
	}
}

// A proposal holds, with a mark, until its day is over. It is no active document for a filter.
func TestStandings_AProposalHolds(t *testing.T) {
	t.Parallel()
	s := catalog.NewStandings(map[string]catalog.Said{"a.md": {Status: catalog.Proposed, Until: "2026-01-31"}}, nil, nil)
	for day, want := range map[string]string{"2026-01-31": "proposed, true", "2026-02-01": "expired 2026-01-31, false"} {
		if of := s.Of("a.md", day); fmt.Sprintf("%s, %t", of.Mark(), of.Holds()) != want {
			t.Errorf("on %s it is %q, and holds: %t", day, of.Mark(), of.Holds())
		}
	}
	if only, _ := s.Paths([]catalog.Status{catalog.Proposed}, "2026-01-31"); !slices.Equal(only, []string{"a.md"}) {
		t.Errorf("proposed are %q", only)
	}
	if _, without := s.Paths([]catalog.Status{catalog.Active}, "2026-01-31"); !slices.Equal(without, []string{"a.md"}) {
		t.Errorf("not active are %q", without)
	}
}
