package rag_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/calibration"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/relevance"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// randomDocuments have words of a small vocabulary, so that they share many, and some
// identifiers.
func randomDocuments(random *rand.Rand, count int) []document.File {
	files := make([]document.File, count)
	for i := range files {
		files[i] = file(fmt.Sprintf("docs/%03d.md", i), "# "+randomWords(random, 3), "", randomWords(random, 10+random.IntN(60)))
	}
	return files
}

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

// cosines returns the similarities of a text and the documents, of one passage each, as
// the database computes them.
func (f *fixture) cosines(t *testing.T, text string) map[string]float64 {
	t.Helper()
	rows, err := f.Pool.Query(t.Context(), `SELECT d.relative_path, 1 - (e.embedding <=> $1::halfvec)::float8
		FROM embeddings e JOIN document_chunks c ON c.passage_hash = e.hash JOIN documents d ON d.id = c.document_id`,
		pgvector.NewHalfVector(fakeollama.Vector(text, 1024)))
	if err != nil {
		t.Fatal(err)
	}
	cosines := map[string]float64{}
	var path string
	var cosine float64
	if _, err := pgx.ForEachRow(rows, []any{&path, &cosine}, func() error {
		cosines[path] = cosine
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return cosines
}

// A search by vectors alone scores by the meaning of the cosines. So does a hybrid one if no
// document has a word of the query.
func TestSearch_ScoresByMeaning(t *testing.T) {
	t.Parallel()
	f := setup(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	const documents = 60
	f.Add(t, f.Tenant, randomDocuments(random, documents)...)
	var calibrated calibration.Calibration
	if err := f.Pool.QueryRow(t.Context(), "SELECT matched, unmatched, variance, own_first FROM embedding_models").Scan(
		&calibrated.Matched, &calibrated.Unmatched, &calibrated.Variance, &calibrated.OwnFirst); err != nil {
		t.Fatal(err)
	}
	for mode, texts := range map[rag.Mode][]string{
		rag.Vector: {randomWords(random, 3), randomWords(random, 8), "zebras in meadows"}, rag.Hybrid: {"zebras in meadows"},
	} {
		for _, text := range texts {
			cosines := f.cosines(t, text)
			found, hits := f.found(t, rag.Query{Text: text, Mode: mode, Limit: 100})
			if len(found) != documents {
				t.Errorf("%q finds %d documents, want all %d", text, len(found), documents)
			}
			all := make([]relevance.Evidence, len(hits.Documents))
			for i, hit := range hits.Documents {
				all[i] = relevance.Evidence{
					Form: relevance.Meaning, Signals: relevance.Signals{Meaning: calibrated.LogOdds(cosines[hit.Path])}, Passages: documents,
				}
			}
			for i, hit := range hits.Documents {
				evidence := all[i]
				evidence.Crowd = relevance.CrowdOf(all)
				want := relevance.Score(evidence.Calibrated(evidence.LogOdds()))
				if math.Abs(hit.Score-want) > 1e-6 {
					t.Errorf("%q in mode %s: %s scores %v, want %v", text, mode, hit.Path, hit.Score, want)
				}
			}
		}
	}
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

// A question without an answer says so, and names the closest documents: in every mode
// the most relevant first, although a promoted one ranks higher.
func TestSearch_ClosestAreTheMostRelevant(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant,
		file("docs/pool.md", "# Pool", "", "The connection pool of the driver holds ten connections."),
		atLevel("docs/rule.md", catalog.Critical, "# Rule", "", "Of the connection pool each job takes one, and gives it back."))
	for _, mode := range rag.Modes() {
		hits := f.mustFind(t, rag.Query{Text: "connection pool of the tramway", Mode: mode, MinScore: .99})
		if diff := cmp.Diff([]string{"docs/pool.md", "docs/rule.md"}, paths(hits.Closest)); diff != "" || hits.Closest[0].Score >= .99 {
			t.Errorf("mode %s: closest (-want +got):\n%s", mode, diff)
		}
		if snippet := hits.Closest[0].Snippet; !strings.Contains(snippet, "connection pool") {
			t.Errorf("the closest has the snippet %q", snippet)
		}
	}
	hits := f.mustFind(t, rag.Query{Text: "tramway timetable", Mode: rag.Lexical})
	if len(hits.Closest) != 0 {
		t.Errorf("closest are %q where no word is known", paths(hits.Closest))
	}
}

// The snippet is of the best passage, around the words of the query.
func TestSearch_Snippet(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, file("docs/long.md", "# Long", "", strings.Repeat("Some filler about nothing in particular. ", 20),
		"The printer drops umlauts on labels.", strings.Repeat("More filler about nothing. ", 20)))
	hits := f.mustFind(t, rag.Query{Text: "umlauts on labels"}, "docs/long.md")
	snippet := hits.Documents[0].Snippet
	if !strings.Contains(snippet, "The printer drops umlauts on labels.") || len([]rune(snippet)) > 200 {
		t.Errorf("snippet %q, want at most 200 characters around the words", snippet)
	}
}
