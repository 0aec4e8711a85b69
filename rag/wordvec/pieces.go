package wordvec

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWord is how many characters a word may have. A longer word has no pieces.
const maxWord = 100

// cut returns the numbers of the pieces of a text, as BERT's uncased tokeniser finds them. Blanks separate words, and
// each punctuation mark and each CJK character is a word. A word is cut from the left into the longest known pieces.
func cut(text string) []int32 {
	text = plain(text)
	all := table()
	found := make([]int32, 0, len(text)/4)
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if !isAlone(r) && !unicode.IsSpace(r) {
			size = wordLength(text)
		}
		if !unicode.IsSpace(r) {
			found = all.appendWord(found, text[:size])
		}
		text = text[size:]
	}
	return found
}

// plain returns a text in lower case, without control characters, accents and other combining marks.
func plain(text string) string {
	if !strings.ContainsFunc(text, isUnusual) {
		return strings.ToLower(text)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r < utf8.RuneSelf && r > ' ' && r != 0x7f:
			return unicode.ToLower(r)
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError, unicode.Is(unicode.C, r), unicode.Is(unicode.Mn, r):
			return -1
		default:
			return unicode.ToLower(r)
		}
	}, norm.NFD.String(text))
}

// isUnusual reports whether a character is not part of plain English text.
func isUnusual(r rune) bool { return r >= 0x7f || r < ' ' && r != '\n' && r != '\t' }

// wordLength returns the length in bytes of the word at the beginning of a text.
func wordLength(text string) int {
	for i, r := range text {
		if r <= ' ' || isAlone(r) {
			return i
		}
	}
	return len(text)
}

// isAlone reports whether a character is a word by itself.
func isAlone(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && !('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	}
	return unicode.IsPunct(r) || isCJK(r)
}

// isCJK reports whether a character is one of the ideographs that BERT separates.
func isCJK(r rune) bool {
	return r >= 0x3400 && r <= 0x4dbf || r >= 0x4e00 && r <= 0x9fff || r >= 0xf900 && r <= 0xfaff ||
		r >= 0x20000 && r <= 0x2a6df || r >= 0x2a700 && r <= 0x2ceaf || r >= 0x2f800 && r <= 0x2fa1f
}

// appendWord appends the numbers of the pieces of a word. It appends nothing if no known pieces make up the word.
func (p pieces) appendWord(found []int32, word string) []int32 {
	if len(word) > maxWord && utf8.RuneCountInString(word) > maxWord {
		return found
	}
	before := len(found)
	known := p.first
	for len(word) > 0 {
		length := min(len(word), p.longest)
		number, ok := known[word[:length]]
		for !ok && length > 1 {
			length--
			number, ok = known[word[:length]]
		}
		if !ok {
			return found[:before]
		}
		found, word, known = append(found, number), word[length:], p.later
	}
	return found
}
