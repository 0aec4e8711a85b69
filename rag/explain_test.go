package rag_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag"
)

// An explanation is of the search that people get: the same documents in the same order,
// with evidence that makes their scores.
func TestExplain_IsOfTheSearch(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant,
		file("docs/pool.md", "The pool of max_conns ran dry."),
		file("docs/important.md", "---", "promotion_level: important", "---", "A pool of buses."),
		file("docs/fruit.md", "Bananas are yellow."))
	f.AddText(t, f.Tenant, file("docs/new.md", "A pool without a vector."))
	query := rag.Query{Text: "the pool of max_conns", Limit: 10}
	want, _ := f.found(t, query)
	got, err := f.Searcher.Explain(t.Context(), f.Scope(), query)
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{}
	for _, hit := range got.Documents {
		paths = append(paths, hit.Path)
		if hit.Evidence.Score() != hit.Hit.Score || hit.Key != hit.Hit.Score*hit.Boost {
			t.Errorf("%s has score %g and key %g, from %+v and boost %g", hit.Path, hit.Hit.Score, hit.Key, hit.Evidence, hit.Boost)
		}
		if embedded, boosted := hit.Path != "docs/new.md", hit.Path == "docs/important.md"; (hit.Cosine != nil) != embedded || (hit.Boost > 1) != boosted {
			t.Errorf("%s has cosine %v and boost %g", hit.Path, hit.Cosine, hit.Boost)
		}
	}
	if diff := cmp.Diff(want, paths); diff != "" || len(paths) != 4 || got.Candidates != 4 {
		t.Errorf("explained documents (-found +explained):\n%s", diff)
	}
	terms := map[string]int{}
	for _, term := range got.Terms {
		terms[term.Term] = term.Frequency
		if !term.Finds || term.Weight <= 0 {
			t.Errorf("term %+v finds nothing", term)
		}
	}
	if diff := cmp.Diff(map[string]int{"pool": 3, "max_conns": 1, "max": 1, "conn": 1}, terms); diff != "" {
		t.Errorf("terms in %d passages (-want +got):\n%s", got.Sampled, diff)
	}
	if diff := cmp.Diff([]string{"max_conns"}, got.Identifiers); diff != "" {
		t.Errorf("identifiers (-want +got):\n%s", diff)
	}
	levels := map[rag.Level]string{}
	for _, plan := range got.Plans {
		levels[plan.Levels[0]] = plan.Plan
	}
	if diff := cmp.Diff(map[rag.Level]string{rag.Standard: "exact", rag.Important: "exact"}, levels); diff != "" {
		t.Errorf("plans (-want +got):\n%s", diff)
	}
}
