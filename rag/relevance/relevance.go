// Package relevance says how likely it is that a document answers a query, as log-odds: kinds of
// evidence add up. Every weight of a search is in this file. It is a pure function of the evidence:
// it knows no query, no model and no index.
//
// The weights of the forms are fitted on six judged collections, leaving each out once, with two
// embedding models (all-MiniLM-L6-v2 and static word vectors). The projects have 15, 50, 150 and up
// to 3,205 documents. The queries are questions, and their two, three and five rarest words. They
// compete with questions of the other collections, the same as keywords, and everyday prompts.
//
// The weights of BuiltIn are fitted on our own sets, Cranfield and CACM.
//
// Results are flat around the weights: from .35 to .5 for meaning beside words, and from -.5 to
// -1.1 for the number of passages. Where a comment below gives nDCG@10, it is the mean of these
// collections, or the value of one. docs/evaluation.md has the results of the whole program.
//
// The weights order documents. A [Scale] then gives a score its meaning: of ten first documents with .7, seven answer.
package relevance

import "math"

// Form says which kinds of evidence a passage has.
type Form int

// The forms.
const (
	// Both is for a passage whose vector was compared, in a search by words too.
	Both Form = iota
	// Words is for a passage without a vector, or in a search by words alone.
	Words
	// BuiltIn is for a passage without a vector of the model. It counts words and the built-in
	// vectors of package wordvec.
	BuiltIn
	// Meaning is for a search by vectors alone, and for a query of whose words the documents
	// have almost none; see [MeaningDecides].
	Meaning
)

// weights multiply the evidence. passages multiplies ln N: the more passages a search
// may return, the more likely it is that one of them looks right by accident.
type weights struct{ meaning, strength, share, phrase, passages, base float64 }

func (f Form) weights() weights {
	switch f {
	case Words:
		return weights{strength: 3, share: 3.5, phrase: 2.5, passages: -.7, base: -6.3}
	case BuiltIn:
		return weights{meaning: .3, strength: 3, share: 2.7, phrase: 3, passages: -.75, base: -5.6}
	case Meaning:
		return weights{meaning: .5, passages: -.2, base: -1}
	default:
		return weights{meaning: .4, strength: 2.5, share: 3, phrase: 4, passages: -.8, base: -4.8}
	}
}

// Scale turns log-odds, which order documents, into calibrated ones: of documents with a score of .7, seven in ten
// answer. Slope multiplies the log-odds, and Crowd the result of [Evidence.Rivals]: in a collection about one subject
// all documents are near a query, or have words of it.
type Scale struct{ Slope, Crowd, Base float64 }

// Scale returns the scale of a form. make eval FIT=yes fits it on the sets of test/eval, here with Cranfield and CACM
// too, in projects of all sizes. Each question is asked with its answer and without.
func (f Form) Scale() Scale {
	return [...]Scale{
		Both:    {.601, -.308, -1.38},
		Words:   {.898, -.391, -2.05},
		BuiltIn: {.717, -.295, -1.43},
		Meaning: {.911, -.385, -1.05},
	}[f]
}

const (
	// ownPart is the share of a passage's own signals. The rest are the best signals of its
	// document: a document that is about the subject throughout is a better answer. On a collection
	// of long pages nDCG@10 is .414 with it, and .396 without.
	ownPart = .6
	// maxQueryWeight bounds the weight of a long query, such as a pasted log, which matches
	// some words by accident. Most questions weigh less.
	maxQueryWeight = 80
	// minKnown is the least share of a query's weight that documents must have for its words to count. A query
	// with less is in another language, or a paraphrase.
	minKnown = .2
	// lineMargin is how far the best line's log-odds may be below the whole text's for the line to decide.
	// Of 60 stack traces with one telling line, the lines bring the right document into the first ten in .88
	// instead of .33, and pasted code, which is about the whole, stays as it was.
	lineMargin = 2
	// promotedOdds multiply the odds of a promoted document in the order of results. The number is chosen, not
	// measured, to decide between answers of nearly the same evidence.
	promotedOdds = 3
	// fallenOdds multiply the odds of a document that does not hold, such as a rejected or superseded
	// one. The number is chosen too.
	fallenOdds = .5
)

// MeaningDecides reports whether a query is judged by its meaning alone. known is the part of the
// weight of its terms, in [0,1], that documents have.
func MeaningDecides(known float64) bool { return known < minKnown }

// Signals are evidence that a passage shares with its document.
type Signals struct {
	// Meaning is the log-odds that follow from the cosine of the vectors; see package calibration.
	Meaning float64
	// Strength grows with the BM25 of the passage; see [Strength].
	Strength float64
	// Share is how much of the query's evidence by words the passage has, in [0,1].
	Share float64
}

// Strength returns ln(1 + BM25). It lowers the BM25 in proportion if the query weighs more than maxQueryWeight.
func Strength(bm25, queryWeight float64) float64 {
	if bm25 <= 0 {
		return 0
	}
	return math.Log1p(bm25 * min(1, maxQueryWeight/queryWeight))
}

// Within mixes the signals of a passage with the best signals of its document.
func (s Signals) Within(best Signals) Signals {
	mix := func(own, best float64) float64 { return ownPart*own + (1-ownPart)*best }
	return Signals{mix(s.Meaning, best.Meaning), mix(s.Strength, best.Strength), mix(s.Share, best.Share)}
}

// Evidence holds the signals of a passage for a query.
type Evidence struct {
	Form Form
	Signals
	// Phrase is the part of the query that the passage has word by word, in [0,1].
	Phrase float64
	// Crowd is the crowd of the search.
	Crowd Crowd
	// Passages is how many passages the search could return, at least 1.
	Passages int
}

// Crowd has two means over the first documents of a search: of their Meaning, and of their log-odds by words.
type Crowd struct{ Meaning, Words float64 }

// CrowdOf returns the crowd of the first documents. Missing ones count as unrelated.
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

// Rivals returns the Crowd's mean by words for the form Words, and by meaning for the other forms.
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

// Parts returns the parts of the log-odds.
func (e Evidence) Parts() Parts {
	w := e.Form.weights()
	return Parts{
		Meaning: w.meaning * e.Meaning, Strength: w.strength * e.Strength, Share: w.share * e.Share,
		Phrase: w.phrase * e.Phrase, Passages: w.passages * math.Log(float64(max(e.Passages, 1))), Base: w.base,
	}
}

// LogOdds returns the log-odds that the passage's document answers the query.
func (e Evidence) LogOdds() float64 {
	t := e.Parts()
	return t.Meaning + t.Strength + t.Share + t.Phrase + t.Passages + t.Base
}

// Sure is the least score of a sure document: of documents with this score seven in ten answer.
const Sure = .7

// Likely is the least score of a document that may answer, whatever its words: three in ten answer.
const Likely = .3

// Unrelated is the score below which a document is of no use to a model. It is chosen.
const Unrelated = .1

// Asked is the least score of a document that the query names by its title, path, number or question. It is chosen.
const Asked = .95

// Near is the least closeness, by package wordvec, of a document that may answer although it scores less. A small
// project has few of a question's words. The more passages there are, and the more pieces the text has, the more
// likely one is near by accident. Of a large memory most passages are about other subjects. The numbers are
// chosen on the sets nothing/one, nothing/two, small, one and two of test/firsthour, and on questions about other
// subjects over 15 and 60 documents of test/eval.
func Near(passages, pieces int) float64 {
	others := math.Log(float64(max(passages, 1)))
	return .32 + min(.04*others, .1+.02*others) + .04*math.Log(float64(max(pieces, 1)))
}

// WithLine returns the log-odds of a passage for a pasted text by its best line. decides reports whether they count, and
// not those of the whole text. lines is how many lines were compared.
func WithLine(whole, line float64, lines int) (logOdds float64, decides bool) {
	line -= math.Log(float64(max(lines, 1))) // of many lines, one fits by accident
	return line, line > whole-lineMargin
}

// Calibrated turns log-odds that order documents into log-odds that the document answers.
func (e Evidence) Calibrated(logOdds float64) float64 {
	s := e.Form.Scale()
	return s.Slope*logOdds + s.Crowd*e.Rivals() + s.Base
}

// Score returns the probability, which is σ of calibrated log-odds.
func Score(logOdds float64) float64 { return 1 / (1 + math.Exp(-logOdds)) }

// Standing returns the log-odds, lower for a document that does not hold.
func Standing(logOdds float64, holds bool) float64 {
	if holds {
		return logOdds
	}
	return logOdds + math.Log(fallenOdds)
}

// Key returns the number by which results are ordered, higher for a promoted document.
func Key(logOdds float64, promoted bool) float64 {
	if promoted {
		return logOdds + math.Log(promotedOdds)
	}
	return logOdds
}
