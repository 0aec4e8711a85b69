package rag

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/catalog"
)

func TestExactThreshold(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		wanted int32
		size   int64
		want   int64
	}{
		{"before the first ANALYZE", 40, 0, alwaysExact},
		{"a small collection", 40, 5_000, alwaysExact},
		{"a large one", 40, 1_000_000, 12_649},
		{"more documents wanted of it", 160, 1_000_000, 25_298},
		{"more passages than there can be", 400, 1 << 62, 85_899_345_920},
	} {
		if got := exactThreshold(tt.wanted, tt.size); got != tt.want {
			t.Errorf("%s: %d passages, want %d", tt.name, got, tt.want)
		}
	}
}

func TestGroup_CandidateLimit(t *testing.T) {
	t.Parallel()
	promoted, standard := []catalog.Level{catalog.Important, catalog.Critical}, []catalog.Level{catalog.Standard}
	for _, tt := range []struct {
		name       string
		query      Query
		levels     []catalog.Level
		promoted   bool
		limit      int32
		candidates int32
	}{
		{"standard", Query{Limit: 10, Mode: Vector}, standard, false, 20, 40},
		{"standard, many wanted", Query{Limit: 30, Mode: Vector}, standard, false, 40, 120},
		{"standard of a doc-type", Query{Limit: 10, Mode: Vector, DocTypes: []string{"tool"}}, standard, false, 20, 20},
		{"promoted", Query{Limit: 10, Mode: Vector}, promoted, true, 20, 40},
		{"critical", Query{Limit: 10, Mode: Vector}, promoted[1:], true, 20, 20},
		{"promoted of a doc-type", Query{Limit: 10, Mode: Vector, DocTypes: []string{"tool"}}, promoted, true, 20, 20},
		{"all levels at once", Query{Limit: 10, Mode: Vector}, catalog.Levels(), false, 20, 40},
		{"beside words", Query{Limit: 10}, standard, false, 100, 150},
		{"beside words, many wanted", Query{Limit: 100}, standard, false, 200, 400},
		{"promoted, beside words", Query{Limit: 10}, promoted, true, 50, 75},
		{"beside words, of a doc-type", Query{Limit: 10, DocTypes: []string{"tool"}}, standard, false, 100, 100},
	} {
		g := newGroup(tt.query, tt.levels)
		if g.promoted() != tt.promoted || g.limit != tt.limit || g.candidateLimit() != tt.candidates {
			t.Errorf("%s: promoted %v, %d of %d candidates, want %v, %d of %d",
				tt.name, g.promoted(), g.limit, g.candidateLimit(), tt.promoted, tt.limit, tt.candidates)
		}
	}
}

// The vectors of standard documents and of those above are searched apart, unless
// passages are asked for. Critical documents that are asked for apart are in no other
// group.
func TestNewCandidates_Groups(t *testing.T) {
	t.Parallel()
	standard, important, critical := catalog.Standard, catalog.Important, catalog.Critical
	type levels = [][]catalog.Level
	for _, tt := range []struct {
		name           string
		query          Query
		words, vectors levels
	}{
		{"all", Query{}, levels{{standard, important, critical}}, levels{{standard}, {important, critical}}},
		{"one level", Query{Levels: []catalog.Level{important}}, levels{{important}}, levels{{important}}},
		{"promoted ones", Query{Levels: []catalog.Level{important, critical}}, levels{{important, critical}}, levels{{important, critical}}},
		{"critical ones apart", Query{Critical: 20}, levels{{standard, important}, {critical}}, levels{{standard}, {important}, {critical}}},
		{"critical ones alone", Query{Critical: 20, Levels: []catalog.Level{critical}}, levels{{critical}}, levels{{critical}}},
		{"passages", Query{EachPassage: true}, levels{{standard, important, critical}}, levels{{standard, important, critical}}},
	} {
		c := newCandidates(tt.query)
		of := func(groups []*group) (all levels) {
			for _, g := range groups {
				all = append(all, g.levels)
			}
			return all
		}
		if diff := cmp.Diff(tt.words, of(c.words)); diff != "" {
			t.Errorf("%s: groups by words (-want +got):\n%s", tt.name, diff)
		}
		if diff := cmp.Diff(tt.vectors, of(c.vectors)); diff != "" {
			t.Errorf("%s: groups by vectors (-want +got):\n%s", tt.name, diff)
		}
	}
}

// steps returns those of a search by vectors of a tenant with so many passages. A scan
// finds enough or not, as enough says.
func steps(passages int64, enough bool) (went []string) {
	f := facts{counts: passageCounts{{PromotionLevel: catalog.Standard, Passages: passages}}}
	g := newGroup(Query{Limit: 10}, []catalog.Level{catalog.Standard})
	for g.choosePlan(f); g.plan != planNothing; {
		g.found = nil
		if went = append(went, string(g.plan)); g.plan == planHNSW && enough {
			g.found = make([]candidate, g.wanted)
		}
		if g.complete() {
			break
		}
	}
	return went
}

// Few passages are compared and many are scanned for. If a scan does not find enough,
// all are compared.
func TestGroup_Plan(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		passages int64
		enough   bool
		want     []string
	}{
		{"none", 0, true, nil},
		{"few", alwaysExact, true, []string{"exact"}},
		{"many", alwaysExact + 1, true, []string{"hnsw"}},
		{"many, far away", alwaysExact + 1, false, []string{"hnsw", "exact"}},
	} {
		if diff := cmp.Diff(tt.want, steps(tt.passages, tt.enough)); diff != "" {
			t.Errorf("%s: the search went (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A group is as large as its filter lets through, and is scanned for in the index that
// has it.
func TestGroup_PlanOfAFilter(t *testing.T) {
	t.Parallel()
	f := facts{counts: passageCounts{
		{PromotionLevel: catalog.Standard, Passages: 5900}, {PromotionLevel: catalog.Important, Passages: 2000},
	}, indexed: 1_000_000}
	for _, tt := range []struct {
		name      string
		query     Query
		levels    []catalog.Level
		total     int64
		exactUpTo int64
		plan      searchPlan
	}{
		{"all", Query{Limit: 10}, catalog.Levels(), 7900, 24494, planExact},
		{"standard", Query{Limit: 10, Mode: Vector}, catalog.Levels()[:1], 5900, 12649, planExact},
		{"of a doc-type", Query{Limit: 10, DocTypes: []string{"tool"}}, catalog.Levels()[:1], 5900, 20000, planExact},
		{"critical, of which there is none", Query{Limit: 10}, catalog.Levels()[2:], 0, alwaysExact, planNothing},
		{"promoted, of a small index", Query{Limit: 10}, catalog.Levels()[1:], 2000, alwaysExact, planHNSW},
	} {
		g := newGroup(tt.query, tt.levels)
		if g.choosePlan(f); g.total != tt.total || g.exactUpTo != tt.exactUpTo || g.plan != tt.plan {
			t.Errorf("%s: plan %s of %d passages, exact up to %d, want %s of %d, up to %d",
				tt.name, g.plan, g.total, g.exactUpTo, tt.plan, tt.total, tt.exactUpTo)
		}
	}
}

// A scan whose passages are of too few documents looks for more of them, up to a
// bound.
func TestGroup_ScansFurther(t *testing.T) {
	t.Parallel()
	g := newGroup(Query{Limit: 10}, []catalog.Level{catalog.Standard})
	g.plan, g.nearest = planHNSW, 200
	var looked []int32
	for g.plan == planHNSW {
		looked = append(looked, g.nearest)
		g.found = []candidate{{Candidates: int64(g.nearest)}}
		if g.complete() {
			t.Fatalf("one document is enough after %v", looked)
		}
	}
	if diff := cmp.Diff([]int32{200, 400, 800, 1600}, looked); diff != "" {
		t.Errorf("passages looked for (-want +got):\n%s", diff)
	}
}
