package answer

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// source is a document that an answer may use.
type source struct {
	rag.Hit // Score is 0 for a document that is only linked

	note string // tells the model why the document is here, and whether it holds
	// brief is set for a critical document that has nothing to do with the question. Only its summary is quoted.
	brief    bool
	passages []rag.Hit // in the order of the document
}

// isRule reports whether the source is a critical document that holds.
func (s source) isRule() bool { return s.Level == catalog.Critical && s.Holds() }

// quote is a source with the passages that fit into the prompt.
type quote struct {
	source source
	// chosen has the indices of the quoted passages in source.passages. [fit] sorts them.
	chosen []int
	// excerpt, if not "", is quoted instead of the only chosen passage: the beginning of the passage, or a summary.
	excerpt string
	// size is the number of tokens of the quote that [fitBest] makes, which has one passage of the source.
	size int
}

// text returns the text to quote for a chosen passage.
func (q quote) text(i int) string {
	if q.excerpt != "" {
		return q.excerpt
	}
	return q.source.passages[i].Content
}

// runs returns the chosen passages in groups. Each group is a run of passages without a gap.
func (q quote) runs() [][]int {
	var runs [][]int
	for at, i := range q.chosen {
		if at == 0 || i != q.chosen[at-1]+1 {
			runs = append(runs, nil)
		}
		runs[len(runs)-1] = append(runs[len(runs)-1], i)
	}
	return runs
}

// minQuote is the shortest piece of a passage that is worth quoting, in tokens.
const minQuote = 16

// fit chooses the passages to quote. They fill no more than the room, in tokens. The sources are in order of priority.
// First each source gets its best passage. Then the sources get further passages in turn, one at a time.
func fit(sources []source, d delimiter, room int) []quote {
	quotes, room := fitBest(sources, d, room)
	waiting := make([][]int, len(quotes))
	for i, q := range quotes {
		if q.excerpt == "" {
			waiting[i] = q.source.furtherPassages()
		}
	}
	for progress := true; progress; {
		progress = false
		for i := range quotes {
			for len(waiting[i]) > 0 {
				next := waiting[i][0]
				waiting[i] = waiting[i][1:]
				if size := passageTokens(quotes[i].source.passages[next]); size <= room {
					quotes[i].chosen = append(quotes[i].chosen, next)
					room -= size
					progress = true
					break
				}
			}
		}
	}
	for _, q := range quotes {
		slices.Sort(q.chosen)
	}
	return quotes
}

// fitBest quotes the best passage of each source, and returns the room that is left. First the summaries of critical
// documents get up to half of the room. Then the most relevant source gets its best passage, cut if it is too long.
// Then the other sources get their best passages, in order, until one does not fit.
func fitBest(sources []source, d delimiter, room int) (quotes []quote, left int) {
	top := -1 // the most relevant source that has text
	for i, s := range sources {
		if s.hasText() && (top < 0 || s.Score > sources[top].Score) {
			top = i
		}
	}
	if top < 0 {
		return nil, room
	}
	quoted, all, half := map[int]quote{}, room, room/2
	for i, s := range sources {
		if i == top || !s.hasText() || !s.isRule() {
			continue
		}
		if q := s.summaryQuote(d); q.size <= half {
			quoted[i], half, room = q, half-q.size, room-q.size
		}
	}
	q := sources[top].bestQuote(d, room)
	if len(q.chosen) == 0 { // the critical documents have left too little room
		clear(quoted)
		room = all
		q = sources[top].bestQuote(d, room)
	}
	if len(q.chosen) == 0 {
		return nil, room
	}
	quoted[top], room = q, room-q.size
	for i, s := range sources {
		if i == top || !s.hasText() || s.brief {
			continue
		}
		summary := quoted[i].size
		q := s.bestQuote(d, room+summary)
		if q.excerpt == "" && len(q.chosen) > 0 {
			quoted[i], room = q, room+summary-q.size
		} else if summary == 0 {
			break
		}
	}
	for _, i := range slices.Sorted(maps.Keys(quoted)) {
		quotes = append(quotes, quoted[i])
	}
	return quotes, room
}

// bestQuote quotes the best passage, or its beginning if the room is small. Without room, the quote has no passage.
func (s source) bestQuote(d delimiter, room int) quote {
	best := s.preference()[:1:1]
	p := s.passages[best[0]]
	frame := d.frameTokens(s)
	if all := frame + passageTokens(p); all <= room {
		return quote{source: s, chosen: best, size: all}
	}
	text := room - frame - promptTokens(passageLabel(p, p))
	if text < minQuote {
		return quote{source: s}
	}
	return quote{source: s, chosen: best, excerpt: cutToTokens(p.Content, text), size: room}
}

// briefTokens bounds a summary that is quoted in place of a document's text.
const briefTokens = 64

// summaryQuote quotes the summary of a document, with the line numbers of its best passage.
func (s source) summaryQuote(d delimiter) quote {
	best := s.preference()[:1:1]
	p, summary := s.passages[best[0]], cutToTokens(cmp.Or(s.Summary, s.Title), briefTokens)
	size := d.frameTokens(s) + promptTokens(summary) + promptTokens(passageLabel(p, p))
	return quote{source: s, chosen: best, excerpt: summary, size: size}
}

// furtherMargin is how far the log-odds of a further passage may be below the log-odds of the best passage: its odds
// are up to e² ≈ 7 times lower. A passage with still lower odds is about another subject.
const furtherMargin = 2

// furtherPassages returns the indices of the passages to quote after the best passage, in order of preference. These
// are the relevant passages, and the two neighbours of the best passage, because a text may go on in the next passage.
func (s source) furtherPassages() []int {
	order := s.preference()
	best := order[0]
	floor := s.passages[best].LogOdds - furtherMargin
	return slices.DeleteFunc(order[1:], func(i int) bool {
		return s.passages[i].LogOdds < floor && i != best-1 && i != best+1
	})
}

func (s source) hasText() bool { return slices.ContainsFunc(s.passages, hasText) }

func hasText(p rag.Hit) bool { return strings.TrimSpace(p.Content) != "" }

// preference returns the indices of the passages with text, the most relevant passage first. Directly after each
// passage come its neighbours. Passages that only list subjects come last, and so does front matter.
func (s source) preference() []int {
	const last = 1_000 // more than any log-odds
	relevant, scores := make([]int, 0, len(s.passages)), make([]float64, len(s.passages))
	for i, p := range s.passages {
		if hasText(p) {
			relevant = append(relevant, i)
		}
		scores[i] = p.LogOdds
		// A passage of front matter has more lines in the file than in its text.
		isFrontMatter := p.StartLine == 1 && p.HeaderPath == "" && p.EndLine > 1+strings.Count(p.Content, "\n")
		if isFrontMatter || markdown.IsListing(p.Content) {
			scores[i] -= last
		}
	}
	slices.SortStableFunc(relevant, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	order := make([]int, 0, len(relevant))
	seen := make([]bool, len(s.passages))
	for _, i := range relevant {
		for _, candidate := range []int{i, i + 1, i - 1} {
			if candidate >= 0 && candidate < len(seen) && !seen[candidate] && hasText(s.passages[candidate]) {
				seen[candidate] = true
				order = append(order, candidate)
			}
		}
	}
	return order
}

func passageTokens(p rag.Hit) int {
	return promptTokens(p.Content) + promptTokens(passageLabel(p, p))
}
