package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/compound-docs/compound-docs/internal/eval"
	"github.com/compound-docs/compound-docs/internal/plain"
)

// allowedDrop is how far a mean may be below the baseline's. Smaller differences may come
// from other versions of libraries and of the database.
const allowedDrop = 0.01

// allowedShift is how far a share may be on the wrong side of the baseline's: one or two
// questions where there are few.
const allowedShift = 0.03

// maxDifferences bounds the questions that a comparison lists.
const maxDifferences = 10

// readReport reads what eval --json has printed; nil for no file.
func readReport(file string) (*evalReport, error) {
	if file == "" {
		return nil, nil //nolint:nilnil // no report was asked for
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, usageError{err}
	}
	report := &evalReport{}
	if err := json.Unmarshal(data, report); err != nil {
		return nil, usagef("%s is not what `compound-docs eval --json` prints: %w", file, err)
	}
	if len(report.Measures) == 0 {
		return nil, usagef("%s has no measures; give what `compound-docs eval --json` has printed", file)
	}
	return report, nil
}

// checkBaseline fails if a measure of ranking is below the baseline's, if fewer right answers
// are kept, or if more questions without an answer are shown one. Time and tokens are not
// compared: time depends on the machine, and fewer tokens are better.
func checkBaseline(baseline, report evalReport) error {
	if baseline.Mode != report.Mode || baseline.Corpus != report.Corpus {
		return fmt.Errorf("the baseline is of the collection %q in mode %q, this run of %q in mode %q; give the one that fits",
			baseline.Corpus, baseline.Mode, report.Corpus, report.Mode)
	}
	var drops []error
	for _, now := range rankingMeasures(report.Queries) {
		i := slices.IndexFunc(baseline.Measures, func(m evalMeasure) bool { return m.Name == now.Name })
		if i < 0 {
			drops = append(drops, fmt.Errorf("the baseline lacks %s; make it again with `compound-docs eval --json`", now.Name))
			continue
		}
		if was, is := baseline.Measures[i], now.Value; was.Value-is > allowedDrop+1e-9 {
			drops = append(drops, fmt.Errorf("%s has dropped from %.3f to %.3f, by more than %.2f", was.Name, was.Value, is, allowedDrop))
		}
	}
	for _, was := range baseline.Shares {
		i := slices.IndexFunc(report.Shares, was.sameQuestions)
		if i < 0 {
			drops = append(drops, fmt.Errorf("the baseline has %q of %d documents, this run has not; give the same flags",
				was.title(), was.Documents))
			continue
		}
		lost := was.Value - report.Shares[i].Value
		if was.Of == sharesShown {
			lost = -lost
		}
		if lost > allowedShift+1e-9 {
			drops = append(drops, fmt.Errorf(
				"%s of %d documents, %s questions: the share was %.3f and is %.3f, which differs by more than %.2f",
				was.title(), was.Documents, cmp.Or(was.Kind, "all"), was.Value, report.Shares[i].Value, allowedShift))
		}
	}
	return errors.Join(drops...)
}

// evalComparison says how the questions of two runs differ.
type evalComparison struct {
	// Difference is the mean of nDCG@10 now minus then, over the questions of both.
	Difference eval.Estimate    `json:"difference"`
	Questions  int              `json:"questions"`
	Changed    int              `json:"changed"`
	Largest    []evalDifference `json:"largest"`
}

// evalDifference is a question with its nDCG@10 in both runs.
type evalDifference struct {
	ID   string  `json:"id"`
	Text string  `json:"text"`
	Then float64 `json:"then"`
	Now  float64 `json:"now"`
}

func (d evalDifference) gain() float64 { return d.Now - d.Then }

func compareReports(then, now evalReport) *evalComparison {
	before := map[string]float64{}
	for _, query := range then.Queries {
		if query.Answered {
			before[query.ID] = query.NDCG10
		}
	}
	comparison := &evalComparison{Largest: []evalDifference{}}
	var gains []float64
	for _, query := range now.Queries {
		was, ok := before[query.ID]
		if !ok || !query.Answered {
			continue
		}
		difference := evalDifference{ID: query.ID, Text: query.Text, Then: was, Now: query.NDCG10}
		gains = append(gains, difference.gain())
		if math.Abs(difference.gain()) > 1e-9 {
			comparison.Largest = append(comparison.Largest, difference)
		}
	}
	slices.SortStableFunc(comparison.Largest, func(a, b evalDifference) int {
		return cmp.Compare(math.Abs(b.gain()), math.Abs(a.gain()))
	})
	comparison.Questions, comparison.Changed = len(gains), len(comparison.Largest)
	comparison.Largest = comparison.Largest[:min(maxDifferences, len(comparison.Largest))]
	comparison.Difference = eval.Bootstrap(gains)
	return comparison
}

func (c evalComparison) print(w io.Writer) {
	plain.Printf(w, "\nnDCG@10 differs by %+.3f (%+.3f to %+.3f) over %s of both runs; it changed for %d.\n",
		c.Difference.Value, c.Difference.Low, c.Difference.High, plain.Count(c.Questions, "question"), c.Changed)
	if len(c.Largest) == 0 {
		return
	}
	plain.Printf(w, "\nthen\tnow\tquestion\n")
	for _, d := range c.Largest {
		plain.Printf(w, "%.3f\t%.3f\t%s %s\n", d.Then, d.Now, d.ID, d.Text)
	}
}
