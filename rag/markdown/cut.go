package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Cut splits a text into parts of at most budget estimated tokens: it calls [Halve] until each part fits.
func Cut(text string, budget int) []string {
	if EstimateTokens(text) <= budget {
		return []string{text}
	}
	head, tail, ok := Halve(text)
	if !ok {
		return []string{text}
	}
	return append(Cut(head, budget), Cut(tail, budget)...)
}

// Halve splits a text in two near its middle. It looks for a break between paragraphs in the middle half of the text,
// then for the end of a line, the end of a sentence, and a space. Of each kind it takes the break nearest to the
// middle. Without a break it splits between two characters. ok is false for a text of a single character.
func Halve(text string) (first, second string, ok bool) {
	cut := halfway(text)
	first = strings.TrimRightFunc(text[:cut], unicode.IsSpace)
	rest := text[cut:]
	second = strings.TrimSpace(rest)
	space := rest[:len(rest)-len(strings.TrimLeftFunc(rest, unicode.IsSpace))]
	if strings.HasPrefix(space, "\n") { // keep the indentation of the first line
		second = space[strings.LastIndexByte(space, '\n')+1:] + second
	}
	return first, second, first != "" && second != ""
}

// halfway returns the offset near the middle at which to split a text. It returns 0 for a blank text.
func halfway(text string) int {
	start := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	end := len(strings.TrimRightFunc(text, unicode.IsSpace))
	if start >= end {
		return 0
	}
	middle, reach := (start+end)/2, (end-start)/4
	for _, boundary := range []string{"\n\n", "\n", ". ", "。", " "} {
		if cut := nearest(text[start:end], boundary, middle-start, reach); cut > 0 {
			return start + cut + len(strings.TrimRight(boundary, "\n ")) // a full stop ends the first part
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

// nearest returns the index of the boundary nearest to middle, or -1 if it is more than reach bytes away.
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
