package rank

import (
	"path"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/rag/relevance"
	"github.com/compound-docs/compound-docs/rag/wordvec"
)

// maxNear is how many of the first documents [Question.withNear] compares with the query.
const maxNear = 10

// withNear returns the documents. It marks each of the first maxNear documents that is near the query: by words, by the
// model's vectors, or by the built-in vectors of single words. One of these kinds of evidence is enough. In a score,
// each missing kind counts against the document.
func (q Question) withNear(ranked []Hit, passages int) []Hit {
	if q.Unasked || q.EachPassage || !q.ByWords || len(q.Lines) > 0 {
		return ranked
	}
	marked, query := slices.Clone(ranked), wordvec.NewQuery(q.Text)
	onEach(min(len(marked), maxNear), func(i int) {
		hit := &marked[i]
		closeness, words, meaning := hit.compare(query), hit.Evidence, hit.Evidence
		words.Form, meaning.Form = relevance.Words, relevance.Meaning
		hit.near = relevance.Score(words.Calibrated(words.LogOdds())) >= relevance.Likely ||
			hit.byModel() && relevance.Score(meaning.Calibrated(meaning.LogOdds())) >= relevance.Likely ||
			closeness.Sum() >= relevance.Near(passages, closeness.Pieces)
	})
	return marked
}

// NearnessTo returns by how much the document's closeness to a text exceeds [relevance.Near]. It compares single words
// by the built-in vectors.
func (h Hit) NearnessTo(text string) float64 {
	c := h.compare(wordvec.NewQuery(text))
	return c.Sum() - relevance.Near(h.Passages, c.Pieces)
}

// compare compares the words of the query with the document's file name, title, summary, tags and best passage.
func (h Hit) compare(query wordvec.Query) wordvec.Closeness {
	name := strings.TrimSuffix(path.Base(h.Path), path.Ext(h.Path))
	return query.Compare(strings.Join([]string{name, h.Title, h.Summary, h.Tags, h.HeaderPath, h.Content}, "\n"))
}
