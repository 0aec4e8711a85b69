// Package relevance says how likely it is that a document answers a query, as log-odds, because the log-odds of several
// kinds of evidence can be added. Every weight of a search is in this file. The package is a pure function of the
// evidence: it knows no query, no model and no index.
//
// The weights of the forms are fitted on six judged collections, leaving out one at a time, with two embedding models
// (all-MiniLM-L6-v2 and static word vectors). The projects have 15, 50, 150 and up to 3,205 documents. The queries are
// questions, and the two, three and five rarest words of each question. Queries without an answer are questions of the
// other collections, the same questions as keywords, and everyday prompts. The weights of BuiltIn are fitted on our own
// sets, Cranfield and CACM.
//
// Other weights nearby give nearly the same results: from .35 to .5 for meaning beside words, and from -.5 to -1.1 for
// the number of passages. An nDCG@10 in a comment below is the mean of these collections, or is for one collection.
// docs/evaluation.md has the results of the whole program.
//
// The weights order documents. A [Scale] then gives scores a meaning: seven in ten first documents with .7 answer.
package relevance

import "math"

// Form says which kinds of evidence count for a passage.
type Form int

// The forms.
const (
	// Both counts words and the model's vectors. It is for a passage whose vector was compared, in a hybrid search.
	Both Form = iota
	// Words counts words. It is for a passage without a vector, or in a search by words alone.
	Words
	// BuiltIn counts words and the built-in vectors of package wordvec. It is for a passage without a vector of the model.
	BuiltIn
	// Meaning counts vectors of the model. It is for a search by vectors alone, and for a query whose words are in almost
	// no document; see [MeaningDecides].
	Meaning
)

// weights multiply the evidence. passages multiplies ln N, where N is the number of passages that the search may
// return: if N is high, some passages look right by accident.
type weights struct{ meaning, strength, share, phrase, passages, base float64 }

func (f Form) weights() weights {
	return [...]weights{
		Both:    {meaning: .4, strength: 2.5, share: 3, phrase: 4, passages: -.8, base: -4.8},
		Words:   {strength: 3, share: 3.5, phrase: 2.5, passages: -.7, base: -6.3},
		BuiltIn: {meaning: .3, strength: 3, share: 2.7, phrase: 3, passages: -.75, base: -5.6},
		Meaning: {meaning: .5, passages: -.2, base: -1},
	}[f]
}

// Scale turns log-odds, which order documents, into calibrated log-odds: seven in ten documents with a score of .7
// answer their query. Slope multiplies the log-odds. Crowd multiplies [Evidence.Rivals] and lowers the score if many
// documents look right, because in a collection about one subject all documents are near a query or have words of it.
type Scale struct{ Slope, Crowd, Base float64 }

// Scale returns the scale of a form. "make eval FIT=yes" fits scales on the sets of test/eval, here with Cranfield and
// CACM added, in projects of all sizes. It asks each question in a project with the answer and in one without it.
func (f Form) Scale() Scale {
	return [...]Scale{
		Both:    {.601, -.308, -1.38},
		Words:   {.898, -.391, -2.05},
		BuiltIn: {.717, -.295, -1.43},
		Meaning: {.911, -.385, -1.05},
	}[f]
}

const (
	// ownPart is the share of a passage's own signals. The other share belongs to the best signals of its document,
	// because a document that is about the subject throughout is a better answer. On a collection of long pages nDCG@10 is
	// .414 with both shares, and .396 with a passage's own signals alone.
	ownPart = .6
	// maxQueryWeight bounds the weight of a query, because a long query, such as a pasted log, matches some words by
	// accident. Most questions weigh less.
	maxQueryWeight = 80
	// minKnown is the least share of a query's weight for its words that are in documents. With a lower share, words do
	// not count: the query is in another language, or a paraphrase.
	minKnown = .2
	// lineMargin is how far the log-odds of the best line of a pasted text may be below the log-odds of the whole text: up
	// to this limit, the line decides. For 60 stack traces with one telling line, .88 of the searches then have the right
	// document among the first ten, instead of .33. Searches with pasted code, where all lines matter, stay as they were.
	lineMargin = 2
)

// Promoted and Fallen are added to the log-odds of a document when a search sorts its results. The numbers are chosen,
// not measured.
const (
	// Promoted multiplies the odds of a promoted document by 3. It decides only between documents with nearly the same
	// evidence.
	Promoted = 1.0986122886681098 // ln 3
	// Fallen halves the odds of a document that does not hold, such as a rejected one.
	Fallen = -math.Ln2
)

// MeaningDecides reports whether a query is judged by its meaning alone. known is the share of the query's weight, in
// [0,1], that belongs to terms in documents.
func MeaningDecides(known float64) bool { return known < minKnown }

// Signals are the kinds of evidence in which the best passage of a document also raises the other passages.
type Signals struct {
	// Meaning is the log-odds that follow from the cosine of the vectors; see package calibration.
	Meaning float64
	// Strength grows with the passage's BM25, a score by words; see [Strength].
	Strength float64
	// Share is how much of the weight of the query's words the passage has, in [0,1].
	Share float64
}

// Strength returns ln(1 + BM25). If the query weighs more than maxQueryWeight, it first lowers the BM25 in proportion.
func Strength(bm25, queryWeight float64) float64 {
	if bm25 <= 0 {
		return 0
	}
	return math.Log1p(bm25 * min(1, maxQueryWeight/queryWeight))
}

// Within returns the signals of a passage mixed with the best signals of its document; see ownPart.
func (s Signals) Within(best Signals) Signals {
	mix := func(own, best float64) float64 { return ownPart*own + (1-ownPart)*best }
	return Signals{mix(s.Meaning, best.Meaning), mix(s.Strength, best.Strength), mix(s.Share, best.Share)}
}

// Evidence is what speaks for a passage as the answer to a query.
type Evidence struct {
	Form Form
	Signals
	// Phrase is the part of the query that the passage has word by word, in [0,1].
	Phrase float64
	// Crowd says how strong the evidence for the first documents of the search is.
	Crowd Crowd
	// Passages is the number of passages among which the search chooses, at least 1.
	Passages int
}

// Crowd has two means over the first ten documents of a search: of their Meaning, and of their log-odds by words. High
// means show that many documents look right.
type Crowd struct{ Meaning, Words float64 }

// CrowdOf returns the crowd of a search with these documents, in order. If there are fewer than ten, each missing
// document counts as unrelated to the query.
func CrowdOf(documents []Evidence) Crowd {
	const first, unrelated = 10, -6
	crowd := Crowd{unrelated, unrelated}
	for _, e := range documents[:min(len(documents), first)] {
		if e.Form != Words {
			crowd.Meaning += max(e.Meaning-unrelated, 0) / first
		}
		e.Form = Words
		crowd.Words += max(e.LogOdds()-unrelated, 0) / first
	}
	return crowd
}

// Rivals returns the mean in Crowd that fits the form: Words for the form Words, and Meaning for any other form.
func (e Evidence) Rivals() float64 {
	if e.Form == Words {
		return e.Crowd.Words
	}
	return e.Crowd.Meaning
}

// Parts are what each kind of evidence adds to the log-odds.
type Parts struct {
	Meaning  float64 `json:"meaning"`
	Strength float64 `json:"strength"`
	Share    float64 `json:"share"`
	Phrase   float64 `json:"phrase"`
	Passages float64 `json:"passages"`
	Base     float64 `json:"base"`
}

// Parts returns what each kind of evidence adds.
func (e Evidence) Parts() Parts {
	w := e.Form.weights()
	return Parts{
		Meaning: w.meaning * e.Meaning, Strength: w.strength * e.Strength, Share: w.share * e.Share,
		Phrase: w.phrase * e.Phrase, Passages: w.passages * math.Log(float64(max(e.Passages, 1))), Base: w.base,
	}
}

// LogOdds returns the log-odds that the passage's document answers the query. For a score, see [Evidence.Calibrated].
func (e Evidence) LogOdds() float64 {
	t := e.Parts()
	return t.Meaning + t.Strength + t.Share + t.Phrase + t.Passages + t.Base
}

// Sure is the least score that counts as sure. Seven in ten documents with this score answer their query.
const Sure = .7

// Likely is the least score of a document that may answer. Three in ten documents with this score answer their query.
const Likely = .3

// Unrelated is the score below which a document is of no use to a model. The number is chosen, not measured.
const Unrelated = .1

// Asked is the least score of a document that the query names by its title, path, number or question. The number is
// chosen, not measured.
const Asked = .95

// Near returns the least closeness (package wordvec) of a document that may answer although its score is too low. In a
// small project the answer often has few words of the question. Many passages raise this limit, and so do many pieces
// of a document, because among many some are near by accident. In a large project most passages are about other
// subjects, so the limit grows more slowly there. The numbers are chosen on the sets nothing/one, nothing/two, small,
// one and two of test/firsthour, and on questions about other subjects over 15 and 60 documents of test/eval.
func Near(passages, pieces int) float64 {
	others := math.Log(float64(max(passages, 1)))
	return .32 + min(.04*others, .1+.02*others) + .04*math.Log(float64(max(pieces, 1)))
}

// WithLine weighs a pasted text by its best line. The arguments are the log-odds of a passage for the whole text and
// for this line, and the number of lines that were compared. If decides is true, the passage has the returned logOdds.
func WithLine(whole, line float64, lines int) (logOdds float64, decides bool) {
	line -= math.Log(float64(max(lines, 1))) // the more lines, the more likely one fits by accident
	return line, line > whole-lineMargin
}

// Calibrated turns log-odds that order documents into the log-odds from which a score is made; see [Scale].
func (e Evidence) Calibrated(logOdds float64) float64 {
	s := e.Form.Scale()
	return s.Slope*logOdds + s.Crowd*e.Rivals() + s.Base
}

// Score returns the probability that belongs to calibrated log-odds.
func Score(logOdds float64) float64 { return 1 / (1 + math.Exp(-logOdds)) }
