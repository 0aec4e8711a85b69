package terms

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// Phrase returns how literally a passage matches the query, in [0,1]. It is 1 if the
// query is short and occurs in the passage word by word. Otherwise it is the share of
// the query's identifiers and quotations that occur there. Case, accents and
// punctuation between words are ignored.
func (q Query) Phrase(heading, body string) float64 {
	wanted := len(q.Identifiers) + len(q.quoted)
	if wanted == 0 && q.whole == "" {
		return 0
	}
	text := folded{text: fold(heading + "\n" + body)}
	if q.whole != "" && text.has(q.whole) {
		return 1
	}
	if wanted == 0 {
		return 0
	}
	found := 0
	for _, phrase := range q.quoted {
		if text.has(phrase) {
			found++
		}
	}
	for _, identifier := range q.Identifiers {
		if standsIn(text.text, identifier.Name) {
			found++
		}
	}
	return float64(found) / float64(wanted)
}

// folded is a folded text, which is cut into words when that is first needed.
type folded struct{ text, sequence string }

// has reports whether a sequence of words, as [wordSequence] returns it, occurs.
func (f *folded) has(sequence string) bool {
	for word := range strings.FieldsSeq(sequence) {
		if !strings.Contains(f.text, word) {
			return false
		}
	}
	if f.sequence == "" {
		f.sequence = wordSequence(f.text)
	}
	return strings.Contains(f.sequence, sequence)
}

// wordSequence returns the words of a folded text, with a space before and after each
// and without punctuation.
func wordSequence(folded string) string {
	var out strings.Builder
	out.WriteByte(' ')
	segments := words.FromString(folded)
	for segments.Next() {
		segment := segments.Value()
		if r, _ := utf8.DecodeRuneInString(segment); isWordRune(r) {
			out.WriteString(segment)
			out.WriteByte(' ')
		}
	}
	if out.Len() == 1 {
		return ""
	}
	return out.String()
}

// standsIn reports whether an identifier stands in the text with no letter,
// digit or underscore beside it. Scripts without spaces may touch it.
func standsIn(text, identifier string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], identifier)
		if i < 0 {
			return false
		}
		start := from + i
		end := start + len(identifier)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !touches(before) && !touches(after) && (identifier[0] != '-' || before != '-') {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[start:])
		from = start + size
	}
}

func touches(r rune) bool { return isWordRune(r) && !inPairs(r) }

// identifiers returns the distinct identifiers of a text.
func identifiers(project int32, text string) []Identifier {
	found := []Identifier{}
	a := analyser{text: text, emit: func(occurrence) {}}
	a.identifier = func(name string) {
		if len(found) == maxIdentifiers || len(name) > maxCompoundBytes {
			return
		}
		name = fold(name)
		identifier := Identifier{Name: name, Hash: hashTerm(project, stem(name))}
		if !slices.Contains(found, identifier) {
			found = append(found, identifier)
		}
	}
	a.run()
	return found
}

// minNumber is the least number of digits of a number that counts as an identifier.
// Error codes do, years do not.
const minNumber = 5

// isIdentifier reports whether a word is a name, for which a search should be literal:
// it has letters and digits, or a capital after a small letter, or punctuation. A
// hyphen or a single slash is not enough, because they join plain words too.
func isIdentifier(word string) bool {
	if isPlain(word) {
		return false
	}
	letters, digits, slashes, others, longest, run := 0, 0, 0, 0, 0, 0
	for _, r := range word {
		switch {
		case unicode.IsDigit(r):
			digits++
			run++
		case unicode.IsLetter(r):
			letters++
			run++
		case r == '/':
			slashes++
			run = 0
		case strings.ContainsRune(`_.:@\#`, r):
			others++
			run = 0
		}
		longest = max(longest, run)
	}
	switch {
	case digits >= minNumber, digits > 0 && letters+others > 0:
		return true
	case others > 0 || slashes > 1:
		return longest > 1 // e.g. is none
	}
	return hasHump(word)
}

// hasHump reports whether case changes inside a part of the word between hyphens
// and slashes.
func hasHump(word string) bool {
	for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return r == '-' || r == '/' }) {
		if humpEnd(part, 0) < len(part) {
			return true
		}
	}
	return false
}
