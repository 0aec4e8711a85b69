package rag

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// source is a document that an answer may draw on, with its passages in order.
type source struct {
	id          int64
	path, title string
	note        string // why it is here, for the model
	passages    []db.ChunkTextsRow
}

// quote is how much of a source fits: its chosen passages, in order.
type quote struct {
	source source
	// chosen holds indices into source.passages, rising.
	chosen []int
}

// whole reports that nothing of the source was left out.
func (q quote) whole() bool { return len(q.chosen) == len(q.source.passages) }

// perDocumentTokens covers a document's delimiters and labels in the prompt.
const perDocumentTokens = 60

// fit chooses what to quote of each source within a budget of tokens. Documents
// that fit an equal share of it are quoted whole, and what they leave goes to
// the longer ones, of which the best passages and their neighbours are quoted.
// The order of the sources is kept; one of which nothing fits is left out.
func fit(sources []source, budget int) []quote {
	order := make([]int, len(sources))
	sizes := make([]int, len(sources))
	for i, s := range sources {
		order[i] = i
		sizes[i] = perDocumentTokens + s.tokens()
	}
	slices.SortStableFunc(order, func(a, b int) int { return sizes[a] - sizes[b] })
	allowed := make([]int, len(sources))
	for n, i := range order {
		allowed[i] = min(sizes[i], budget/(len(order)-n))
		budget -= allowed[i]
	}
	quotes := make([]quote, 0, len(sources))
	for i, s := range sources {
		if chosen := s.choose(allowed[i] - perDocumentTokens); len(chosen) > 0 {
			quotes = append(quotes, quote{source: s, chosen: chosen})
		}
	}
	return quotes
}

func (s source) tokens() int {
	total := 0
	for _, p := range s.passages {
		total += passageTokens(p)
	}
	return total
}

func passageTokens(p db.ChunkTextsRow) int {
	const label = 20
	return markdown.EstimateTokens(p.Content) + label
}

// choose returns the passages to quote within the budget: each of the best, in
// order of distance, with the passages before and after it as far as they fit.
func (s source) choose(budget int) []int {
	best := make([]int, len(s.passages))
	for i := range best {
		best[i] = i
	}
	slices.SortStableFunc(best, func(a, b int) int {
		return cmp.Compare(s.passages[a].Distance, s.passages[b].Distance)
	})
	chosen := map[int]bool{}
	for _, i := range best {
		for _, candidate := range []int{i, i + 1, i - 1} {
			if candidate < 0 || candidate >= len(s.passages) || chosen[candidate] {
				continue
			}
			if size := passageTokens(s.passages[candidate]); size <= budget {
				chosen[candidate] = true
				budget -= size
			}
		}
	}
	rising := make([]int, 0, len(chosen))
	for i := range s.passages {
		if chosen[i] {
			rising = append(rising, i)
		}
	}
	return rising
}

// promptText writes the quotes as the model sees them. A document cannot end its
// own element: what looks like the end tag is broken up.
func promptText(quotes []quote) string {
	var b strings.Builder
	for _, q := range quotes {
		fmt.Fprintf(&b, "<document path=%q title=\"%s\" note=%q>\n",
			"./"+q.source.path, html.EscapeString(q.source.title), q.source.note)
		previous := -1
		for _, i := range q.chosen {
			p := q.source.passages[i]
			if i != previous+1 || (i == 0 && !q.whole()) {
				fmt.Fprintf(&b, "[… lines %d to %d, %s]\n", p.StartLine, p.EndLine, p.HeaderPath)
			}
			b.WriteString(neutralise(p.Content))
			b.WriteString("\n")
			previous = i
		}
		b.WriteString("</document>\n")
	}
	return b.String()
}

func neutralise(text string) string {
	return strings.NewReplacer("</document", "<\\/document", "<document", "<\\document").Replace(text)
}
