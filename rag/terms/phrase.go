package terms

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// Literal says how literally a passage matches the query. The result part is the share, in [0,1], of the query's weight
// that belongs to identifiers and quotations in the passage. The result whole is true if the passage contains a short
// query or a pasted line completely, word by word. Case, accents and punctuation between words are ignored.
func (w Weighted) Literal(heading, body string) (part float64, whole bool) {
	if len(w.Identifiers)+len(w.query.quoted) == 0 && w.query.whole == "" {
		return 0, false
	}
	text := folded{text: fold(heading + "\n" + body)}
	if w.query.whole != "" && text.has(w.query.whole) {
		return 1, true
	}
	var found []int32
	for _, quoted := range w.query.quoted {
		if text.has(quoted.sequence) {
			found = append(found, quoted.terms...)
		}
	}
	for _, identifier := range w.Identifiers {
		if standsIn(text.text, identifier.Name) {
			found = append(found, identifier.terms...)
		}
	}
	if w.Sum <= 0 {
		return 0, false
	}
	for i, term := range w.Terms {
		if slices.Contains(found, term) {
			part += float64(w.Weights[i])
		}
	}
	return part / w.Sum, false
}

// folded holds a text that [fold] has returned. sequence is the result of [wordSequence] for this text, made at the
// first use.
type folded struct{ text, sequence string }

// has reports whether the text contains a sequence of words, which is in the form of [wordSequence].
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

// Sequence returns the words of a text in a form for comparison: texts that differ only in case, accents and
// punctuation have equal sequences.
func Sequence(text string) string { return wordSequence(fold(text)) }

// wordSequence returns the words of a folded text without punctuation, with a space before and after each word.
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

// standsIn reports whether the text has the identifier as a whole: with no letter, digit or underscore beside it.
// Characters of scripts without spaces may be beside it.
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

// addIdentifier adds a name to the query's identifiers. It leaves out a known name, a name that is too long, and every
// name once the list is full.
func (q *Query) addIdentifier(name string) {
	folded := fold(name)
	known := func(other Identifier) bool { return other.Name == folded }
	if len(q.Identifiers) == maxIdentifiers || len(name) > maxCompoundBytes || slices.ContainsFunc(q.Identifiers, known) {
		return
	}
	q.Identifiers = append(q.Identifiers, Identifier{
		Name: folded, Hash: hashTerm(q.vocabulary.project, stem(folded)), isExact: isExact(name),
		terms: q.vocabulary.hashes(name), // not of folded, because capitals show the parts of a name
	})
}

// minNumber is how many digits a number needs to count as an identifier. Error codes count, years do not.
const minNumber = 5

// isIdentifier reports whether a word is an identifier, for which a search should be literal. An identifier has letters
// and digits, a capital after a small letter, or punctuation, or it is a long number. A hyphen or a single slash is not
// enough, because it joins plain words too.
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
		return longest > 1 // "e.g." is no identifier
	}
	for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return r == '-' || r == '/' }) {
		if humpEnd(part, 0) < len(part) {
			return true
		}
	}
	return false
}

// minCodeDigits is how many digits a code such as TS2345 or ORA-00942 needs.
const minCodeDigits = 4

// isExact reports whether the form of a word alone shows that it is a name in code. Such a word has an underscore,
// three parts as in ErrNoRows or two parts as in maxConns, or it is a code such as TS2345. GitHub is not exact, because
// it may be a product. A path is not exact, because a question may mention a file although it asks for something else.
func isExact(word string) bool {
	switch {
	case strings.ContainsAny(word, `./\:@#`):
		return false
	case strings.Contains(strings.Trim(word, "_"), "_"):
		return true
	}
	if digits := strings.TrimLeftFunc(word, unicode.IsLetter); digits != "" {
		digits, letters := strings.TrimPrefix(digits, "-"), len(word)-len(digits)
		return letters > 0 && len(digits) >= minCodeDigits && strings.Trim(digits, "0123456789") == ""
	}
	first, last, humps := humpEnd(word, 0), 0, 0
	for end := 0; end < len(word); humps++ {
		last, end = end, humpEnd(word, end)
	}
	isCamel := first > 1 && isPlain(word[:first]) && unicode.IsLower(rune(word[0])) && isPlain(word[last:])
	return humps > 2 || humps == 2 && isCamel
}

// Names returns the query's exact identifiers (see [isExact]) that a passage has. It returns nil if the query has more
// than three.
func (w Weighted) Names(heading, body string) (found []string) {
	const most = 3
	exact := slices.DeleteFunc(slices.Clone(w.Identifiers), func(i Identifier) bool { return !i.isExact })
	if len(exact) == 0 || len(exact) > most {
		return nil
	}
	text := fold(heading + "\n" + body)
	for _, identifier := range exact {
		if standsIn(text, identifier.Name) {
			found = append(found, identifier.Name)
		}
	}
	return found
}

// quotation is a quoted part of a query: its [wordSequence], and the hashes of its terms.
type quotation struct {
	sequence string
	terms    []int32
}

// quotations returns the parts of a text between two quotation marks or backticks on one line.
func (v Vocabulary) quotations(text string) []quotation {
	var found []quotation
	for _, mark := range []string{"`", `"`} {
		for line := range strings.Lines(text) {
			for {
				_, rest, opened := strings.Cut(line, mark)
				inside, after, closed := strings.Cut(rest, mark)
				if !opened || !closed || len(found) == maxIdentifiers {
					break
				}
				if of := v.hashes(inside); len(inside) <= maxCompoundBytes && len(of) > 0 {
					found = append(found, quotation{sequence: wordSequence(fold(inside)), terms: of})
				}
				line = after
			}
		}
	}
	return found
}
