package rank

import (
	"path"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/rag/relevance"
	"github.com/compound-docs/compound-docs/rag/wordvec"
)

const (
	// maxCompared is how many documents are compared with the query word by word.
	maxCompared = 20
	// maxNear is how many documents may answer for their nearness alone.
	maxNear = 10
)

// nearestFirst compares the first documents with the query word by word, and orders them by that too. What counts is how
// much nearer a document is than these documents on average, because few texts are near a long query. Missing documents
// count as unrelated. The documents behind count as the least near, and stay behind. A pasted text has too many words.
func (q Question) nearestFirst(ranked []Hit) []Hit {
	if !q.BuiltIn || len(q.Lines) > 0 {
		return ranked
	}
	nearness, query := make([]float64, maxCompared), wordvec.NewQuery(q.Text)
	onEach(min(len(ranked), maxCompared), func(i int) {
		c := ranked[i].compare(query)
		ranked[i].closeness, nearness[i] = c, relevance.Nearness(c.Covered, c.Cosine, c.Pieces)
	})
	mean, least := 0.0, slices.Min(nearness)
	for _, x := range nearness {
		mean += x / maxCompared
	}
	for i, hit := range ranked {
		if i < maxCompared {
			ranked[i] = hit.withNearness(nearness[i] - mean)
		} else {
			ranked[i] = hit.withNearness(least - mean)
		}
	}
	slices.SortFunc(ranked[:min(len(ranked), maxCompared)], compareHits)
	return ranked
}

// withNearness adds a kind of evidence.
func (h Hit) withNearness(nearness float64) Hit {
	before := h.Evidence.LogOdds()
	h.Nearness = nearness
	more := h.Evidence.LogOdds() - before
	h.LogOdds, h.Key = h.LogOdds+more, h.Key+more
	return h
}

// withNear returns the documents, and marks which of the first are near the query, whatever their scores. One kind of
// evidence is enough. In a score, a lack of another kind, and words that only the query has, count against a document.
func (q Question) withNear(ranked []Hit, passages int) []Hit {
	if q.Unasked || q.EachPassage || !q.ByWords || len(q.Lines) > 0 {
		return ranked
	}
	marked, query := slices.Clone(ranked), wordvec.NewQuery(q.Text)
	onEach(min(len(marked), maxNear), func(i int) {
		hit := &marked[i]
		closeness := hit.closeness
		if closeness.Pieces == 0 { // nearestFirst has not compared it
			closeness = hit.compare(query)
		}
		words, meaning := hit.Evidence, hit.Evidence
		words.Form, meaning.Form = relevance.Words, relevance.Meaning
		hit.near = relevance.Score(words.Calibrated(words.LogOdds())) >= relevance.Likely ||
			hit.byModel() && relevance.Score(meaning.Calibrated(meaning.LogOdds())) >= relevance.Likely ||
			closeness.Sum() >= relevance.Near(passages, closeness.Pieces)
	})
	return marked
}

// NearnessTo returns how much nearer the document is to a text than a document that is near by accident. It compares
// title, summary, tags and best passage with the text word by word, by the built-in vectors.
func (h Hit) NearnessTo(text string) float64 {
	c := h.compare(wordvec.NewQuery(text))
	return c.Sum() - relevance.Near(h.Passages, c.Pieces)
}

// compare compares the document with a query word by word. The name of a file says what it is about.
func (h Hit) compare(query wordvec.Query) wordvec.Closeness {
	name := strings.TrimSuffix(path.Base(h.Path), path.Ext(h.Path))
	return query.Compare(strings.Join([]string{name, h.Title, h.Summary, h.Tags, h.HeaderPath, h.Content}, "\n"))
}
