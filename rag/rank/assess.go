package rank

import (
	"github.com/compound-docs/compound-docs/rag/calibration"
	"github.com/compound-docs/compound-docs/rag/relevance"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// Assess returns the passages with their evidence and log-odds. The best passage of a document also counts for the
// document's other passages. A document's questions (see isQuestion) count like passages, but are not returned.
func Assess(q Question, candidates []Candidate, passages int) []Hit {
	own := make([]assessment, len(candidates))
	onEach(len(candidates), func(i int) { own[i] = assess(q, candidates[i], passages) })
	documents := map[int64]documentSignals{}
	for i, a := range own {
		id := candidates[i].ID
		documents[id] = documents[id].with(candidates[i].Hit, a)
	}
	inPairs := q.Terms.InPairs()
	hits := make([]Hit, 0, len(candidates))
	for i, a := range own {
		if candidates[i].isQuestion() {
			continue
		}
		hit := candidates[i].Hit
		hit.Evidence = a.Evidence
		best := documents[hit.ID]
		if !hit.byModel() && !hit.builtIn() {
			best.signals.Meaning = 0
		}
		hit.Signals = a.Within(best.signals)
		hit.named, hit.inPairs, hit.titled = a.named, inPairs, best.asked
		hit.LogOdds = hit.withName(hit.Evidence.LogOdds())
		hits = append(hits, hit)
	}
	return hits
}

// withName returns logOdds, but at least 0 if the passage has the whole of a short query. A one-word query asks for
// documents containing it.
func (h Hit) withName(logOdds float64) float64 {
	if h.named {
		return max(logOdds, 0)
	}
	return logOdds
}

// assessment says how relevant a passage is by itself, before the rest of its document counts.
type assessment struct {
	relevance.Evidence

	named bool // see [Hit]
	asked bool // the passage is a question of its document, and equal to the query
}

func assess(q Question, c Candidate, passages int) assessment {
	a := assessment{Evidence: relevance.Evidence{Passages: passages}}
	a.asked = c.isQuestion() && terms.Sequence(c.Content) == terms.Sequence(q.Text)
	switch {
	case c.byModel() && q.Calibration.Usable():
		a.Meaning = q.Calibration.LogOdds(1 - c.Distance)
	case c.builtIn():
		a.Meaning = calibration.BuiltIn().LogOdds(c.Likeness)
	}
	if q.ByWords && c.Bm25 > 0 {
		phrase, whole := q.Weights.Literal(c.Heading, c.Content)
		a.Strength, a.Share, a.Phrase = relevance.Strength(c.Bm25, q.Weights.Sum), q.Weights.Share(c.Bm25), phrase
		a.named = (whole || q.Terms.OneWord()) && !q.Unasked
	}
	switch {
	case !q.ByWords, c.byModel() && relevance.MeaningDecides(q.Weights.Known):
		a.Form = relevance.Meaning
	case c.builtIn():
		a.Form = relevance.BuiltIn
	case !c.byModel():
		a.Form = relevance.Words
	}
	return a
}

// documentSignals are the best signals of the passages of a document.
type documentSignals struct {
	signals  relevance.Signals
	compared bool // the vector of at least one passage was compared
	asked    bool // one of the document's questions is equal to the query
}

// with adds the signals of another passage. Meaning may be negative, so the first compared passage sets Meaning even if
// it is below 0.
func (d documentSignals) with(passage Hit, a assessment) documentSignals {
	compared := passage.byModel() || passage.builtIn()
	if compared && (!d.compared || a.Meaning > d.signals.Meaning) {
		d.signals.Meaning = a.Meaning
	}
	d.signals.Strength, d.signals.Share = max(d.signals.Strength, a.Strength), max(d.signals.Share, a.Share)
	d.compared, d.asked = d.compared || compared, d.asked || a.asked
	return d
}
