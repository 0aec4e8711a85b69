package rag_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/rag"
)

func randomWords(random *rand.Rand, count int) string {
	vocabulary := strings.Fields(`harbour crane lorry train gauge bridge canal sluice tide barge rope pier winch mast keel
		max_conns ErrNoRows --no-verify pgx.Conn retryCount the is of with anchor shore sail oar hull deck cabin`)
	words := make([]string, count)
	for i := range words {
		// The first words are frequent, the last ones rare.
		words[i] = vocabulary[min(random.IntN(len(vocabulary)), random.IntN(len(vocabulary)))]
	}
	return strings.Join(words, " ")
}

// A model whose cosines mean nothing is ignored: words and built-in vectors decide.
func TestSearch_UnusableModel(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant,
		file("docs/pool.md", "# Pool", "", "The connection pool was exhausted."), file("docs/labels.md", "# Labels", "", "No umlauts."))
	for name, statement := range map[string]string{
		"puts too few answers first": "UPDATE embedding_models SET matched = .5, unmatched = .1, variance = .01, own_first = .6",
		"is not measured yet":        "UPDATE embedding_models SET matched = NULL, unmatched = NULL, variance = NULL, own_first = NULL",
	} {
		if _, err := f.Pool.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
		f.Searcher = f.NewSearcher(f.Models)
		t.Run(name, func(t *testing.T) {
			mustCover(t, f.mustFind(t, rag.Query{Text: "exhausted pool", Limit: 1}, "docs/pool.md"),
				rag.Coverage{Mode: rag.Hybrid, BuiltIn: true, Embedded: 1})
			// A search that asks for vectors gets them, by the cosine.
			_, hits := f.found(t, rag.Query{Text: "exhausted pool", Mode: rag.Vector})
			if got := paths(hits.Documents); len(got) != 2 || got[0] != "docs/pool.md" || hits.Documents[0].Score >= searchThreshold {
				t.Errorf("by vector it finds %q, with %v", got, hits.Documents)
			}
		})
	}
}

// searchThreshold is the default of semantic_search.
const searchThreshold = .5
