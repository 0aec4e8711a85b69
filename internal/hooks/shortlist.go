package hooks

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/terms"
)

const (
	// A shortlist names at most maxListed documents. It chooses among maxFound search results with a score of at least
	// leastFound.
	maxListed, maxFound = 3, 12
	leastFound          = .005
	// A listed document must be near the first maxTask characters of the task: NearnessTo must be at least leastNear, and
	// at most maxBehind less than for the nearest document. With this leastNear, 81 % of the tasks in test/eval/tasks get
	// the right document. If the right document is not in the index, 61 % get a wrong document. With .14, the shares would
	// be 71 % and 39 %.
	leastNear, maxBehind = .06, .15
	maxTask              = 1_000
	// A task has at least fewestTerms different content words. Most everyday prompts have fewer. A prompt with fewer than
	// longTerms words may still be an everyday prompt, so its documents must be nearer: leastNearShort replaces leastNear.
	fewestTerms, longTerms = 6, 12
	leastNearShort         = .15
	// maxShortlist bounds a shortlist in characters, and is approximately 150 tokens.
	maxShortlist = 520
	seeMore      = " Read what fits; semantic_search finds more."
)

// countTerms counts the different content words of a task.
func countTerms(task string) int { return len(terms.Distinct(terms.English, ends(task, maxTask))) }

// forTask returns the candidates for a shortlist: documents that the task names, then documents near the task.
func forTask(task string, found []candidate) []candidate {
	task = markdown.CutRunes(task, maxTask)
	// Users describe a symptom in other words than the document, so nearness says more than the search's score.
	near, byPath, least := make(map[int64]float64, len(found)), map[string]float64{}, leastNear
	if countTerms(task) < longTerms {
		least = leastNearShort
	}
	for _, c := range slices.Backward(found) {
		nearness := math.Inf(1)
		if c.named == "" {
			nearness = c.NearnessTo(task)
			least = max(least, nearness-maxBehind)
		}
		// A document that replaces or amends another document comes before that document.
		near[c.ID] = max(nearness, byPath[c.Path])
		byPath[c.Successor()] = max(byPath[c.Successor()], near[c.ID])
	}
	found = slices.SortedStableFunc(slices.Values(found), func(a, b candidate) int { return cmp.Compare(near[b.ID], near[a.ID]) })
	return slices.DeleteFunc(found, func(c candidate) bool { return near[c.ID] < least })
}

// shortlist returns one line that names the best documents for a task, and the documents in the line. A single document
// gets a pointer instead.
func shortlist(found []candidate) (string, []candidate) {
	text, listed := memoryName+", for this task:", []candidate{}
	for _, c := range found {
		item := " " + c.place()
		if mark := c.Mark(); mark != "" {
			item += " (" + plain.Line(mark) + ")"
		}
		item += ";"
		if len(listed) < maxListed && utf8.RuneCountInString(text+item+seeMore) <= maxShortlist {
			text, listed = text+item, append(listed, c)
		}
	}
	if len(listed) == 1 {
		return listed[0].line + seeMore, listed
	}
	return strings.TrimSuffix(text, ";") + "." + seeMore, listed
}
