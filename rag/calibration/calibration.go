// Package calibration says what the cosine of a question and a text means: the log-odds that the text answers the
// question. Embedding models differ in the range of their cosines, so each model is measured with pairs of a question
// and its answer. The package knows no model, no index and no database.
package calibration

import (
	_ "embed"
	"strings"
)

// Calibration describes a model's cosines of questions and answers. The zero value means that they were not measured.
type Calibration struct {
	// Matched is the mean cosine of a question and its own answer. Unmatched is the mean cosine of a question and the
	// answer to another question.
	Matched, Unmatched float64
	// Variance is the mean of two variances. One is of the cosines whose mean is Matched, the other of those whose mean is
	// Unmatched.
	Variance float64
	// OwnFirst is the share of the questions whose own answer has the highest cosine.
	OwnFirst float64
}

// BuiltIn returns the calibration of the vectors of package wordvec. A test of that package checks these figures.
func BuiltIn() Calibration {
	return Calibration{Matched: .51154, Unmatched: .04531, Variance: .018129, OwnFirst: .85}
}

// minOwnFirst is the least OwnFirst of a usable model.
const minOwnFirst = 2.0 / 3

// Usable reports whether the model's cosines tell answers from other texts.
func (c Calibration) Usable() bool {
	return c.OwnFirst >= minOwnFirst && c.Variance > 0 && c.Matched > c.Unmatched
}

// LogOdds returns the log-odds that a text answers a question, by the cosine of the two. It supposes that half of all
// texts answer, and that matched and unmatched cosines are normally distributed with one variance. So the log-odds grow
// linearly with the cosine. c must be usable.
func (c Calibration) LogOdds(cosine float64) float64 {
	return (c.Matched - c.Unmatched) / c.Variance * (cosine - (c.Matched+c.Unmatched)/2)
}

// Measure returns the calibration of a model. The arguments are the model's vectors of at least two pairs: answers[i] is
// the answer to questions[i]. The vectors must have length 1.
func Measure(questions, answers [][]float32) Calibration {
	var matched, unmatched []float64
	ownFirst := 0
	for i, question := range questions {
		own, best := cosine(question, answers[i]), true
		matched = append(matched, own)
		for j, answer := range answers {
			if j == i {
				continue
			}
			other := cosine(question, answer)
			unmatched = append(unmatched, other)
			best = best && other < own
		}
		if best {
			ownFirst++
		}
	}
	c := Calibration{OwnFirst: float64(ownFirst) / float64(len(questions))}
	var ofMatched, ofUnmatched float64
	c.Matched, ofMatched = spread(matched)
	c.Unmatched, ofUnmatched = spread(unmatched)
	c.Variance = (ofMatched + ofUnmatched) / 2
	return c
}

// cosine returns the cosine of vectors of length 1.
func cosine(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func spread(numbers []float64) (mean, variance float64) {
	for _, x := range numbers {
		mean += x / float64(len(numbers))
	}
	for _, x := range numbers {
		variance += (x - mean) * (x - mean) / float64(len(numbers)-1)
	}
	return mean, variance
}

// pairs.tsv has a question and its answer on each line, with a tab between them.
//
//go:embed pairs.tsv
var pairs string

// Pairs returns the questions with which models are measured, and the answer to each.
func Pairs() (questions, answers []string) {
	for line := range strings.Lines(pairs) {
		question, answer, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		questions, answers = append(questions, question), append(answers, answer)
	}
	return questions, answers
}
