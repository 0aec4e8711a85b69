package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// everyday is the kind of the questions in everyday.jsonl.
const everyday = "everyday"

// allKinds is the row of a report that has every kind of question.
const allKinds = "*all*"

func anyKind(string) bool         { return true }
func isEveryday(kind string) bool { return kind == everyday }
func isOther(kind string) bool    { return kind != everyday }

// mean is taken over the questions of some kinds that have an answer.
func (s sample) mean(kinds func(string) bool, measure func(result) float64) float64 {
	var values []float64
	for _, r := range s.results {
		if r.judged.answerable() && kinds(r.Kind) {
			values = append(values, measure(r))
		}
	}
	return mean(values)
}

// among says of each result that counts whether it has reached something.
func (s sample) among(counts, reached func(result) bool) (values []bool) {
	for _, r := range s.results {
		if counts(r) {
			values = append(values, reached(r))
		}
	}
	return values
}

// kept says for each question whose first document is right whether that document reaches
// the threshold.
func (s sample) kept(threshold float64, kinds func(string) bool) []bool {
	return s.among(func(r result) bool { return r.right() && kinds(r.Kind) },
		func(r result) bool { return r.firstScore >= threshold })
}

// shown says for each question without an answer whether a document reaches the threshold.
func (s sample) shown(threshold float64, kinds func(string) bool) []bool {
	return s.among(func(r result) bool { return !r.judged.answerable() && kinds(r.Kind) },
		func(r result) bool { return r.topScore >= threshold })
}

// pointedRight says for each question whose first document is right whether the hook points to
// a relevant one.
func (s sample) pointedRight() []bool {
	return s.among(result.right, func(r result) bool { return r.judged[r.pointed] > 0 })
}

// pointedWrong says for each question that has an answer whether the hook points elsewhere.
func (s sample) pointedWrong() []bool {
	return s.among(func(r result) bool { return r.judged.answerable() },
		func(r result) bool { return r.pointed != "" && r.judged[r.pointed] <= 0 })
}

// pointedUnasked says for each question without an answer whether the hook points to a document.
func (s sample) pointedUnasked(kinds func(string) bool) []bool {
	return s.among(func(r result) bool { return !r.judged.answerable() && kinds(r.Kind) },
		func(r result) bool { return r.pointed != "" })
}

// share is the share of true values, 0 of none.
func share(values []bool) float64 {
	reached := 0
	for _, value := range values {
		if value {
			reached++
		}
	}
	return float64(reached) / float64(max(len(values), 1))
}

// printRow prints a row of a table in markdown.
func printRow(w io.Writer, cells ...string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }

func printHead(w io.Writer, columns ...string) {
	fmt.Fprintln(w)
	printRow(w, columns...)
	printRow(w, slices.Repeat([]string{"---"}, len(columns))...)
}

func printSearchHead(w io.Writer) {
	printHead(w, "set", "by", "documents", "nDCG@10",
		"kept at .5", "everyday shown", "others shown", "kept at .9", "everyday shown", "others shown")
}

// printSearch prints what a search ranks, and what two thresholds of the score do.
func (s sample) printSearch(w io.Writer, set, by string) {
	ranking := ""
	if s.whole {
		ranking = fmt.Sprintf("%.3f", s.mean(anyKind, result.ndcg))
	}
	row := []string{set, by, strconv.Itoa(s.documents), ranking}
	for _, threshold := range []float64{.5, .9} {
		for _, values := range [][]bool{s.kept(threshold, anyKind), s.shown(threshold, isEveryday), s.shown(threshold, isOther)} {
			cell := "–"
			if len(values) > 0 {
				cell = fmt.Sprintf("%.3f", share(values))
			}
			row = append(row, cell)
		}
	}
	printRow(w, row...)
}

func printHookHead(w io.Writer) {
	printHead(w, "set", "by", "documents", "right first, got it", "everyday, got any", "others, got any", "got a wrong one")
}

// printHook prints what the hook of a prompt adds.
func (s sample) printHook(w io.Writer, set, by string) {
	row := []string{set, by, strconv.Itoa(s.documents)}
	for _, values := range [][]bool{s.pointedRight(), s.pointedUnasked(isEveryday), s.pointedUnasked(isOther), s.pointedWrong()} {
		row = append(row, fmt.Sprintf("%.3f of %d", share(values), len(values)))
	}
	printRow(w, row...)
}

func printKindsHead(w io.Writer) {
	printHead(w, "set", "by", "kind", "questions", "nDCG@10", "first", "one in five", "in ten", "MRR@10")
}

// printKinds prints a row for each kind of question that has answers, and one for all of them.
func (s sample) printKinds(w io.Writer, set, by string) {
	counts := map[string]int{}
	for _, r := range s.results {
		if r.judged.answerable() {
			counts[allKinds]++
			if r.Kind != "" {
				counts[r.Kind]++
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		of := func(k string) bool { return kind == allKinds || k == kind }
		row := []string{set, by, kind, strconv.Itoa(counts[kind])}
		for _, measure := range []func(result) float64{result.ndcg, result.first, result.inFive, result.recall10, result.rank10} {
			row = append(row, fmt.Sprintf("%.3f", s.mean(of, measure)))
		}
		printRow(w, row...)
	}
}

// pointed says for each act of a kind whether a hook points to its document, and whether to another one.
func (s sample) pointed(kind string) (right, wrong []bool) {
	for _, r := range s.results {
		if r.Kind == kind {
			right = append(right, r.judged[r.pointed] > 0)
			wrong = append(wrong, r.pointed != "" && r.judged[r.pointed] <= 0)
		}
	}
	return right, wrong
}

func printActsHead(w io.Writer) {
	printHead(w, "set", "by", "event", "asked", "right", "wrong", "silent", "tokens", "p50 ms", "p95 ms")
}

// printActs prints a row for each kind of act. Tokens are the mean of those that get a document.
func (s sample) printActs(w io.Writer, set, by string) {
	for _, kind := range []string{command, knownFailure, edit, code, everydayCommand, unknownFailure, everydayEdit, everydayCode} {
		right, wrong := s.pointed(kind)
		if len(right) == 0 {
			continue
		}
		tokens, shown := 0, 0
		var took []time.Duration
		for _, r := range s.results {
			if r.Kind != kind {
				continue
			}
			took = append(took, r.took)
			tokens += r.tokens
			if r.pointed != "" {
				shown++
			}
		}
		slices.Sort(took)
		row := []string{set, by, kind, strconv.Itoa(len(right))}
		for _, part := range []float64{share(right), share(wrong), 1 - share(right) - share(wrong)} {
			row = append(row, fmt.Sprintf("%.3f", part))
		}
		row = append(row, strconv.Itoa(tokens/max(shown, 1)))
		for _, percent := range []int{50, 95} {
			row = append(row, fmt.Sprintf("%.1f", float64(took[len(took)*percent/100].Microseconds())/1000))
		}
		printRow(w, row...)
	}
}

// hasRight reports whether a hook names a relevant document.
func (r result) hasRight() bool {
	return slices.ContainsFunc(r.listed, func(path string) bool { return r.judged[path] > 0 })
}

// listed says for each prompt of a kind whether a hook names a relevant document, and whether it names others alone.
func (s sample) listed(kind string) (right, wrong []bool) {
	ofKind := func(r result) bool { return r.Kind == kind }
	return s.among(ofKind, result.hasRight), s.among(ofKind, func(r result) bool { return r.pointed != "" && !r.hasRight() })
}

// printPrompts prints what hooks say of the first prompts of sessions.
func (s sample) printPrompts(w io.Writer, set, by string) {
	asked := firstTask
	if right, _ := s.listed(titled); len(right) > 0 {
		asked = titled
	}
	right, wrong := s.listed(asked)
	_, others := s.listed(map[string]string{firstTask: otherTask, titled: otherTitle}[asked])
	_, everyday := s.listed(firstEveryday)
	printRow(w, set, by, strconv.Itoa(s.documents), strconv.Itoa(len(right)), fmt.Sprintf("%.3f", share(right)),
		fmt.Sprintf("%.3f", share(wrong)), fmt.Sprintf("%.3f of %d", 1-share(others), len(others)),
		fmt.Sprintf("%.3f of %d", share(everyday), len(everyday)))
}
