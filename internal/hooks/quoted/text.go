package quoted

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/compound-docs/compound-docs/rag/markdown"
)

// Text returns the documents that warn of something in a text which is about to be written to a file, best first: the
// text has a quote that they warn of there, or two that they speak of.
func (b *Book) Text(file, text string) []Match {
	text = strings.Join(strings.Fields(text), " ")
	lower := strings.ToLower(text)
	words := wordsOf(lower)
	return b.match(func(d document) Match {
		var best Match
		var found []string // the longest first
		for _, q := range d {
			isPart := func(of string) bool { return has(of, q.folded) }
			if q.Advice.InFavour() || !q.holdsIn(file) || !words[q.key] || b.names[q.folded] > few || !q.isIn(text, lower) ||
				slices.ContainsFunc(found, isPart) {
				continue
			}
			found = append(found, q.folded)
			if weight := q.telling(); best.Text == "" || weight > best.Weight {
				best = Match{Weight: weight, Text: q.Text}
			}
		}
		if best.Weight > 0 {
			best.Weight += float64(len(found) - 1)
		}
		if best.Weight < named {
			return Match{}
		}
		return best
	})
}

// holdsIn reports whether the advice is for a file.
func (q *quote) holdsIn(file string) bool {
	place := strings.Trim(strings.TrimPrefix(q.Place, "./"), "/*")
	return strings.Contains("/"+file+"/", "/"+place+"/") || place == ""
}

// named is the weight of a quote that the document has in its title and does not warn of.
const named = .9

// telling says how much a quote says that is in a text. Words together and statements say more than a name.
func (q *quote) telling() float64 {
	const phrase, clause = 3, 4
	isStatement := strings.ContainsAny(q.Text, "(=:")
	switch words := len(strings.Fields(q.Text)); {
	case !isTelling(q.Text):
		return 0
	case words >= clause, q.Advice == markdown.Warned && (q.Place != "" || isStatement):
		return 1.5
	case words >= phrase, q.Advice == markdown.Warned, (q.isFirst || q.Place != "" && !q.isAside) && isStatement:
		return 1
	case q.titled:
		return named
	default:
		return .5
	}
}

// isTelling reports whether a quote is more than a plain word.
func isTelling(text string) bool {
	return strings.ContainsAny(text, " .:#(=*_!@") || hump().MatchString(text)
}

// isIn reports whether a text has the quote, the parts between ellipses in their order. Case counts in a
// name that is written in both. lower is the text in lower case.
func (q *quote) isIn(text, lower string) bool {
	quote := q.Text
	if !hump().MatchString(strings.TrimSuffix(quote, "()")) {
		text, quote = lower, q.folded
	}
	return inOrder(text, strings.ReplaceAll(quote, "...", "…"))
}

// inOrder reports whether a text has the parts of a quote between ellipses in their order.
func inOrder(text, quote string) bool {
	for part := range strings.FieldsFuncSeq(quote, func(r rune) bool { return r == '…' }) {
		part = strings.TrimSpace(part)
		rest, found := after(text, part)
		switch {
		case part == "":
			continue
		case !found:
			return false
		}
		text = rest
	}
	return true
}

// Output returns the documents that quote a line which a program has printed. The document that has most of the line
// is the first. Numbers, paths and values may differ. A line that several documents quote says nothing.
func (b *Book) Output(output string) []Match {
	if b == nil {
		return nil
	}
	return slices.SortedFunc(maps.Values(b.messages.in(output)), func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Document, b.Document))
	})
}

// after returns what follows a part of a text that no letter or digit touches.
func after(text, part string) (rest string, found bool) {
	for at := 0; part != ""; at++ {
		i := strings.Index(text[at:], part)
		if i < 0 {
			break
		}
		at += i
		rest = text[at+len(part):]
		if !goesOn(text[:at], part) && !goesOn(part, rest) {
			return rest, true
		}
	}
	return "", false
}

func has(text, part string) bool {
	_, found := after(text, part)
	return found
}

// goesOn reports whether a word goes on from one text to the next.
func goesOn(text, next string) bool {
	isWord := func(c byte) bool { return c == '_' || unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c)) }
	return text != "" && next != "" && isWord(text[len(text)-1]) && isWord(next[0])
}
