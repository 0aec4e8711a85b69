package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// cutLine cuts a line into pieces of about equal size, each of at most budget
// estimated tokens: behind a sentence if one ends in time, else behind a word,
// else inside it.
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

// cutPoint returns where to cut line, and the tokens before that: len(line) if
// all of it fits budget, else at the first end of a sentence at or past aim, at
// the last one before that if it isn't far, at the first end of a word past aim,
// at the last one, or before the first rune that does not fit. It is above 0.
func cutPoint(line string, aim, budget int) (cut, tokens int) {
	var (
		m              meter
		sentence, word point // the last ones
		previous       rune
		wordAim        point // the first at or past aim
		last           point // before the present rune
	)
	for i, r := range line {
		if now := (point{i, ceilDiv(m.tenths(), 10)}); i > 0 {
			last = now
			if unicode.IsSpace(r) && !unicode.IsSpace(previous) {
				word = now
				if wordAim.at == 0 && now.tokens >= aim {
					wordAim = now
				}
				if strings.ContainsRune(".!?。！？", previous) && sentence.tokens < aim {
					sentence = now
				}
			}
		}
		m.add(r)
		if i > 0 && m.tenths() > 10*budget {
			return best(aim, sentence, wordAim, word, last)
		}
		previous = r
	}
	return len(line), ceilDiv(m.tenths(), 10)
}

// point is a place in a line, with the tokens before it.
type point struct{ at, tokens int }

func best(aim int, sentence, wordAim, word, last point) (cut, tokens int) {
	choice := last
	switch {
	case sentence.at > 0 && sentence.tokens >= aim*2/3:
		choice = sentence
	case wordAim.at > 0:
		choice = wordAim
	case word.at > 0:
		choice = word
	}
	return choice.at, choice.tokens
}

// Halve cuts a passage that turned out too long in two, at the boundary of a
// paragraph, line, word or character that is nearest to its middle; the first
// kind that has one in the middle half is taken. It returns false for a text of
// a single character.
func (p Passage) Halve() (first, second Passage, ok bool) {
	cut := halfway(p.Text)
	head := strings.TrimRightFunc(p.Text[:cut], unicode.IsSpace)
	tail := trimStart(p.Text[cut:])
	if head == "" || tail == "" {
		return Passage{}, Passage{}, false
	}
	first, second = p, p
	first.Text, second.Text = head, tail
	first.EndLine = max(p.StartLine, p.EndLine-strings.Count(p.Text[len(head):], "\n"))
	second.StartLine = max(p.StartLine, p.EndLine-strings.Count(tail, "\n"))
	return first, second, true
}

// halfway returns where to cut text, with something before and behind.
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

// nearest returns the place of the boundary that is nearest to middle, no
// further than reach, or -1.
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

// trimStart leaves out the blank lines that text begins with, or the white space
// if it begins within a line. A line keeps its indentation.
func trimStart(text string) string {
	if !strings.HasPrefix(text, "\n") {
		return strings.TrimLeftFunc(text, unicode.IsSpace)
	}
	for {
		line, rest, found := strings.Cut(text, "\n")
		if !found || !blank(line) {
			return text
		}
		text = rest
	}
}
