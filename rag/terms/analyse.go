package terms

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// occurrence is a term at a place of the text.
type occurrence struct {
	term string
	// start and end are its bytes in the text.
	start, end int
}

// analyse calls emit with every term of a text in a language, in order, an identifier before its parts. It
// returns the number of words. Stop words count, and each part of an identifier counts. It takes time in
// proportion to the text, and memory in proportion to its longest word.
func analyse(language Language, text string, emit func(occurrence)) int {
	a := analyser{text: text, emit: emit, readings: []Language{language}}
	a.run()
	return a.words
}

// analyser joins the segments that belong together: words with the punctuation of
// identifiers between them, and characters of scripts that count in pairs.
type analyser struct {
	text string
	emit func(occurrence)
	// readings are the languages that a word may be in, the likeliest first. has, if not nil, reports
	// whether the project has a term, and so decides between them. If has is nil, each reading counts.
	readings []Language
	has      func(term string) bool
	// asking is the language of a query, "" for a document. Question words of a query do not count.
	asking Language
	// identifier, if not nil, is called with each name in the text, see [isIdentifier].
	identifier func(string)
	compound   span
	pairs      span
	// size is the length of the compound that is being split. named says that the compound is a name, which
	// belongs to no language.
	size  int
	named bool
	words int
}

func (a *analyser) run() {
	segments := words.FromString(a.text)
	for segments.Next() {
		start, end := segments.Start(), segments.End()
		if c := a.text[start]; c < utf8.RuneSelf && !isWordByte(c) {
			continue
		}
		for start < end {
			next := scriptEnd(a.text, start, end)
			a.add(start, next)
			start = next
		}
	}
	a.endCompound()
	a.endPairs()
}

// span is a range of bytes. An empty span means no match.
type span struct{ start, end int }

// add adds the next segment, whose characters are of one kind of script.
func (a *analyser) add(start, end int) {
	r, _ := utf8.DecodeRuneInString(a.text[start:])
	switch {
	case inPairs(r):
		a.endCompound()
		if a.pairs.end != start {
			a.endPairs()
			a.pairs.start = start
		}
		a.pairs.end = end
	case isWordRune(r):
		a.endPairs()
		if a.compound.start == a.compound.end || !joins(a.text[a.compound.end:start]) {
			a.endCompound()
			a.compound.start = start
		}
		a.compound.end = end
	}
}

// joins reports whether the punctuation between two words joins them to an identifier.
func joins(between string) bool {
	switch between {
	case "-", ".", "/", ":", "::", "://", `\`, "@", "#", "+":
		return true
	}
	return false
}

// endCompound emits the terms of the collected words: the compound as a whole and in
// its parts, a command line flag with its dashes, C++ and C# with their signs.
func (a *analyser) endCompound() {
	start, end := a.compound.start, a.compound.end
	a.compound = span{}
	if start == end {
		return
	}
	compound := a.text[start:end]
	dashes, sign := a.dashesBefore(start), 0
	if dashes == 0 {
		sign = signAfter(compound, a.text[end:])
	}
	marked := a.text[start-dashes : end+sign]
	if dashes > 0 || sign > 0 {
		a.whole(marked, start-dashes)
	}
	if a.identifier != nil && (dashes > 0 || sign > 0 || isIdentifier(compound)) {
		a.identifier(marked)
	}
	a.size, a.named = len(compound), (a.has != nil || a.readings[0] != English) && isIdentifier(compound)
	a.split(compound, start, 0)
}

// dashesBefore returns 1 or 2, the number of dashes that make the word at start a command line
// flag. It returns 0 for other words.
func (a *analyser) dashesBefore(start int) int {
	if start == 0 || a.text[start-1] != '-' {
		return 0
	}
	if r, _ := utf8.DecodeRuneInString(a.text[start:]); !unicode.IsLetter(r) {
		return 0
	}
	before := strings.TrimRight(a.text[max(0, start-3):start], "-")
	dashes := min(start, 3) - len(before)
	if dashes > 2 {
		return 0
	}
	if start == dashes || strings.ContainsAny(before[len(before)-1:], " \t\n\r`'\"([{=|,") {
		return dashes
	}
	return 0
}

// signAfter returns the length of the sign that belongs to the word before it, as in C++ and C#.
func signAfter(word, rest string) int {
	sign := 0
	switch {
	case strings.HasPrefix(rest, "++"):
		sign = 2
	case strings.HasPrefix(rest, "#") && len(word) == 1:
		sign = 1
	}
	if len(rest) > sign && (isWordByte(rest[sign]) || strings.IndexByte("+#", rest[sign]) >= 0) {
		return 0
	}
	return sign
}

// endPairs emits each pair of adjacent characters of the collected text, or its only character.
func (a *analyser) endPairs() {
	start, end := a.pairs.start, a.pairs.end
	a.pairs = span{}
	if start == end {
		return
	}
	folded := fold(a.text[start:end])
	inPlace := len(folded) == end-start
	previous, current := -1, 0
	for current < len(folded) {
		next := clusterEnd(folded, current)
		if previous >= 0 || next == len(folded) {
			o := occurrence{term: folded[max(previous, 0):next], start: start, end: end}
			if inPlace {
				o.start, o.end = start+max(previous, 0), start+next
			}
			a.words++
			a.emit(o)
		}
		previous, current = current, next
	}
}

// clusterEnd returns the end of the character at start together with its first four combining marks.
func clusterEnd(text string, start int) int {
	_, size := utf8.DecodeRuneInString(text[start:])
	end := start + size
	for range 4 {
		r, size := utf8.DecodeRuneInString(text[end:])
		if size == 0 || !unicode.Is(unicode.M, r) {
			break
		}
		end += size
	}
	return end
}

// scriptEnd returns the end of the run from start in which all characters count in pairs, or none does. A segment
// has both kinds where a particle of one script follows a word of another.
func scriptEnd(text string, start, end int) int {
	if isASCII(text[start:end]) {
		return end
	}
	kind, known := false, false
	for i, r := range text[start:end] {
		if r < utf8.RuneSelf && !isWordByte(byte(r)) || unicode.Is(unicode.M, r) || unicode.Is(unicode.Cf, r) {
			continue
		}
		if known && inPairs(r) != kind {
			return start + i
		}
		kind, known = inPairs(r), true
	}
	return end
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= utf8.RuneSelf
}

func isWordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }
