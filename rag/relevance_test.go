package rag_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
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

// A hybrid score is in [0,1], never below the cosine that a search by vector alone
// reports, and the cosine where no word of the query stands in the document.
func TestSearch_RelevanceIsNeverBelowTheCosine(t *testing.T) {
	t.Parallel()
	f := setup(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	f.Add(t, f.Tenant, randomDocuments(random, 60)...)
	raised, same := 0, 0
	for range 40 {
		text := randomWords(random, 1+random.IntN(8))
		if random.IntN(5) == 0 {
			text = "zebras in meadows"
		}
		cosines := f.cosines(t, text)
		_, vectors := f.found(t, rag.Query{Text: text, Mode: rag.Vector, Limit: 100})
		for _, hit := range vectors.Documents {
			if hit.Score != cosines[hit.Path] {
				t.Errorf("%q: %s scores %v by vector alone, want %v", text, hit.Path, hit.Score, cosines[hit.Path])
			}
		}
		found, hits := f.found(t, rag.Query{Text: text, Limit: 100})
		if len(found) != len(cosines) {
			t.Errorf("%q finds %d documents, want all %d", text, len(found), len(cosines))
		}
		for _, hit := range hits.Documents {
			cosine := cosines[hit.Path]
			switch {
			case hit.Score < cosine || hit.Score > 1:
				t.Errorf("%q: %s scores %v with a cosine of %v", text, hit.Path, hit.Score, cosine)
			case hit.Score > cosine:
				raised++
			default:
				same++
			}
			if text == "zebras in meadows" && hit.Score != cosine {
				t.Errorf("%q: %s scores %v where no word matches, want the cosine %v", text, hit.Path, hit.Score, cosine)
			}
		}
	}
	if raised == 0 || same == 0 {
		t.Errorf("%d scores were raised and %d were not, want some of each", raised, same)
	}
}

// Default thresholds of the tools.
const (
	searchThreshold = .5
	answerThreshold = .7
)

// A document with all content words of a query passes the thresholds before it has a
// vector and without Ollama; one that shares a single frequent word does not.
func TestSearch_ThresholdsKeepTheirMeaningWithoutVectors(t *testing.T) {
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
			f.mustFind(t, rag.Query{Text: text, Mode: mode, MinScore: answerThreshold}, want)
		}
		hits := f.mustFind(t, rag.Query{Text: "database encryption at rest", Mode: mode, MinScore: searchThreshold})
		if hits.Closest == nil || hits.Closest.Score >= searchThreshold {
			t.Errorf("closest is %+v, want one that shares a frequent word, below the threshold", hits.Closest)
		}
	}
}

// A question without an answer says so, and offers the closest document: in every mode
// the most relevant of all, although a promoted one ranks higher.
func TestSearch_ClosestIsTheMostRelevant(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant,
		file("docs/pool.md", "# Pool", "", "The connection pool of the driver holds ten connections."),
		atLevel("docs/rule.md", rag.Critical, "# Rule", "", "Of the connection pool each job takes one, and gives it back."))
	for _, mode := range rag.Modes() {
		hits := f.mustFind(t, rag.Query{Text: "connection pool of the tramway", Mode: mode, MinScore: .99})
		if hits.Closest == nil || hits.Closest.Path != "docs/pool.md" || hits.Closest.Score >= .99 {
			t.Errorf("mode %s: closest is %+v, want docs/pool.md below the threshold", mode, hits.Closest)
		}
	}
	hits := f.mustFind(t, rag.Query{Text: "tramway timetable", Mode: rag.Lexical})
	if hits.Closest != nil {
		t.Errorf("closest is %+v where no word is known", hits.Closest)
	}
}

// Identifiers find the document that has them, alone and inside a sentence, among
// others that have their parts.
func TestSearch_Identifiers(t *testing.T) {
	t.Parallel()
	f := setup(t)
	names := []string{"max_conns", "ErrNoRows", "--no-verify", "pgx.ErrTxClosed", "retryCount", "E4012", "net/http/pprof", "statement_timeout"}
	var files []document.File
	for i, name := range names {
		files = append(files, file(fmt.Sprintf("docs/%d.md", i), "# Note "+fmt.Sprint(i), "", "Here "+name+" was the reason, as it turned out."))
	}
	for i := range 10 {
		files = append(files, file(fmt.Sprintf("docs/parts%d.md", i), "# Parts", "",
			"The max of conns, err and no rows, retry and count, verify no statement, timeout of net http, E 4012 in pgx tx closed."))
	}
	files = append(files, file("docs/night.md", "# Deployment", "", "Each deployment at night takes an hour, and one in the morning takes two."))
	f.Add(t, f.Tenant, files...)
	for i, name := range names {
		want := fmt.Sprintf("docs/%d.md", i)
		for _, text := range []string{name, "What does " + name + " mean when the deployment fails at night?"} {
			for _, mode := range []rag.Mode{rag.Hybrid, rag.Lexical} {
				f.mustFind(t, rag.Query{Text: text, Mode: mode, Limit: 1}, want)
			}
		}
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

// Passages that are found before they are embedded are reported.
func TestSearcher_OnUnembedded(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, file("docs/pool.md", "# Pool", "", "The connection pool."))
	f.AddText(t, f.Tenant, file("docs/labels.md", "# Labels", "", "The printer knows no umlauts."))
	missing := f.Rows(t, "SELECT hash::text FROM passages p WHERE NOT EXISTS (SELECT 1 FROM embeddings e WHERE e.hash = p.hash)")
	all := f.Rows(t, "SELECT hash::text FROM passages")
	if len(missing) != 1 || len(all) != 2 {
		t.Fatalf("%d of %d passages have no vector", len(missing), len(all))
	}
	var asked []string
	f.Searcher.OnUnembedded(func(tenant *rag.Tenant, collection rag.Collection, hashes []uuid.UUID) {
		if !tenant.Same(f.Tenant) || collection != rag.Compounding {
			t.Errorf("asked for %s of %v", collection, tenant)
		}
		for _, hash := range hashes {
			asked = append(asked, hash.String())
		}
	})
	for _, test := range []struct {
		text string
		mode rag.Mode
		want []string
	}{
		{"umlauts", rag.Hybrid, missing},
		{"connection", rag.Vector, nil},
		{"umlauts", rag.Lexical, missing},
	} {
		asked = nil
		f.found(t, rag.Query{Text: test.text, Mode: test.mode})
		if diff := cmp.Diff(test.want, asked); diff != "" {
			t.Errorf("%q in mode %s asks for (-want +got):\n%s", test.text, test.mode, diff)
		}
	}
	f.Embed(t, f.Tenant, rag.Compounding)
	asked = nil
	f.found(t, rag.Query{Text: "umlauts"})
	if asked != nil {
		t.Errorf("asked for %v although all have vectors", asked)
	}
}
