package terms

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// occurrence is a term, and the bytes text[start:end] that it comes from.
type occurrence struct {
	term       string
	start, end int
}

// analyse calls emit with every term of a text, in the order of the text. An identifier comes before its parts. It
// returns the number of words, which includes stop words and each part of an identifier. The time is linear in the
// length of the text, and the memory in the length of the longest word.
func analyse(language Language, text string, emit func(occurrence)) int {
	a := analyser{text: text, emit: emit, readings: []Language{language}}
	a.run()
	return a.words
}

// analyser finds the terms of a text. It joins the words of an identifier, such as pgx.ErrNoRows, to one compound. In
// scripts such as Chinese, it collects runs of characters: each pair of adjacent characters is a term.
type analyser struct {
	text string
	emit func(occurrence)
	// readings are the languages that a word may be in, the likeliest first. inProject reports whether the project has a
	// term, and so decides in which language a word is read. If inProject is nil, a word gives a term in each language.
	readings  []Language
	inProject func(term string) bool
	// The field asking has the language of a query, "" for a document. Question words of that language give no terms.
	asking Language
	// identifier, if not nil, is called with each name in the text: an identifier, a command-line flag, C++ or C#.
	identifier func(string)
	compound   span // the word or identifier that is being collected
	pairs      span // the run of characters that is being collected
	// size is the length in bytes of the compound that is being split. named says that the compound is an identifier, so
	// its parts are read as English, whatever the language of the text.
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

// span is a range of bytes in an analyser, and of characters in a snippet. An empty span means that nothing was found.
type span struct{ start, end int }

// add adds characters of one kind: to the collected run if their terms are pairs, otherwise to the compound.
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

// joins reports whether the punctuation between two words makes them parts of one identifier.
func joins(between string) bool {
	switch between {
	case "-", ".", "/", ":", "::", "://", `\`, "@", "#", "+":
		return true
	}
	return false
}

// endCompound emits the terms of the collected compound: the whole, and its parts. A command-line flag is also emitted
// with its dashes, and C++ and C# with their signs.
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
	a.size, a.named = len(compound), (a.inProject != nil || a.readings[0] != English) && isIdentifier(compound)
	a.split(compound, start, 0)
}

// dashesBefore returns 1 or 2, the number of dashes before a command-line flag, or 0 if the word at start is no flag.
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

// signAfter returns the length of the sign that belongs to a word: 2 for C++, 1 for C#, and 0 without a sign. rest is
// the text behind the word.
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

// endPairs emits each pair of adjacent characters of the collected run. It emits a single character as it is.
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

// scriptEnd returns the end of the longest run from start with characters of one kind: [inPairs] is true for all its
// characters, or for none. A segment has both kinds if a Korean particle follows a word in Latin letters.
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
