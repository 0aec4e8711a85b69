package terms

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold returns text in the form in which terms are compared: case folded, in compatibility form (NFKC), and
// without optional marks. These are the accents of Latin, Greek and Cyrillic letters, the vowel points of
// Hebrew and Arabic, soft hyphens and joiners. A typographic apostrophe becomes the plain one. fold is
// idempotent.
func fold(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	folder := cases.Fold()
	text = folder.String(norm.NFKD.String(folder.String(text)))
	var out strings.Builder
	out.Grow(len(text))
	var base rune
	for _, r := range norm.NFKD.String(text) {
		switch {
		case optionalMark(base, r), unicode.Is(unicode.Cf, r):
			continue
		case r == '’', r == 'ʼ':
			r = '\''
		}
		if !unicode.Is(unicode.M, r) {
			base = r
		}
		out.WriteRune(r)
	}
	return norm.NFKC.String(out.String())
}

// optionalMark reports whether writers often leave out mark over base.
func optionalMark(base, mark rune) bool {
	switch {
	case mark >= 0x0300 && mark <= 0x036F: // combining diacritical marks
		// The breve makes another letter of и.
		return mark != 0x0306 || !unicode.Is(unicode.Cyrillic, base)
	case mark >= 0x0591 && mark <= 0x05C7: // Hebrew points
		return unicode.Is(unicode.Mn, mark)
	case mark >= 0x064B && mark <= 0x0655, mark == 0x0670: // Arabic vowels and hamza
		return true
	}
	return mark == 0x0640 // tatweel, which stretches an Arabic word
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// inPairs reports whether r belongs to a script whose words are written without
// spaces, or run together: there, terms are pairs of characters. The mark of a
// long vowel (U+30FC) is of two scripts, so it is in neither table.
func inPairs(r rune) bool {
	if r >= 0x4E00 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3 { // most of Han and Hangul
		return true
	}
	return r >= 0x0E00 && (r == 0x30FC || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan))
}
