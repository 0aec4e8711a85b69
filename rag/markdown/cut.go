package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// cutLine splits a line into pieces of about equal size, each of at most budget estimated tokens. It splits
// after a sentence if one ends near enough, else after a word, else inside a word.
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

// point is a place in a line, with the tokens before it. The zero point means none.
type point struct{ at, tokens int }

// cutPoint returns where to cut the line, and the number of tokens before that place.
// The place is len(line) if the whole line fits into budget, and never 0. It is the end of
// a sentence, unless that is far before aim; else the end of a word; else inside a word.
func cutPoint(line string, aim, budget int) (cut, tokens int) {
	var m meter
	// The ends of the first sentence and of the first word at or after aim, else of the last
	// ones before it. last is the place before the present character.
	var sentence, word, last point
	var previous rune
	for i, r := range line {
		if i > 0 {
			last = point{i, ceilDiv(m.tenths(), 10)}
			endsWord := unicode.IsSpace(r) && !unicode.IsSpace(previous)
			if endsWord && word.tokens < aim {
				word = last
			}
			endsSentence := endsWord && strings.ContainsRune(".!?", previous) || strings.ContainsRune("。！？", previous)
			if endsSentence && sentence.tokens < aim {
				sentence = last
			}
		}
		m.add(r)
		switch {
		case i == 0 || m.tenths() <= 10*budget:
		case sentence.at > 0 && sentence.tokens >= aim*2/3:
			return sentence.at, sentence.tokens
		case word.at > 0:
			return word.at, word.tokens
		default:
			return last.at, last.tokens
		}
		previous = r
	}
	return len(line), ceilDiv(m.tenths(), 10)
}

// Halve splits a text that turned out to be too long. It splits between paragraphs if there is such a place
// in the middle half of the text, else between lines, else between words, else between characters, each time
// as near to the middle as possible. It returns false for a text of a single character.
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

// nearest returns the index of the boundary that is nearest to middle, or -1 if none is within reach.
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
