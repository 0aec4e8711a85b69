package main

import (
	"cmp"
	"fmt"
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

// sample is what was measured on projects of one size.
type sample struct {
	// documents is how many each project has.
	documents, projects int
	queries             []evalQuery
}

// The questions that a share is measured on.
const (
	// sharesKept is the share of the questions whose first document is right for which that
	// document reaches the threshold.
	sharesKept = "kept"
	// sharesShown is the share of the questions without an answer for which a document
	// reaches the threshold.
	sharesShown = "shown"
)

// evalShare is a share of questions at a threshold, of all kinds or of one.
type evalShare struct {
	Of        string  `json:"of"`
	Threshold float64 `json:"threshold"`
	Documents int     `json:"documents"`
	Projects  int     `json:"projects"`
	Kind      string  `json:"kind,omitempty"`
	Questions int     `json:"questions"`
	eval.Estimate
}

// title is the heading of the table that has the share.
func (s evalShare) title() string {
	if s.Of == sharesKept {
		return fmt.Sprintf("right first, kept at %g", s.Threshold)
	}
	return fmt.Sprintf("no answer, shown at %g", s.Threshold)
}

// sameQuestions reports whether two shares are comparable.
func (s evalShare) sameQuestions(other evalShare) bool {
	return s.Of == other.Of && s.Threshold == other.Threshold && s.Documents == other.Documents && s.Kind == other.Kind
}

// shares returns the shares of a sample, first those of all kinds of questions together. Kinds
// that were not asked have none.
func shares(of sample, thresholds []float64) (all []evalShare) {
	for _, threshold := range thresholds {
		for _, name := range []string{sharesKept, sharesShown} {
			values := reached(of, name, threshold)
			for _, kind := range slices.Sorted(maps.Keys(values)) {
				all = append(all, evalShare{
					Of: name, Threshold: threshold, Documents: of.documents, Projects: of.projects,
					Kind: kind, Questions: len(values[kind]), Estimate: eval.Bootstrap(values[kind]),
				})
			}
		}
	}
	return all
}

// reached returns 1 for each question that counts for a share and reaches the threshold, and 0
// for the others, by kind; "" is all kinds.
func reached(of sample, share string, threshold float64) map[string][]float64 {
	values := map[string][]float64{}
	for _, query := range of.queries {
		score := query.TopScore
		if share == sharesKept {
			score = query.FirstScore
		}
		if query.Answered != (share == sharesKept) || query.Answered && !query.Right {
			continue
		}
		value := 0.0
		if score >= threshold {
			value = 1
		}
		values[""] = append(values[""], value)
		if query.Kind != "" {
			values[query.Kind] = append(values[query.Kind], value)
		}
	}
	return values
}

// printShares prints a table for each threshold and kind of share: a row for each kind of
// question, a column for each size of project.
func printShares(w io.Writer, all []evalShare) {
	type cell struct {
		title, kind string
		documents   int
	}
	var titles []string
	projects, kinds, cells := map[int]int{}, map[string][]string{}, map[cell]string{}
	for _, s := range all {
		title := s.title()
		if !slices.Contains(titles, title) {
			titles = append(titles, title)
		}
		if kind := cmp.Or(s.Kind, "all"); !slices.Contains(kinds[title], kind) {
			kinds[title] = append(kinds[title], kind)
		}
		projects[s.Documents] = s.Projects
		cells[cell{title, cmp.Or(s.Kind, "all"), s.Documents}] = fmt.Sprintf(
			"%.3f (%.3f to %.3f) of %d", s.Value, s.Low, s.High, s.Questions)
	}
	sizes := slices.Sorted(maps.Keys(projects))
	for _, title := range titles {
		plain.Printf(w, "\n%s", title)
		for _, size := range sizes {
			plain.Printf(w, "\t%d × %s", projects[size], plain.Count(size, "document"))
		}
		for _, kind := range kinds[title] {
			plain.Printf(w, "\n%s", kind)
			for _, size := range sizes {
				plain.Printf(w, "\t%s", cmp.Or(cells[cell{title, kind, size}], "–"))
			}
		}
		plain.Printf(w, "\n")
	}
}
