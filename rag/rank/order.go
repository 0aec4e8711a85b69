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

// Order returns the documents that were found, in order of relevance, each with its most relevant passage. With
// q.EachPassage it returns each passage that was found. passages is how many passages the search could return.
func Order(q Question, candidates []Candidate, passages int) []Hit {
	type passageOf struct { // copies of a document count as one document
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
			// The more passages, the lower the score. But passages beyond SampleSize must not lower it: how rare a name is comes
			// from the sample, so a name weighs no more in a larger project.
			hit.Passages = min(hit.Passages, SampleSize)
			hit.LogOdds = hit.withName(hit.Evidence.LogOdds())
		}
		logOdds := hit.LogOdds
		if line, ok := lines[[2]int64{hit.ID, int64(hit.Ordinal)}]; ok {
			byLine, decides := relevance.WithLine(logOdds, line.logOdds, len(q.Lines))
			if decides {
				logOdds, hit.Line = byLine, line.text
			}
		}
		if !hit.Holds() || hit.Status == catalog.History {
			logOdds += relevance.Fallen
		}
		hit.Key = logOdds
		if hit.Level != catalog.Standard && hit.Holds() {
			hit.Key += relevance.Promoted
		}
		hit.LogOdds = hit.withName(logOdds) // the words count even if the document does not hold
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

// scored sets the score of each document: the probability that the document answers, from its log-odds.
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

// maxNamed is how many documents may have a rare name. A more frequent name does not show which document is asked for.
const maxNamed = 3

// rareNames returns how many rare names of the query each document has, by the document's hash. At most maxNamed
// documents have a rare name.
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

// withNamedFirst raises the score of each document that the query names, so that no document behind it has a higher
// score.
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

// bestLines returns the best line for each passage that a line has found. The key is the ID of the document and the
// ordinal of the passage.
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

// compareEqual orders the passages of copies, which are documents with the same bytes. First comes a document that the
// query names, then a document that holds, then the document with the shortest path. Of one document the best passage
// comes first. [Hit.withName] may raise many passages to the same log-odds. Then their original log-odds decide.
func compareEqual(a, b Hit) int {
	return cmp.Or(
		compareTrue(a.titled, b.titled), compareTrue(a.Holds(), b.Holds()),
		cmp.Compare(len(a.Path), len(b.Path)), cmp.Compare(a.Path, b.Path),
		cmp.Compare(b.LogOdds, a.LogOdds), cmp.Compare(b.Evidence.LogOdds(), a.Evidence.LogOdds()), cmp.Compare(a.Distance, b.Distance),
		cmp.Compare(a.Ordinal, b.Ordinal),
	)
}

// compareHits orders documents. First comes a document that the query names, because the query asks for that document.
// Then come documents that have a rare name of the query. All other documents are in the order of Key.
func compareHits(a, b Hit) int {
	return cmp.Or(
		compareTrue(a.titled, b.titled), cmp.Compare(b.names, a.names),
		cmp.Compare(b.Key, a.Key), cmp.Compare(b.Evidence.LogOdds(), a.Evidence.LogOdds()), cmp.Compare(a.Distance, b.Distance),
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
