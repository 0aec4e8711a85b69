package rag_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/document"
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

// A document with all content words of a query passes the threshold before it has a
// vector and without Ollama; one that shares a single frequent word does not.
func TestSearch_ThresholdsHoldWithoutVectors(t *testing.T) {
	t.Parallel()
	f := setup(t)
	files := []document.File{
		file("docs/pool.md", "# Jobs", "", "Nightly jobs leaked connections until the pool of the database was exhausted."),
		file("docs/long.md", "# Umlauts", "", strings.Repeat("Some filler about nothing in particular stands here. ", 35),
			"The printer drops umlauts on labels."),
	}
	for i := range 20 {
		files = append(files, file(fmt.Sprintf("docs/other%d.md", i), "# Notes "+fmt.Sprint(i), "",
			"The database of the office has a backup, number "+fmt.Sprint(i)+"."))
	}
	f.AddText(t, f.Tenant, files...)
	for _, mode := range []rag.Mode{rag.Lexical, rag.Hybrid} {
		for text, want := range map[string]string{
			"why did jobs leak connections": "docs/pool.md",
			"database pool exhausted":       "docs/pool.md",
			"umlauts on labels":             "docs/long.md",
			"which printer drops umlauts":   "docs/long.md",
		} {
			f.mustFind(t, rag.Query{Text: text, Mode: mode, MinScore: searchThreshold}, want)
		}
		hits := f.mustFind(t, rag.Query{Text: "database encryption at rest", Mode: mode, MinScore: searchThreshold})
		if len(hits.Closest) != 5 || hits.Closest[0].Score >= searchThreshold {
			t.Errorf("closest are %q, want five that share a frequent word, below the threshold", paths(hits.Closest))
		}
	}
}
