package rank

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/relevance"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// Order returns the documents that were found, in order of relevance, each with its most relevant
// passage. With EachPassage it returns the passages. passages is how many passages the search could return.
func Order(q Question, candidates []Candidate, passages int) []Hit {
	type passageOf struct { // documents with the same bytes are one
		file    document.Hash
		ordinal int
	}
	best, lines, title := map[passageOf]Hit{}, bestLines(q, candidates, passages), terms.Sequence(q.Text)
	names, paths := rareNames(q, candidates), map[document.Hash][]string{}
	for _, hit := range Assess(q, candidates, passages) {
		passage := passageOf{hit.Stamp.Hash, hit.Ordinal}
		paths[passage.file] = append(paths[passage.file], hit.Path)
		hit.Standing, hit.generations = q.Standings.Of(hit.Path, q.Today), q.Standings.Generations(hit.Path)
		hit.titled = hit.titled || title != "" && terms.Sequence(hit.Title) == title || slices.Contains(q.Named, hit.Path)
		hit.names = names[passage.file]
		if hit.names > 0 {
			// The document counts as in a project of SampleSize passages. A sample shows no greater rarity, so more passages
			// would only lower the score.
			hit.Passages = min(hit.Passages, SampleSize)
			hit.LogOdds = hit.withName(hit.Evidence.LogOdds())
		}
		byText := hit.LogOdds
		if line, ok := lines[[2]int64{hit.ID, int64(hit.Ordinal)}]; ok {
			logOdds, decides := relevance.WithLine(byText, line.logOdds, len(q.Lines))
			if decides {
				byText, hit.Line = logOdds, line.text
			}
		}
		byStanding := relevance.Standing(byText, hit.Holds() && hit.Status != catalog.History)
		hit.Key = relevance.Key(byStanding, hit.Level != catalog.Standard && hit.Holds())
		hit.LogOdds = hit.withName(byStanding) // a document that does not hold has the words all the same
		if !q.EachPassage {
			passage.ordinal = 0
		}
		if other, ok := best[passage]; !ok || compareEqual(hit, other) < 0 {
			best[passage] = hit
		}
	}
	for passage, hit := range best {
		hit.paths = paths[passage.file]
		best[passage] = hit
	}
	ranked := scored(slices.SortedFunc(maps.Values(best), compareHits))
	return successorsFirst(presentFirst(withNamedFirst(ranked)))
}

// scored returns the documents with their scores: the probability that a document answers, by its log-odds.
func scored(ranked []Hit) []Hit {
	all := make([]relevance.Evidence, len(ranked))
	for i, hit := range ranked {
		all[i] = hit.Evidence
	}
	crowd := relevance.CrowdOf(all)
	for i := range ranked {
		hit := &ranked[i]
		hit.Crowd = crowd
		evidence := hit.Evidence
		if hit.Line != "" {
			evidence.Form = relevance.Words
		}
		logOdds := hit.withName(evidence.Calibrated(hit.LogOdds))
		switch {
		case hit.titled:
			hit.Score = max(relevance.Score(logOdds), relevance.Asked)
		case hit.inPairs && !hit.byModel(): // half of the documents with most of the pairs are about something else
			hit.Score = relevance.Score(min(logOdds, 0))
		default:
			hit.Score = relevance.Score(logOdds)
		}
	}
	return ranked
}

// maxNamed is how many documents may have a rare name. A name in more documents does not show which one the query asks for.
const maxNamed = 3

// rareNames counts the query's rare names in each document, by its hash. At most maxNamed documents have a rare name.
func rareNames(q Question, candidates []Candidate) map[document.Hash]int {
	documents := map[string][]document.Hash{}
	for _, c := range candidates {
		for _, name := range q.Weights.Names(c.Heading, c.Content) {
			if !slices.Contains(documents[name], c.Stamp.Hash) {
				documents[name] = append(documents[name], c.Stamp.Hash)
			}
		}
	}
	names := map[document.Hash]int{}
	for _, having := range documents {
		if len(having) > maxNamed {
			continue
		}
		for _, hash := range having {
			names[hash]++
		}
	}
	return names
}

// withNamedFirst gives each document that the query names at least the score of every document behind it.
func withNamedFirst(ranked []Hit) []Hit {
	most, highest := math.Inf(-1), 0.0
	for i, hit := range slices.Backward(ranked) {
		most, highest = max(most, hit.LogOdds), max(highest, hit.Score)
		if hit.titled || hit.names > 0 {
			ranked[i].LogOdds, ranked[i].Score = most, highest
		}
	}
	return ranked
}

// bestLine is the line of a pasted text with the highest log-odds for a passage.
type bestLine struct {
	text    string
	logOdds float64
}

// bestLines returns the best line of each passage that a line has found. The key is the ID of the
// document and the ordinal of the passage.
func bestLines(q Question, candidates []Candidate, passages int) map[[2]int64]bestLine {
	best := map[[2]int64]bestLine{}
	for _, c := range candidates {
		if c.LineIndex < 0 {
			continue
		}
		line := q.Lines[c.LineIndex]
		phrase, _ := line.Weights.Literal(c.Heading, c.Content)
		logOdds := relevance.Evidence{
			Form: relevance.Words, Passages: passages, Phrase: phrase,
			Signals: relevance.Signals{
				Strength: relevance.Strength(c.LineBm25, line.Weights.Sum), Share: line.Weights.Share(c.LineBm25),
			},
		}.LogOdds()
		key := [2]int64{c.ID, int64(c.Ordinal)}
		if known, ok := best[key]; !ok || logOdds > known.logOdds {
			best[key] = bestLine{line.Text, logOdds}
		}
	}
	return best
}

// compareEqual orders passages of documents with the same bytes. A document that the query names comes first, then a
// document that holds, then the document with the shortest path. Of one document the best passage comes first. With the
// increase of [Hit.withName], many passages that have a frequent word have the same log-odds. Then the log-odds without
// it decide.
func compareEqual(a, b Hit) int {
	return cmp.Or(
		compareTrue(a.titled, b.titled), compareTrue(a.Holds(), b.Holds()),
		cmp.Compare(len(a.Path), len(b.Path)), cmp.Compare(a.Path, b.Path),
		cmp.Compare(b.LogOdds, a.LogOdds), cmp.Compare(b.Evidence.LogOdds(), a.Evidence.LogOdds()), cmp.Compare(a.distance, b.distance),
		cmp.Compare(a.Ordinal, b.Ordinal),
	)
}

// compareHits orders documents. A query that names a document asks for that document. A query with a rare name asks
// for the documents that have the name.
func compareHits(a, b Hit) int {
	return cmp.Or(
		compareTrue(a.titled, b.titled), cmp.Compare(b.names, a.names),
		cmp.Compare(b.Key, a.Key), cmp.Compare(b.Evidence.LogOdds(), a.Evidence.LogOdds()), cmp.Compare(a.distance, b.distance),
		cmp.Compare(a.generations, b.generations), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Ordinal, b.Ordinal),
	)
}

// compareTrue orders true before false.
func compareTrue(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}
