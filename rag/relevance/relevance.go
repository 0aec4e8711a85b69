// Package relevance says how likely it is that a document answers a query, as log-odds, because the log-odds of several
// kinds of evidence can be added. Every weight of a search is in this file. The package is a pure function of the
// evidence: it knows no query, no model and no index.
//
// The weights of the forms are fitted on six judged collections, leaving each out once, with two embedding models
// (all-MiniLM-L6-v2 and static word vectors). The projects have 15, 50, 150 and up to 3,205 documents. The queries are
// questions, and the two, three and five rarest words of each question. Queries without an answer are questions of the
// other collections, the same questions as keywords, and everyday prompts. The weights of BuiltIn are fitted on our own
// sets, Cranfield and CACM.
//
// Other weights nearby give nearly the same results: from .35 to .5 for meaning beside words, and from -.5 to -1.1 for
// the number of passages. An nDCG@10 in a comment below is the mean of these collections, or the value of one.
// docs/evaluation.md has the results of the whole program.
//
// The weights order documents. A [Scale] then gives a score its meaning: of ten first documents with .7, seven answer.
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

// weights multiply the evidence. passages multiplies ln N for N passages that the search may return: the more there
// are, the more likely one of them looks right by accident.
type weights struct{ meaning, strength, share, phrase, passages, base float64 }

func (f Form) weights() weights {
	return [...]weights{
		Both:    {meaning: .4, strength: 2.5, share: 3, phrase: 4, passages: -.8, base: -4.8},
		Words:   {strength: 3, share: 3.5, phrase: 2.5, passages: -.7, base: -6.3},
		BuiltIn: {meaning: .3, strength: 3, share: 2.7, phrase: 3, passages: -.75, base: -5.6},
		Meaning: {meaning: .5, passages: -.2, base: -1},
	}[f]
}

// Scale turns log-odds, which order documents, into calibrated log-odds: of documents with a score of .7, seven in ten
// answer. Slope multiplies the log-odds. Crowd multiplies [Evidence.Rivals] and lowers the score if many documents look
// right, because in a collection about one subject all documents are near a query or have words of it.
type Scale struct{ Slope, Crowd, Base float64 }

// Scale returns the scale of a form. make eval FIT=yes fits the scales on the sets of test/eval, here with Cranfield
// and CACM too, in projects of all sizes. It asks each question twice: in a project with the answer and in one without.
func (f Form) Scale() Scale {
	return [...]Scale{
		Both:    {.601, -.308, -1.38},
		Words:   {.898, -.391, -2.05},
		BuiltIn: {.717, -.295, -1.43},
		Meaning: {.911, -.385, -1.05},
	}[f]
}

const (
	// ownPart is the share of a passage's own signals. The rest are the best signals of its document, because a document
	// that is about the subject throughout is a better answer. On a collection of long pages nDCG@10 is .414 with the best
	// signals, and .396 without.
	ownPart = .6
	// maxQueryWeight bounds the weight of a query, because a long query, such as a pasted log, matches some words by
	// accident. Most questions weigh less.
	maxQueryWeight = 80
	// minKnown is a share of a query's weight. If the words that documents have weigh less than this, words do not count:
	// the query is in another language, or a paraphrase.
	minKnown = .2
	// lineMargin is how far the log-odds of the best line of a pasted text may be below those of the whole text, if the
	// line is to decide. For 60 stack traces with one telling line, the right document is then among the first ten in .88
	// of the searches instead of .33. Searches with pasted code, where all lines matter, stay as they were.
	lineMargin = 2
)

// Promoted and Fallen are added to the log-odds of a document. The numbers are chosen, not measured.
const (
	// Promoted multiplies the odds of a promoted document by 3, in the order of results. It decides only between answers
	// of nearly the same evidence.
	Promoted = 1.0986122886681098 // ln 3
	// Fallen halves the odds of a document that does not hold, such as a rejected one.
	Fallen = -math.Ln2
)

// MeaningDecides reports whether a query is judged by its meaning alone. known, in [0,1], is the part of the weight of
// its terms that belongs to terms in documents.
func MeaningDecides(known float64) bool { return known < minKnown }

// Signals are the kinds of evidence in which the best passage of a document counts for its other passages too.
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
	// Crowd says how right the first documents of the search look.
	Crowd Crowd
	// Passages is how many passages the search could return, at least 1.
	Passages int
}

// Crowd has two means over the first ten documents of a search: of their Meaning, and of their log-odds by words. High
// means show that many documents look right.
type Crowd struct{ Meaning, Words float64 }

// CrowdOf returns the crowd of a search with these documents, in order. If there are fewer than ten, the missing ones
// count as unrelated to the query.
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

// Rivals returns the mean of the Crowd by words for the form Words, and the mean by meaning for any other form.
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

// Sure is the least score of a sure document. Seven in ten documents with this score answer.
const Sure = .7

// Likely is the least score of a document that may answer. Three in ten documents with this score answer.
const Likely = .3

// Unrelated is the score below which a document is of no use to a model. The number is chosen, not measured.
const Unrelated = .1

// Asked is the least score of a document that the query names by its title, path, number or question. The number is
// chosen, not measured.
const Asked = .95

// Near returns the least closeness (package wordvec) of a document that may answer although its score is too low. In a
// small project the answer often has few words of the question. Many passages raise the limit, and so do many pieces of
// a text, because one of many is near by accident. In a large memory most passages are about other subjects, so the
// limit then grows more slowly. The numbers are chosen on the sets nothing/one, nothing/two, small, one and two of
// test/firsthour, and on questions about other subjects over 15 and 60 documents of test/eval.
func Near(passages, pieces int) float64 {
	others := math.Log(float64(max(passages, 1)))
	return .32 + min(.04*others, .1+.02*others) + .04*math.Log(float64(max(pieces, 1)))
}

// WithLine weighs a pasted text by its best line. line and whole are the log-odds of a passage for this line and for
// the whole text, and lines is how many lines were compared. If decides is true, logOdds count instead of whole.
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
