package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/compound-docs/compound-docs/internal/eval"
	"github.com/compound-docs/compound-docs/internal/plain"
)

// sample is what was measured on projects of one size.
type sample struct {
	// documents is how many each project has.
	documents, projects int
	queries             []evalQuery
}

// judgeAll judges the whole collection, and the projects of each size that are drawn from
// it. The sample of a size that the collection does not have is empty.
func judgeAll(whole *corpus, sizes []int, judge func(*corpus) ([]evalQuery, error)) ([]sample, error) {
	samples := []sample{{documents: len(whole.files)}}
	projects := [][]*corpus{{whole}}
	for _, size := range sizes {
		samples = append(samples, sample{documents: size})
		projects = append(projects, whole.draw(size))
	}
	for i := range samples {
		for _, project := range projects[i] {
			queries, err := judge(project)
			if err != nil {
				return nil, err
			}
			samples[i].projects++
			samples[i].queries = append(samples[i].queries, queries...)
		}
	}
	return samples, nil
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
