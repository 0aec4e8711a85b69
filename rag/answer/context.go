package answer

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/rag"
)

// source is a document that an answer may draw on.
type source struct {
	rag.Hit // its score is 0 if it is only linked

	note string // for the model: why it is here, and how far it holds
	// brief asks for the beginning of the document alone.
	brief    bool
	passages []rag.Passage // in the order of the document
}

// quote is how much of a source fits: its chosen passages.
type quote struct {
	source source
	// chosen holds indices into source.passages, rising and at least one.
	chosen []int
	// cut replaces the text of the only chosen passage when not all of it fits.
	cut string
}

// whole reports whether nothing of the source was left out.
func (q quote) whole() bool { return len(q.chosen) == len(q.source.passages) && q.cut == "" }

// text returns what is quoted of a chosen passage.
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

// fit chooses what to quote of the sources within room tokens. The sources come in
// order of priority and keep it. Each source that is quoted has at least its best
// passage. The remaining room goes to further passages, one for each source in turn.
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

// fitBest quotes the best passage of each source, and returns the room that is left.
// Sources that have no room are dropped from the end. The most relevant one always
// stays: many critical documents must not leave an answer without the document that it
// is about. Its passage is cut if it is too long for all of the room.
func fitBest(sources []source, d delimiter, room int) (quotes []quote, left int) {
	order := make([]int, 0, len(sources))
	for i, s := range sources {
		if s.hasText() {
			order = append(order, i)
		}
	}
	if len(order) == 0 {
		return nil, room
	}
	top := slices.MaxFunc(order, func(i, j int) int { return cmp.Compare(sources[i].Score, sources[j].Score) })
	order = slices.DeleteFunc(order, func(i int) bool { return i == top })
	quoted := map[int]quote{}
	for _, i := range slices.Insert(order, 0, top) {
		s := sources[i]
		if s.brief && len(quoted) > 0 {
			q, size := s.beginning(d)
			if size > room {
				break
			}
			quoted[i], room = q, room-size
			continue
		}
		best := s.preference()[0]
		frame, size := d.frameTokens(s), passageTokens(s.passages[best])
		q := quote{source: s, chosen: []int{best}}
		if frame+size > room {
			text := room - frame - promptTokens(passageLabel(s.passages[best], s.passages[best]))
			if len(quoted) > 0 || text < minQuote {
				break
			}
			q.cut = cutToTokens(s.passages[best].Content, text)
			size = room - frame
		}
		quoted[i] = q
		room -= frame + size
	}
	for i := range sources {
		if q, ok := quoted[i]; ok {
			quotes = append(quotes, q)
		}
	}
	return quotes, room
}

// briefTokens bounds what is quoted of a document that has nothing to do with the question.
const briefTokens = 64

// beginning quotes the first lines of a document.
func (s source) beginning(d delimiter) (q quote, size int) {
	first := slices.IndexFunc(s.passages, hasText)
	q = quote{source: s, chosen: []int{first}, cut: cutToTokens(s.passages[first].Content, briefTokens)}
	return q, d.frameTokens(s) + promptTokens(q.cut) + promptTokens(passageLabel(s.passages[first], s.passages[first]))
}

// worse is how much less likely than the best passage of a document another one may
// answer the question, in log-odds, to be quoted: e² ≈ 7 times. Below that it is of
// another subject.
const worse = 2

// further returns the indices of the passages that are worth quoting besides the best
// one, in that order: those that are relevant themselves, and the neighbours of the
// best one, which may begin or end what that says.
func (s source) further() []int {
	order := s.preference()
	best := order[0]
	floor := logit(s.passages[best].Score) - worse
	return slices.DeleteFunc(order[1:], func(i int) bool {
		return logit(s.passages[i].Score) < floor && i != best-1 && i != best+1
	})
}

// logit is the inverse of the logistic function.
func logit(p float64) float64 { return math.Log(p / (1 - p)) }

func (s source) hasText() bool { return slices.ContainsFunc(s.passages, hasText) }

func hasText(p rag.Passage) bool { return strings.TrimSpace(p.Content) != "" }

// preference returns the indices of the passages that have text, in the order in which
// they are worth quoting: by relevance, each followed by its neighbours.
func (s source) preference() []int {
	relevant := make([]int, 0, len(s.passages))
	for i, p := range s.passages {
		if hasText(p) {
			relevant = append(relevant, i)
		}
	}
	slices.SortStableFunc(relevant, func(a, b int) int {
		return cmp.Compare(s.passages[b].Score, s.passages[a].Score)
	})
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

// passageTokens returns the tokens that a passage takes, with the label that says where it is.
func passageTokens(p rag.Passage) int {
	return promptTokens(p.Content) + promptTokens(passageLabel(p, p))
}
