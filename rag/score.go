package rag

import (
	"cmp"
	"math"
	"slices"

	"github.com/compound-docs/compound-docs/rag/relevance"
)

// promotedBoost multiplies the sort key of documents above the standard level, unless
// others replace them.
// The reported score stays the relevance.
const promotedBoost = 1.5

// evidence returns the signals of one passage.
func (l *lookup) evidence(heading, content string, bm25, distance float64) relevance.Evidence {
	var e relevance.Evidence
	if !math.IsNaN(distance) {
		cosine := 1 - distance
		e.Cosine = &cosine
	}
	if l.mode != Vector && bm25 > 0 {
		e.Share, e.Phrase = l.weights.Share(bm25), l.terms.Phrase(heading, content)
	}
	return e
}

// ranked returns the documents, or with eachPassage the passages, of a list in order
// of relevance, each with the passage that is most relevant of those found.
func (l *lookup) ranked(list *list) []Hit {
	type key struct {
		document int64
		ordinal  int
	}
	candidates := list.candidates()
	found := make([]Hit, len(candidates))
	onEach(len(found), func(i int) {
		row, hit := candidates[i], newHit(candidates[i])
		hit.SupersededBy, hit.generations = l.superseded.by[hit.Path], l.superseded.generations[hit.Path]
		hit.evidence = l.evidence(row.Heading, row.Content, row.Bm25, row.Distance)
		hit.Score = hit.evidence.Score()
		found[i] = hit
	})
	best := map[key]Hit{}
	for _, hit := range found {
		k := key{document: hit.id}
		if list.words.eachPassage {
			k.ordinal = hit.ordinal
		}
		if other, ok := best[k]; !ok || hit.Score > other.Score || hit.Score == other.Score && hit.ordinal < other.ordinal {
			best[k] = hit
		}
	}
	hits := make([]Hit, 0, len(best))
	for _, hit := range best {
		hits = append(hits, hit)
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.sortKey(), a.sortKey()), cmp.Compare(a.generations, b.generations),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.ordinal, b.ordinal))
	})
	return hits
}

func newHit(row candidate) Hit {
	return Hit{
		Path: row.RelativePath, Title: row.Title, Summary: row.Summary, CharCount: int(row.CharCount),
		DocType: row.DocType, Date: row.DocDate, Level: row.PromotionLevel,
		HeaderPath: row.HeaderPath, StartLine: int(row.StartLine), EndLine: int(row.EndLine),
		id: row.ID, ordinal: int(row.Ordinal), content: row.Content, hash: row.Hash, hasVector: !math.IsNaN(row.Distance),
	}
}

func (h Hit) sortKey() float64 { return h.Score * h.boost() }

// boost returns the factor of the score in the order of the results.
func (h Hit) boost() float64 {
	switch {
	case h.SupersededBy != "":
		return supersededFactor
	case h.Level != Standard:
		return promotedBoost
	default:
		return 1
	}
}

// hits applies threshold and limit to a list.
func (l *lookup) hits(list *list) Hits {
	hits := Hits{Documents: []Hit{}, Coverage: l.coverage()}
	ranked := l.ranked(list)
	for _, hit := range ranked {
		if hit.Score >= list.query.MinScore && len(hits.Documents) < list.query.Limit {
			hits.Documents = append(hits.Documents, hit)
		}
	}
	if len(hits.Documents) == 0 && len(ranked) > 0 {
		closest := slices.MaxFunc(ranked, func(a, b Hit) int { return cmp.Compare(a.Score, b.Score) })
		hits.Closest = &closest
	}
	l.notify(hits.Documents)
	return hits
}
