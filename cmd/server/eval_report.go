package main

import (
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/compound-docs/compound-docs/internal/eval"
	"github.com/compound-docs/compound-docs/internal/plain"
)

// evalReport is the result of one run, as --json prints it.
type evalReport struct {
	Corpus    string        `json:"corpus"`
	Documents int           `json:"documents"`
	Mode      string        `json:"mode"`
	Measures  []evalMeasure `json:"measures"`
	Kinds     []evalKind    `json:"kinds,omitempty"`
	Shares    []evalShare   `json:"shares"`
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

// evalKind has the measures of ranking of the questions of one kind that have an answer.
type evalKind struct {
	Kind      string        `json:"kind"`
	Questions int           `json:"questions"`
	Measures  []evalMeasure `json:"measures"`
}

func newReport(corpus *corpus, mode string, queries []evalQuery) evalReport {
	report := evalReport{
		Corpus: corpus.name, Documents: len(corpus.files), Mode: mode,
		Measures: rankingMeasures(queries), Queries: queries,
	}
	milliseconds, tokens := make([]float64, len(queries)), make([]float64, len(queries))
	kinds := map[string][]evalQuery{}
	for i, query := range queries {
		milliseconds[i], tokens[i] = query.Milliseconds, float64(query.Tokens)
		if query.Kind != "" && query.Answered {
			kinds[query.Kind] = append(kinds[query.Kind], query)
		}
	}
	report.Measures = append(report.Measures,
		evalMeasure{"milliseconds p50", eval.BootstrapMedian(milliseconds)},
		evalMeasure{"tokens", eval.Bootstrap(tokens)})
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		report.Kinds = append(report.Kinds, evalKind{
			Kind: kind, Questions: len(kinds[kind]), Measures: rankingMeasures(kinds[kind]),
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

func (r evalReport) printTable(w io.Writer) {
	plain.Table(w, func(table io.Writer) {
		plain.Printf(table, "%s: %s, %s, mode %s\n\n", r.Corpus,
			plain.Count(r.Documents, "document"), plain.Count(len(r.Queries), "question"), r.Mode)
		plain.Printf(table, "measure\tvalue\t95 %% interval\n")
		for _, m := range r.Measures {
			plain.Printf(table, "%s\t%s\t%s to %s\n", m.Name, figure(m.Value), figure(m.Low), figure(m.High))
		}
		r.printKinds(table)
		printShares(table, r.Shares)
		if r.Comparison != nil {
			r.Comparison.print(table)
		}
	})
}

func (r evalReport) printKinds(w io.Writer) {
	if len(r.Kinds) == 0 {
		return
	}
	plain.Printf(w, "\nkind\tquestions")
	for _, m := range r.Measures[:len(r.Measures)-2] {
		plain.Printf(w, "\t%s", m.Name)
	}
	plain.Printf(w, "\n")
	for _, kind := range r.Kinds {
		plain.Printf(w, "%s\t%d", kind.Kind, kind.Questions)
		for _, m := range kind.Measures {
			plain.Printf(w, "\t%s", figure(m.Value))
		}
		plain.Printf(w, "\n")
	}
}

// figure writes a measure in [0,1] with three digits, and larger ones with one.
func figure(value float64) string {
	if value > 1 {
		return strconv.FormatFloat(value, 'f', 1, 64)
	}
	return strconv.FormatFloat(value, 'f', 3, 64)
}
