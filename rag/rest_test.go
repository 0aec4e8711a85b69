package rag_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// A search of an index at rest reads passages before it knows that nothing has changed. After a change it
// returns what a searcher returns that knows nothing yet.
func TestSearch_MeetsChangesAtRest(t *testing.T) {
	t.Parallel()
	for _, mode := range rag.Modes() {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			search := func(searcher *rag.Searcher) (paths []string, scores []float64, coverage rag.Coverage) {
				t.Helper()
				hits, err := searcher.Search(t.Context(), f.Scope(), rag.Query{Text: "exhausted pool", Mode: mode, Limit: 10})
				if err != nil {
					t.Fatal(err)
				}
				for _, hit := range hits.Documents {
					paths, scores = append(paths, hit.Path), append(scores, hit.Score)
				}
				return paths, scores, hits.Coverage
			}
			f.Add(t, f.Tenant, file("docs/pool.md", "# Pool", "", "The pool was exhausted; raise max_conns."))
			for _, change := range []struct {
				name string
				make func()
			}{
				{"a document", func() {
					f.Add(t, f.Tenant, file("docs/again.md", "# Exhausted pool", "", "The pool was exhausted again."))
				}},
				{"text without a vector", func() {
					f.AddText(t, f.Tenant, file("docs/text.md", "# Text", "", "Another exhausted pool, drained."))
				}},
				{"its vector", func() { f.Embed(t, f.Tenant, catalog.Compounding) }},
				{"a level", func() {
					f.Add(t, f.Tenant, atLevel("docs/text.md", catalog.Critical, "# Text", "", "Another exhausted pool, drained."))
				}},
				{"a successor", func() {
					f.Add(t, f.Tenant, file("docs/new.md", "---", "supersedes: docs/pool.md", "---", "# Pool", "", "An exhausted pool."))
				}},
				{"another branch", func() {
					f.Add(t, f.Branch(t, "other"), file("docs/other.md", "# Other", "", "An exhausted pool elsewhere."))
				}},
				{"a removal", func() {
					indexer := f.Index.Indexer(f.Tenant, catalog.Compounding, nil)
					if err := indexer.Remove(t.Context(), []string{"docs/again.md"}); err != nil {
						t.Fatal(err)
					}
				}},
				{"a model", func() { f.Fake.AddModel("mxbai-embed-large", "sha256:another") }},
				{"the model's vectors", func() { f.Embed(t, f.Tenant, catalog.Compounding) }},
			} {
				search(f.Searcher)
				search(f.Searcher) // finds nothing changed, on which the next search relies
				change.make()
				paths, scores, coverage := search(f.Searcher)
				wantPaths, wantScores, wantCoverage := search(f.NewSearcher(f.Models))
				if diff := cmp.Diff(wantPaths, paths) + cmp.Diff(wantScores, scores) + cmp.Diff(wantCoverage, coverage); diff != "" {
					t.Errorf("after %s (-want +got):\n%s", change.name, diff)
				}
			}
		})
	}
}

// A search keeps the counts and the sample of a large project for a while, but not its list of successors.
func TestSearch_MeetsASuccessorAtRest(t *testing.T) {
	t.Parallel()
	f := setup(t)
	files := []document.File{file("docs/old.md", "# Pool", "", "The pool was exhausted.")}
	for i := range 2100 { // more than a sample has
		files = append(files, file(fmt.Sprintf("docs/%d.md", i), "# Note", "", fmt.Sprintf("Something about subject%d.", i)))
	}
	f.AddText(t, f.Tenant, files...)
	query := rag.Query{Text: "exhausted pool", Mode: rag.Lexical}
	for range 3 {
		f.mustFind(t, query, "docs/old.md")
	}
	f.AddText(t, f.Tenant, file("docs/new.md", "---", "supersedes: docs/old.md", "---", "# Pool", "", "The pool was exhausted."))
	hits := f.mustFind(t, query, "docs/new.md", "docs/old.md")
	if by := hits.Documents[1].SupersededBy; by != "docs/new.md" {
		t.Errorf("the old one is superseded by %q", by)
	}
}

// Soon after the first of many documents, words weigh what they weigh in all of them: a sample of the first ones is
// not kept. A search that begins with all documents scores the same.
func TestSearch_ScoresTheSameSoonAfterAFirstSync(t *testing.T) {
	t.Parallel()
	f := setup(t)
	query := rag.Query{Text: "how is the pool of subject3 rotated", Mode: rag.Lexical, Limit: 3}
	note := func(i int) document.File {
		words := "Something about the pool."
		if i > 600 {
			words = fmt.Sprintf("How subject%d is rotated.", i%7)
		}
		return file(fmt.Sprintf("docs/%d.md", i), fmt.Sprint("# Note ", i), "", words)
	}
	var files []document.File
	for i := range 1800 {
		files = append(files, note(i))
	}
	f.AddText(t, f.Tenant, files[:620]...)
	f.found(t, query)
	f.AddText(t, f.Tenant, files[620:]...)
	_, soon := f.found(t, query)
	fresh, err := f.NewSearcher(noServer{}).Search(t.Context(), f.Scope(), query)
	if err != nil {
		t.Fatal(err)
	}
	if len(fresh.Documents) == 0 || len(soon.Documents) != len(fresh.Documents) {
		t.Fatalf("found %d, and by a new searcher %d", len(soon.Documents), len(fresh.Documents))
	}
	for i, hit := range fresh.Documents {
		if math.Abs(hit.Score-soon.Documents[i].Score) > 1e-9 {
			t.Errorf("%s scores %g soon and %g later", hit.Path, soon.Documents[i].Score, hit.Score)
		}
	}
}
