package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// cutLine splits a line into pieces of about equal size, each of at most budget
// estimated tokens. It splits after a sentence if one ends near enough, else after a
// word, else inside a word.
func cutLine(line string, budget int) []string {
	var pieces []string
	left := EstimateTokens(line)
	for !blank(line) {
		// The estimate is not additive inside words, so left is a hint.
		aim := ceilDiv(left, max(1, ceilDiv(left, budget)))
		cut, tokens := cutPoint(line, aim, budget)
		pieces = append(pieces, strings.TrimRightFunc(line[:cut], unicode.IsSpace))
		line = strings.TrimLeftFunc(line[cut:], unicode.IsSpace)
		left = max(0, left-tokens)
	}
	return pieces
}

// cutPoint returns where to cut the line, and the number of tokens before that place.
// The place is len(line) if the whole line fits into budget, and never 0.
func cutPoint(line string, aim, budget int) (cut, tokens int) {
	var m meter
	c := candidates{aim: aim}
	for i, r := range line {
		if i > 0 {
			c.note(point{i, ceilDiv(m.tenths(), 10)}, r)
		}
		m.add(r)
		if i > 0 && m.tenths() > 10*budget {
			best := c.best()
			return best.at, best.tokens
		}
		c.previous = r
	}
	return len(line), ceilDiv(m.tenths(), 10)
}

// point is a place in a line, with the tokens before it.
type point struct{ at, tokens int }

// candidates are the possible places to cut a line. The zero point means none.
type candidates struct {
	aim      int   // desired number of tokens before the cut
	previous rune  // rune before the next point
	sentence point // end of the first sentence at or after aim, else of the last before it
	word     point // the same for words
	last     point
}

// note considers the place before r.
func (c *candidates) note(at point, r rune) {
	c.last = at
	endsWord := unicode.IsSpace(r) && !unicode.IsSpace(c.previous)
	if endsWord && c.word.tokens < c.aim {
		c.word = at
	}
	endsSentence := endsWord && strings.ContainsRune(".!?", c.previous) || strings.ContainsRune("。！？", c.previous)
	if endsSentence && c.sentence.tokens < c.aim {
		c.sentence = at
	}
}

// best returns the end of a sentence, unless it is far before the aim; else the end of
// a word; else the last place, which is inside a word.
func (c *candidates) best() point {
	switch {
	case c.sentence.at > 0 && c.sentence.tokens >= c.aim*2/3:
		return c.sentence
	case c.word.at > 0:
		return c.word
	default:
		return c.last
	}
}

// Halve splits a text that turned out to be too long. It splits between paragraphs if there
// is such a place in the middle half of the text, else between lines, else between words,
// else between characters, each time as near to the middle as possible. It returns false
// for a text of a single character.
func Halve(text string) (first, second string, ok bool) {
	cut := halfway(text)
	first = strings.TrimRightFunc(text[:cut], unicode.IsSpace)
	second = trimStart(text[cut:])
	return first, second, first != "" && second != ""
}

// halfway returns where to split text so that neither part is blank, or 0.
func halfway(text string) int {
	start := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	end := len(strings.TrimRightFunc(text, unicode.IsSpace))
	if start >= end {
		return 0
	}
	middle, reach := (start+end)/2, (end-start)/4
	for _, boundary := range []string{"\n\n", "\n", " "} {
		if cut := nearest(text[start:end], boundary, middle-start, reach); cut > 0 {
			return start + cut
		}
	}
	cut := middle
	for cut > start && !utf8.RuneStart(text[cut]) {
		cut--
	}
	if cut == start {
		_, size := utf8.DecodeRuneInString(text[start:])
		cut = start + size
	}
	return cut
}

// nearest returns the index of the boundary that is nearest to middle, or -1 if none is
// within reach.
func nearest(text, boundary string, middle, reach int) int {
	before := strings.LastIndex(text[:middle], boundary)
	after := strings.Index(text[middle:], boundary)
	if after >= 0 {
		after += middle
	}
	cut := before
	if before < 0 || after >= 0 && after-middle < middle-before {
		cut = after
	}
	if max(cut-middle, middle-cut) > reach {
		return -1
	}
	return cut
}

// trimStart removes blank lines from the start of text, and keeps the indentation of
// the first line. If text begins in the middle of a line, it removes white space.
func trimStart(text string) string {
	trimmed := strings.TrimLeftFunc(text, unicode.IsSpace)
	if !strings.HasPrefix(text, "\n") {
		return trimmed
	}
	space := text[:len(text)-len(trimmed)]
	return text[strings.LastIndexByte(space, '\n')+1:]
}
