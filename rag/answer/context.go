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
	// cut, if not "", is quoted in place of the only chosen passage: its beginning, or a summary of the document.
	cut string
	// size is the number of tokens of the quote, without the further passages that fit adds.
	size int
}

// text returns the text to quote for a chosen passage.
func (q quote) text(i int) string {
	if q.cut != "" {
		return q.cut
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

// fit chooses the passages to quote, in at most room tokens. The sources are in order of priority. First each source
// gets its best passage. The rest of the room goes to further passages, one for each source in turn.
func fit(sources []source, d delimiter, room int) []quote {
	quotes, room := fitBest(sources, d, room)
	waiting := make([][]int, len(quotes))
	for i, q := range quotes {
		if q.cut == "" {
			waiting[i] = q.source.further()
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
		if q := s.beginning(d); q.size <= half {
			quoted[i], half, room = q, half-q.size, room-q.size
		}
	}
	q := sources[top].best(d, room)
	if len(q.chosen) == 0 { // the critical documents have left too little room
		clear(quoted)
		room = all
		q = sources[top].best(d, room)
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
		q := s.best(d, room+summary)
		if q.cut == "" && len(q.chosen) > 0 {
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

// best quotes the best passage, cut if it does not fit into room. If room is too small, the quote has no passage.
func (s source) best(d delimiter, room int) quote {
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
	return quote{source: s, chosen: best, cut: cutToTokens(p.Content, text), size: room}
}

// briefTokens bounds a summary that is quoted in place of a document's text.
const briefTokens = 64

// beginning quotes the summary of a document, with the line numbers of its best passage.
func (s source) beginning(d delimiter) quote {
	best := s.preference()[:1:1]
	p, summary := s.passages[best[0]], cutToTokens(cmp.Or(s.Summary, s.Title), briefTokens)
	size := d.frameTokens(s) + promptTokens(summary) + promptTokens(passageLabel(p, p))
	return quote{source: s, chosen: best, cut: summary, size: size}
}

// worse is how far the log-odds of a further passage may be below those of the best passage. The odds are then e² ≈ 7
// times lower. A passage with lower odds is about another subject.
const worse = 2

// further returns the indices of the passages to quote after the best one, in order of preference: the relevant
// passages, and the neighbours of the best passage, in which its text may begin or end.
func (s source) further() []int {
	order := s.preference()
	best := order[0]
	floor := s.passages[best].LogOdds - worse
	return slices.DeleteFunc(order[1:], func(i int) bool {
		return s.passages[i].LogOdds < floor && i != best-1 && i != best+1
	})
}

func (s source) hasText() bool { return slices.ContainsFunc(s.passages, hasText) }

func hasText(p rag.Hit) bool { return strings.TrimSpace(p.Content) != "" }

// preference returns the indices of the passages with text, the most relevant first. The neighbours of each passage
// follow it directly. Passages that only list subjects come last, and so does front matter.
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
