package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/compound-docs/compound-docs/internal/eval"
)

// evalReport is the result of one run, as --json prints it.
type evalReport struct {
	Corpus    string         `json:"corpus"`
	Documents int            `json:"documents"`
	Mode      string         `json:"mode"`
	Measures  []evalMeasure  `json:"measures"`
	Kinds     []evalKind     `json:"kinds,omitempty"`
	Threshold evalRejections `json:"threshold"`
	// Comparison is there with --compare.
	Comparison *evalComparison `json:"comparison,omitempty"`
	Queries    []evalQuery     `json:"queries,omitempty"`
}

// evalMeasure is a value over all questions. The measures of ranking are means
// over the questions that have an answer.
type evalMeasure struct {
	Name string `json:"name"`
	eval.Estimate
}

// evalKind has the measures of ranking of the questions of one kind.
type evalKind struct {
	Kind      string         `json:"kind"`
	Questions int            `json:"questions"`
	Measures  []evalMeasure  `json:"measures,omitempty"`
	Threshold evalRejections `json:"threshold"`
}

// evalRejections counts the questions for which no document reached the default
// threshold: rightly so for one without an answer.
type evalRejections struct {
	Unanswerable         int `json:"unanswerable"`
	RejectedUnanswerable int `json:"rejected_unanswerable"`
	Answerable           int `json:"answerable"`
	RejectedAnswerable   int `json:"rejected_answerable"`
}

func newReport(corpus *corpus, mode string, queries []evalQuery) evalReport {
	report := evalReport{
		Corpus: corpus.name, Documents: len(corpus.files), Mode: mode,
		Measures: rankingMeasures(queries), Threshold: rejections(queries), Queries: queries,
	}
	milliseconds, tokens := make([]float64, len(queries)), make([]float64, len(queries))
	kinds := map[string][]evalQuery{}
	for i, query := range queries {
		milliseconds[i], tokens[i] = query.Milliseconds, float64(query.Tokens)
		if query.Kind != "" {
			kinds[query.Kind] = append(kinds[query.Kind], query)
		}
	}
	report.Measures = append(report.Measures,
		evalMeasure{"milliseconds p50", eval.BootstrapMedian(milliseconds)},
		evalMeasure{"tokens", eval.Bootstrap(tokens)})
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		report.Kinds = append(report.Kinds, evalKind{
			Kind: kind, Questions: len(kinds[kind]), Measures: rankingMeasures(kinds[kind]), Threshold: rejections(kinds[kind]),
		})
	}
	return report
}

// rankingMeasures returns none for questions that have no answer.
func rankingMeasures(queries []evalQuery) []evalMeasure {
	answerable := slices.DeleteFunc(slices.Clone(queries), func(query evalQuery) bool { return !query.Answered })
	if len(answerable) == 0 {
		return nil
	}
	measure := func(name string, of func(evalQuery) float64) evalMeasure {
		values := make([]float64, len(answerable))
		for i, query := range answerable {
			values[i] = of(query)
		}
		return evalMeasure{name, eval.Bootstrap(values)}
	}
	return []evalMeasure{
		measure("nDCG@10", func(q evalQuery) float64 { return q.NDCG10 }),
		measure("recall@5", func(q evalQuery) float64 { return q.Recall5 }),
		measure("recall@10", func(q evalQuery) float64 { return q.Recall10 }),
		measure("MRR@10", func(q evalQuery) float64 { return q.ReciprocalRank }),
	}
}

func rejections(queries []evalQuery) (r evalRejections) {
	for _, query := range queries {
		all, rejected := &r.Unanswerable, &r.RejectedUnanswerable
		if query.Answered {
			all, rejected = &r.Answerable, &r.RejectedAnswerable
		}
		*all++
		if query.Rejected {
			*rejected++
		}
	}
	return r
}

func (r evalReport) printTable(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "%s: %s, %s, mode %s\n\n", r.Corpus,
		count(r.Documents, "document"), count(len(r.Queries), "question"), r.Mode)
	fmt.Fprintln(table, "measure\tvalue\t95 % interval")
	for _, m := range r.Measures {
		fmt.Fprintf(table, "%s\t%s\t%s to %s\n", m.Name, figure(m.Value), figure(m.Low), figure(m.High))
	}
	r.printKinds(table)
	fmt.Fprintf(table, "\nNothing reached the default threshold for %d of %d questions without an answer, "+
		"and for %d of %d with one.\n",
		r.Threshold.RejectedUnanswerable, r.Threshold.Unanswerable, r.Threshold.RejectedAnswerable, r.Threshold.Answerable)
	if r.Comparison != nil {
		r.Comparison.print(table)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	return nil
}

func (r evalReport) printKinds(w io.Writer) {
	if len(r.Kinds) == 0 {
		return
	}
	fmt.Fprint(w, "\nkind\tquestions")
	for _, m := range r.Measures[:len(r.Measures)-2] {
		fmt.Fprintf(w, "\t%s", m.Name)
	}
	fmt.Fprintln(w, "\tnothing found")
	for _, kind := range r.Kinds {
		fmt.Fprintf(w, "%s\t%d", kind.Kind, kind.Questions)
		for _, m := range kind.Measures {
			fmt.Fprintf(w, "\t%s", figure(m.Value))
		}
		if len(kind.Measures) == 0 {
			fmt.Fprint(w, strings.Repeat("\t–", len(r.Measures)-2))
		}
		fmt.Fprintf(w, "\t%d\n", kind.Threshold.RejectedUnanswerable+kind.Threshold.RejectedAnswerable)
	}
}

// figure writes a measure in [0,1] with three digits, and larger ones with one.
func figure(value float64) string {
	if value > 1 {
		return strconv.FormatFloat(value, 'f', 1, 64)
	}
	return strconv.FormatFloat(value, 'f', 3, 64)
}
