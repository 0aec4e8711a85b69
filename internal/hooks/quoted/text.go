package quoted

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// Text returns the documents that warn of something in a text which is about to be written to a file, best first: the
// text has a quote that they warn of there.
func (b *Book) Text(file, text string) []Match {
	t := newWritten(text)
	words := wordsOf(t.lower)
	return b.match(func(d document) Match {
		var best Match
		var found []string // the longest first
		isIn := func(q *quote) bool {
			return (words[q.key] || oneSign().MatchString(q.Text)) && q.isTelling() && q.isIn(t) && !d.isProgramName(q)
		}
		for _, q := range d {
			isPart := func(of string) bool { return has(of, q.folded) }
			isThere := func(code string) bool { return has(t.exact, strings.ToLower(code)) }
			if !q.isWarned() || !isIn(q) || q.isExcepted(isThere) || !q.holdsIn(file) || b.names[q.folded] > few ||
				d.oddsBeside(q, isIn) < warnedCode || slices.ContainsFunc(found, isPart) {
				continue
			}
			found = append(found, q.folded)
			best = Match{Weight: best.Weight + q.telling(), Text: cmp.Or(best.Text, q.Text)}
		}
		return best
	})
}

// written is a text as it is compared: with # for its numbers, that in lower case, and in lower case with its numbers.
type written struct{ text, lower, exact string }

func newWritten(text string) written {
	text = strings.Join(strings.Fields(text), " ")
	numbered := number().ReplaceAllString(text, digits)
	return written{text: numbered, lower: strings.ToLower(numbered), exact: strings.ToLower(text)}
}

// isProgramName reports whether a quote of one word is a program that the document calls, and no name in code.
func (d document) isProgramName(q *quote) bool {
	return len(q.command.words) == 1 && slices.ContainsFunc(d, func(other *quote) bool {
		return other.isCall() && other.command.name == q.folded
	})
}

// warnedCode are the least log-odds of code in a text, half of those of fine code beside it counted.
const warnedCode = .5

// oddsBeside returns the log-odds of a quote and half of those of fine code that the document quotes beside it and the
// text has too: a text with the remedy is no mistake.
func (d document) oddsBeside(q *quote, isIn func(*quote) bool) float64 {
	const beside = 3
	odds := q.Odds
	for _, other := range d {
		if !other.isWarned() && len(other.folded) > len(q.folded) && q.isIn(newWritten(other.Text)) && isIn(other) {
			return other.Odds // the text goes on as the fine code does
		}
		distance := max(other.number-q.number, q.number-other.number)
		if distance <= beside && !other.isWarned() && !has(q.folded, other.folded) && isIn(other) {
			odds += other.Odds / 2
		}
	}
	return odds
}

// holdsIn reports whether the advice is for a file.
func (q *quote) holdsIn(file string) bool {
	if q.Place == markdown.Tests || q.Place == markdown.OutsideTests {
		return testFile().MatchString(file) == (q.Place == markdown.Tests)
	}
	place, isOutside := strings.CutPrefix(q.Place, markdown.Outside)
	place = strings.Trim(strings.TrimPrefix(place, "./"), "/*")
	return place == "" || strings.Contains("/"+file+"/", "/"+place+"/") != isOutside
}

var testFile = lazyregexp.New(`(?i)(?:^|[/_.-])(?:tests?|specs?|e2e)(?:[/_.-]|$)|\w(?:Tests?|Spec)\.\w+$`)

// telling says how much a quote says that is in a text: a clause says more than a name.
func (q *quote) telling() float64 {
	const clause = 4
	if len(strings.Fields(q.Text)) >= clause || q.IsForbidden() && !oneName().MatchString(q.Text) && !oneSign().MatchString(q.Text) {
		return 1.5
	}
	return 1
}

// isTelling reports whether a quote is more than a plain word. What is plainly forbidden may be a name, or a sign that is
// not of every language.
func (q *quote) isTelling() bool {
	const shortest = 4
	isName := oneName().MatchString(q.Text) && (len(q.Text) >= shortest || strings.ContainsAny(q.Text, "0123456789")) &&
		!slices.Contains(common, q.folded)
	isSign := oneSign().MatchString(q.Text)
	switch {
	case q.IsForbidden() && isName, isSign && q.IsForbidden() && !slices.Contains(signs, q.Text):
		return true
	default:
		return !isSign && (strings.ContainsAny(q.Text, " .:#(=*_!@|") || hump().MatchString(q.Text))
	}
}

var (
	oneName = lazyregexp.New(`^[\p{L}_][\w-]+$`)
	// longNumber is no example.
	longNumber = lazyregexp.New(`\d{4}`)
	oneSign    = lazyregexp.New(`^[^\w\s]+$`)
	// signs are of every language.
	signs = strings.Fields("** ++ -- == != === !== && || => -> <- :: // /* */ <= >= += -= ?? ... .. *** --- # ## [] {} () <>")
)

// isIn reports whether a text has the quote, the parts between ellipses in their order. A call without arguments is one
// with any. Case counts in a name that is written in both, and so do the digits of a long number that is plainly forbidden.
func (q *quote) isIn(t written) bool {
	code, isCall := strings.CutSuffix(q.Text, "()")
	isExact := q.IsForbidden() && longNumber().MatchString(code)
	hasCase := !isExact && (hump().MatchString(code) || q.IsForbidden() && oneName().MatchString(code))
	if isCall {
		code += "("
	}
	text := t.exact
	switch {
	case hasCase:
		text, code = t.text, number().ReplaceAllString(code, digits)
	case isExact:
		code = folded(code)
	default:
		text, code = t.lower, number().ReplaceAllString(folded(code), digits)
	}
	return inOrder(text, strings.ReplaceAll(code, "...", "…"))
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
