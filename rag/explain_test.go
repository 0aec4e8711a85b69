package rag_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
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
		terms := hit.Evidence.Parts()
		sum := terms.Meaning + terms.Strength + terms.Share + terms.Phrase + terms.Passages + terms.Base
		// One of them has the whole of this short query.
		if hit.LogOdds != sum && (hit.Path != "docs/pool.md" || hit.LogOdds != max(sum, 0)) {
			t.Errorf("%s has the log-odds %g and score %g, of %+v", hit.Path, hit.LogOdds, hit.Score, terms)
		}
		// The cosine of docs/new.md is of the built-in vectors.
		if promoted := hit.Path == "docs/important.md"; hit.Cosine() == nil || (hit.Key > hit.LogOdds) != promoted {
			t.Errorf("%s has cosine %v and key %g of %g", hit.Path, hit.Cosine(), hit.Key, hit.LogOdds)
		}
	}
	if diff := cmp.Diff(want, paths); diff != "" || len(paths) != 4 || got.Candidates != 4 || got.Passages != 4 {
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
	levels := map[catalog.Level]string{}
	for _, plan := range got.Plans {
		levels[plan.Levels[0]] = plan.Plan
	}
	if diff := cmp.Diff(map[catalog.Level]string{catalog.Standard: "exact", catalog.Important: "exact"}, levels); diff != "" {
		t.Errorf("plans (-want +got):\n%s", diff)
	}
}
