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
	// maxListed is how many documents a shortlist names, of maxFound that a search finds with a score of leastFound.
	maxListed, maxFound = 3, 12
	leastFound          = .005
	// leastNear is the nearness of a document that is named, to the first maxTask characters of the task. Of the tasks of
	// test/eval/tasks .81 get their document, and .61 another one if it is taken out; with .14 it is .71 and .39. Others
	// are named if they are at most maxBehind behind the nearest one.
	leastNear, maxBehind = .06, .15
	maxTask              = 1_000
	// fewestTerms is how many different content words a task has at least. Most everyday prompts have fewer. A task with
	// fewer than longTerms may be one, so a document must have leastNearShort.
	fewestTerms, longTerms = 6, 12
	leastNearShort         = .15
	// maxShortlist bounds a shortlist, in characters: about 150 tokens.
	maxShortlist = 520
	seeMore      = " Read what fits; semantic_search finds more."
)

// isSlashCommand reports whether a prompt calls a command of the assistant, such as /cdocs:capture. A path has more slashes.
func isSlashCommand(prompt string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(prompt), " ")
	return strings.HasPrefix(word, "/") && len(word) > 1 && strings.Count(word, "/") == 1
}

// isTask reports whether a prompt describes work to be done.
func (e Event) isTask() bool {
	return e.act() == asking && !isSlashCommand(e.Prompt) && countTerms(e.task()) >= fewestTerms
}

// countTerms counts the different content words of a task.
func countTerms(task string) int { return len(terms.Distinct(terms.English, ends(task, maxTask))) }

// forTask returns the documents of a shortlist for a task, those that it names and then the nearest first.
func forTask(task string, found []candidate) []candidate {
	task = markdown.CutRunes(task, maxTask)
	// The score says less: a user reports a symptom in other words than the document has.
	near, byPath, least := make(map[int64]float64, len(found)), map[string]float64{}, leastNear
	if countTerms(task) < longTerms {
		least = leastNearShort
	}
	for _, c := range slices.Backward(found) {
		nearness := math.Inf(1)
		if c.named == "" {
			nearness = c.Nearness(task)
			least = max(least, nearness-maxBehind)
		}
		// A document that replaces or amends another one comes before it.
		near[c.ID] = max(nearness, byPath[c.Path])
		byPath[c.Successor()] = max(byPath[c.Successor()], near[c.ID])
	}
	found = slices.SortedStableFunc(slices.Values(found), func(a, b candidate) int { return cmp.Compare(near[b.ID], near[a.ID]) })
	return slices.DeleteFunc(found, func(c candidate) bool { return near[c.ID] < least })
}

// shortlist names documents for a task in one line, best first, and returns those that it names. A single one gets
// a pointer.
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
		return listed[0].pointer() + seeMore, listed
	}
	return strings.TrimSuffix(text, ";") + "." + seeMore, listed
}
