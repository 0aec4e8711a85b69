package eval_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/eval"
	"github.com/compound-docs/compound-docs/rag/relevance"
	"github.com/compound-docs/compound-docs/rag/terms"
	"github.com/compound-docs/compound-docs/test/ragtest"
	"github.com/compound-docs/compound-docs/test/testenv"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// envCollections names folders of collections in BEIR's form to simulate too, with
// the list separator of paths between them.
const envCollections = "CDOCS_TEST_COLLECTIONS"

// Simulated cosines are base + spread·(noise + strength·grade), where noise is normal
// and the grade is that of the judgements, 1 at most. So they are mostly from .3 to
// .9, as those of real models are.
const (
	base   = 0.5
	spread = 0.08
)

// question is one with an answer, and what the collection's documents have for it.
type question struct {
	judged    eval.Judgements
	documents []found
}

type found struct {
	path  string
	grade float64
	// words is the evidence of the document's passages, without a cosine.
	words []relevance.Evidence
	noise float64
}

// score is the relevance of the best passage; a mode that does not use a cosine gives
// nil, and one that does not use words sets onlyCosine.
func (d found) score(cosine *float64, onlyCosine bool) float64 {
	if onlyCosine {
		return relevance.Evidence{Cosine: cosine}.Score()
	}
	best := 0.0
	for _, e := range d.words {
		e.Cosine = cosine
		best = max(best, e.Score())
	}
	return best
}

// TestSimulation_HybridIsAboveBoth shows what search gains from words when vectors are
// as good as words or better, which no model is that runs in a test. The words are
// those of real documents and questions, the cosines are simulated: the strength is
// chosen so that the nDCG@10 of vectors alone is that of words alone, or differs from
// it by so much. In one half of the runs the noise has nothing to do with the words, in
// the other its correlation with their score is .5: such a model errs where words err.
func TestSimulation_HybridIsAboveBoth(t *testing.T) {
	t.Parallel()
	for name, read := range collections(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			questions := read(t)
			lexical := ndcg(questions, func(d found) float64 { return d.score(nil, false) })
			for _, correlation := range []float64{0, .5} {
				addNoise(questions, correlation)
				for _, test := range []struct{ above, allowed float64 }{{-.05, 0}, {0, 0}, {.05, 0}, {.1, .02}} {
					strength := strengthFor(questions, lexical+test.above)
					vector := ndcg(questions, func(d found) float64 { return d.score(d.cosine(strength), true) })
					hybrid := ndcg(questions, func(d found) float64 { return d.score(d.cosine(strength), false) })
					t.Logf("correlation %.1f: vector %.3f, lexical %.3f, hybrid %.3f (strength %.2f)",
						correlation, vector, lexical, hybrid, strength)
					if better := max(vector, lexical); hybrid < better-test.allowed {
						t.Errorf("correlation %.1f: hybrid is %.3f, below %.3f of the better of the others", correlation, hybrid, better)
					}
				}
			}
		})
	}
}

func (d found) cosine(strength float64) *float64 {
	cosine := min(base+spread*(d.noise+strength*d.grade), 1)
	return &cosine
}

// ndcg is the mean of nDCG@10.
func ndcg(questions []question, score func(found) float64) float64 {
	sum := 0.0
	for _, q := range questions {
		type scored struct {
			path  string
			score float64
		}
		order := make([]scored, len(q.documents))
		for i, d := range q.documents {
			order[i] = scored{d.path, score(d)}
		}
		slices.SortStableFunc(order, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
		ranking := make([]string, 0, 10)
		for _, d := range order[:min(10, len(order))] {
			ranking = append(ranking, d.path)
		}
		sum += eval.NDCG(ranking, q.judged, 10)
	}
	return sum / float64(len(questions))
}

// strengthFor returns the strength with which vectors alone have the nDCG@10.
func strengthFor(questions []question, want float64) float64 {
	low, high := 0.0, 20.0
	for range 15 {
		middle := (low + high) / 2
		if ndcg(questions, func(d found) float64 { return d.score(d.cosine(middle), true) }) < want {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// addNoise draws the noise, the same each time, with a standard deviation of 1 and the
// correlation with the score by words.
func addNoise(questions []question, correlation float64) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, q := range questions {
		var sum, squares float64
		for _, d := range q.documents {
			s := d.score(nil, false)
			sum, squares = sum+s, squares+s*s
		}
		n := float64(len(q.documents))
		mean := sum / n
		deviation := math.Sqrt(max(squares/n-mean*mean, 1e-12))
		for i, d := range q.documents {
			words := (d.score(nil, false) - mean) / deviation
			q.documents[i].noise = correlation*words + math.Sqrt(1-correlation*correlation)*random.NormFloat64()
		}
	}
}

// collections are our own and those that the environment names, by name.
func collections(t *testing.T) map[string]func(t *testing.T) []question {
	t.Helper()
	all := map[string]func(t *testing.T) []question{"our own": func(t *testing.T) []question {
		t.Helper()
		collection, err := eval.ReadQueries("corpus", documents(t))
		if err != nil {
			t.Fatal(err)
		}
		return questionsOf(t, collection)
	}}
	for _, dir := range filepath.SplitList(os.Getenv(envCollections)) {
		all[filepath.Base(dir)] = func(t *testing.T) []question {
			t.Helper()
			collection, err := eval.Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			for i, d := range collection.Documents {
				collection.Documents[i].Text = "# " + strings.Join(strings.Fields(d.Title), " ") + "\n\n" + d.Text
			}
			return questionsOf(t, collection)
		}
	}
	return all
}

// passageTerms is a passage with the weights of its terms.
type passageTerms struct {
	path, heading, content string
	weights                map[int32]float64
}

// questionsOf indexes the collection's texts, and finds what each document has of the
// words of each question.
func questionsOf(t *testing.T, collection *eval.Collection) (questions []question) {
	t.Helper()
	passages, frequency := index(t, collection.Documents)
	for _, asked := range collection.Queries {
		q := question{judged: collection.Judged[asked.ID]}
		highest := 0
		for _, grade := range q.judged {
			highest = max(highest, grade)
		}
		if highest == 0 {
			continue
		}
		count := func(term int32) int { return frequency[term] }
		query := terms.NewQuery(1, asked.Text)
		weighted := query.Weigh(len(passages), count)
		query = query.WithoutCommonIdentifiers(len(passages), count)
		for _, p := range passages {
			if last := len(q.documents) - 1; last < 0 || q.documents[last].path != p.path {
				grade := max(float64(q.judged[p.path])/float64(highest), 0)
				q.documents = append(q.documents, found{path: p.path, grade: grade})
			}
			last := &q.documents[len(q.documents)-1]
			last.words = append(last.words, p.evidence(query, weighted))
		}
		questions = append(questions, q)
	}
	return questions
}

func (p passageTerms) evidence(query terms.Query, weighted terms.Weighted) (e relevance.Evidence) {
	bm25 := 0.0
	for i, term := range weighted.Terms {
		bm25 += float64(weighted.Weights[i]) * p.weights[term]
	}
	if bm25 > 0 {
		e.Share, e.Phrase = weighted.Share(bm25), query.Phrase(p.heading, p.content)
	}
	return e
}

// index returns the passages that the index makes of the documents, in the order of
// their ids, and in how many of them each term occurs.
func index(t *testing.T, documents []eval.Document) (passages []passageTerms, frequency map[int32]int) {
	t.Helper()
	f, frequency := ragtest.New(t), map[int32]int{}
	files, ids := []document.File{}, map[string]string{}
	for _, d := range documents {
		path := url.PathEscape(d.ID) + ".md"
		ids[path] = d.ID
		files = append(files, ragtest.File(path, d.Text))
	}
	for batch := range slices.Chunk(files, 100) {
		if failures := f.AddText(t, f.Tenant, batch...); len(failures) > 0 {
			t.Fatal(failures)
		}
	}
	rows, err := f.Pool.Query(t.Context(), `SELECT d.relative_path, p.heading, p.content FROM document_chunks c
		JOIN documents d ON d.id = c.document_id JOIN passages p ON p.hash = c.passage_hash ORDER BY 1, c.ordinal`)
	if err != nil {
		t.Fatal(err)
	}
	var p passageTerms
	if _, err := pgx.ForEachRow(rows, []any{&p.path, &p.heading, &p.content}, func() error {
		hashes, weights := terms.Document(1, p.heading, p.content)
		p.weights = make(map[int32]float64, len(hashes))
		for i, hash := range hashes {
			p.weights[hash] = float64(weights[i])
			frequency[hash]++
		}
		id, ok := ids[p.path]
		if !ok {
			return fmt.Errorf("%s is no document of the collection", p.path)
		}
		passages = append(passages, passageTerms{id, p.heading, p.content, p.weights})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return passages, frequency
}
