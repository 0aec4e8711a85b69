package terms

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// separators divide an identifier into parts, level by level. After the last level, [analyser.humps] divides each part
// where its case changes, and between letters and digits.
var separators = [...]string{`/\:@#`, "-+", ".,;", "_"}

// The levels of separators for which split has special rules, as indexes of separators.
const (
	hyphens = 1
	dots    = 2
)

// split emits the terms of an identifier: the whole, and its parts between the separators of this level and of the
// following levels. start is the identifier's place in the text. Each level reads a byte once, so time is linear.
func (a *analyser) split(word string, start, level int) {
	if isPlain(word) {
		a.leaf(word, start)
		return
	}
	for ; level < len(separators); level++ {
		if !strings.ContainsAny(word, separators[level]) {
			continue
		}
		if level == dots && a.version(word, start) {
			return
		}
		// An identifier of plain words with hyphens, such as read-only, gives only its parts, because people also write it as
		// two words. On judged collections a term for the whole made no difference.
		if level != hyphens || strings.Trim(word, "-abcdefghijklmnopqrstuvwxyz") != "" {
			a.whole(word, start)
		}
		from := 0
		for i := 0; i <= len(word); i++ {
			if i < len(word) && strings.IndexByte(separators[level], word[i]) < 0 {
				continue
			}
			if from < i {
				a.split(word[from:i], start+from, level+1)
			}
			from = i + 1
		}
		return
	}
	a.humps(word, start)
}

// humps splits a word where its case changes, as in ErrNoRows and HTTPServer, and between letters and digits. It emits
// the whole word and its parts, except numbers of less than three digits, such as the 8 of UTF8.
func (a *analyser) humps(word string, start int) {
	from, found := 0, false
	for from < len(word) {
		end := humpEnd(word, from)
		if from == 0 && end == len(word) {
			break
		}
		if !found {
			a.whole(word, start)
			found = true
		}
		part := word[from:end]
		if r, _ := utf8.DecodeRuneInString(part); !unicode.IsDigit(r) || len(part) >= 3 {
			a.leaf(part, start+from)
		}
		from = end
	}
	if !found {
		a.leaf(word, start)
	}
}

// humpEnd returns the end of the part that begins at word[from]. The last of several capitals belongs to the small
// letters behind it: HTTPServer is HTTP and Server. An s at the end of a plural, as in URLs, belongs to the capitals.
func humpEnd(word string, from int) int {
	first, size := utf8.DecodeRuneInString(word[from:])
	digits, upper := unicode.IsDigit(first), unicode.IsUpper(first)
	letters, last := 1, from // the number of capitals, and where the last of them begins
	for i := from + size; i < len(word); {
		r, size := utf8.DecodeRuneInString(word[i:])
		switch {
		case unicode.Is(unicode.M, r) || unicode.Is(unicode.Cf, r) || r == '\'' || r == '’':
		case unicode.IsDigit(r) != digits:
			return i
		case digits:
		case unicode.IsUpper(r):
			if !upper {
				return i
			}
			letters++
			last = i
		case upper:
			if letters > 1 && word[i:] != "s" {
				return last
			}
			upper = false
		}
		i += size
	}
	return len(word)
}

// version reports whether a word is a dotted number, perhaps behind letters, such as go1.26.8. If so, it emits the
// whole, the letters, the number, and the first two numbers: a query for 1.26 finds go1.26.8.
func (a *analyser) version(word string, start int) bool {
	number := strings.TrimLeftFunc(word, unicode.IsLetter)
	if strings.Trim(number, "0123456789.") != "" || strings.Contains(number, "..") || len(number) < 3 {
		return false
	}
	letters := word[:len(word)-len(number)]
	if letters != "" {
		a.whole(word, start)
		a.leaf(letters, start)
	}
	start += len(letters)
	major, rest, _ := strings.Cut(number, ".")
	minor, _, more := strings.Cut(rest, ".")
	if more {
		a.whole(number, start)
		number = major + "." + minor
	}
	a.leaf(number, start)
	return true
}

// whole emits the term of a whole identifier that has parts. If it has only letters, the term is the stem, so that
// errnorows finds ErrNoRows.
func (a *analyser) whole(word string, start int) {
	if len(word) <= maxCompoundBytes {
		a.emit(occurrence{term: stem(fold(word)), start: start, end: start + len(word)})
	}
}

// leaf emits the terms of a word without parts. A part of an identifier gives no term if it is one letter or digit.
func (a *analyser) leaf(word string, start int) {
	a.words++
	short := word
	if len(word) > maxWordBytes {
		short = strings.ToValidUTF8(word[:maxWordBytes], "") // without a part of a character
	}
	if a.asking != "" && a.asking != English && !a.named && slices.Contains(queryLanguagesOf()[lowered(short)], a.asking) {
		return
	}
	for _, language := range a.chosen(short) {
		found := lookUp(language, short)
		if found.short && len(word) < a.size {
			return
		}
		stems := found.terms
		if a.inProject != nil && len(a.readings) > 1 && !a.named && len(stems) == 1 && !a.inProject(stems[0]) {
			if parts := a.parts(lowered(short)); len(parts) > 0 {
				stems = parts
			}
		}
		for _, term := range stems {
			a.emit(occurrence{term: term, start: start, end: start + len(word)})
		}
	}
}

// joining has the languages that write several words as one. linking has the letters that may join two words.
var (
	joining = []Language{"da", "de", "fi", "hu", "nl", "no", "sv"}
	linking = []string{"", "s", "es", "n", "en", "e", "er"}
)

// leastPart is the least length of a part of a compound word, in bytes.
const leastPart = 4

// parts splits a compound word that the project lacks, such as "Datenbankverbindung", into words that the project has,
// and returns their stems. It returns nil if that is not possible. It prefers a long first word.
func (a *analyser) parts(word string) []string {
	for _, language := range a.readings {
		if slices.Contains(joining, language) {
			if parts := a.partsIn(language, word); parts != nil {
				return parts
			}
		}
	}
	return nil
}

func (a *analyser) partsIn(language Language, word string) []string {
	if stems := lookUp(language, word).terms; len(word) >= leastPart && len(stems) == 1 && a.inProject(stems[0]) {
		return stems
	}
	for at := len(word) - leastPart; at >= leastPart; at-- {
		for _, link := range linking {
			first, isLinked := strings.CutSuffix(word[:at], link)
			if !isLinked || !utf8.RuneStart(word[at]) || len(first) < leastPart {
				continue
			}
			head := lookUp(language, first).terms
			if len(head) != 1 || !a.inProject(head[0]) {
				continue
			}
			if rest := a.partsIn(language, word[at:]); rest != nil {
				return slices.Concat(head, rest)
			}
		}
	}
	return nil
}

// chosen returns the languages in which to read a word. An identifier is read as English. If a.inProject is nil, as for
// a document, a word is read in all languages. Otherwise a word is read in the first of these languages that exists:
//
//  1. the likeliest language, if the word is a stop word there
//  2. the likeliest language with a stem of the word that the project has
//  3. a language that has the word as a stop word
//  4. the likeliest language.
func (a *analyser) chosen(word string) []Language {
	switch {
	case a.named:
		return []Language{English}
	case a.inProject == nil, len(a.readings) == 1:
		return a.readings
	}
	best := 0
	for i := range a.readings {
		terms := lookUp(a.readings[i], word).terms
		switch {
		case len(terms) == 0 && i == 0, slices.ContainsFunc(terms, a.inProject):
			return a.readings[i : i+1]
		case len(terms) == 0:
			best = i
		}
	}
	return a.readings[best : best+1]
}

// isPlain reports whether a word has only ASCII letters, and no capital except perhaps the first letter.
func isPlain(word string) bool {
	for i := range len(word) {
		if c := word[i]; (c < 'a' || c > 'z') && (i > 0 || c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}
