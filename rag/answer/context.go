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

// source is a document that an answer may draw on.
type source struct {
	rag.Hit // its score is 0 if it is only linked

	note string // tells the model why the document is here, and whether it holds
	// brief asks to quote only title, summary and lines.
	brief    bool
	passages []rag.Hit // in the order of the document
}

// isRule reports whether the source is a critical document that holds.
func (s source) isRule() bool { return s.Level == catalog.Critical && s.Holds() }

// quote is a source with the passages that fit into the prompt.
type quote struct {
	source source
	// chosen holds indices into source.passages, rising and at least one.
	chosen []int
	// cut replaces the text of the only chosen passage when not all of it fits.
	cut string
	// size is what the quote takes before further passages are chosen, in tokens.
	size int
}

// text returns the quoted text of a chosen passage.
func (q quote) text(i int) string {
	if q.cut != "" {
		return q.cut
	}
	return q.source.passages[i].Content
}

// runs returns the chosen passages in groups of neighbours.
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

// minQuote is the smallest piece of a passage that is worth quoting, in tokens.
const minQuote = 16

// fit chooses passages to quote within room tokens. Sources come in order of priority. Room that
// the best passages leave goes to further passages, one for each source in turn.
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

// fitBest quotes the best passage of each source, and returns the room that is left. First the titles or
// summaries of critical documents get up to half of the room. Then the most relevant source takes what it needs
// of the rest, cut if it is too long. The others follow in their order, until one has no room.
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

// best quotes the best passage, cut if it is longer than room. If the room is too small, it chooses no passage.
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

// briefTokens bounds the summary of a document that is quoted instead of its text.
const briefTokens = 64

// beginning quotes the summary of a document, with the lines of its best passage.
func (s source) beginning(d delimiter) quote {
	best := s.preference()[:1:1]
	p, summary := s.passages[best[0]], cutToTokens(cmp.Or(s.Summary, s.Title), briefTokens)
	size := d.frameTokens(s) + promptTokens(summary) + promptTokens(passageLabel(p, p))
	return quote{source: s, chosen: best, cut: summary, size: size}
}

// worse is how much lower than the best passage's the log-odds of another quoted passage may be.
// It is then e² ≈ 7 times less likely; a lower one is about another subject.
const worse = 2

// further returns the indices of the other passages worth quoting, best first: relevant passages,
// and the neighbours of the best one, because its text may begin or end there.
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

// preference returns the indices of the passages that have text, by relevance, each followed by its
// neighbours. Passages that only list subjects come last, and so does front matter.
func (s source) preference() []int {
	const last = 1_000 // more than any log-odds
	relevant, scores := make([]int, 0, len(s.passages)), make([]float64, len(s.passages))
	for i, p := range s.passages {
		if hasText(p) {
			relevant = append(relevant, i)
		}
		scores[i] = p.LogOdds
		// A passage of front matter names more lines than its text has.
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
