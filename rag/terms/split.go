package terms

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// separators split an identifier into parts, one level after the other. The last level,
// after these, are changes of case and changes between letters and digits.
var separators = [...]string{`/\:@#`, "-+", ".,;", "_"}

// Levels of separators with special rules.
const (
	hyphens = 1
	dots    = 2
)

// split emits the terms of an identifier: the whole, and its parts at the separators of this level and the following
// ones. Each level reads a byte once, so time is linear.
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
		// Of plain words with hyphens only the parts count, because people also write them in two words. Judged collections
		// showed no difference.
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

// humps splits a word where its case changes, as in ErrNoRows and HTTPServer, and between letters and digits.
// Digits count from three on: a status code does, the 8 of UTF8 does not.
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

// humpEnd returns the end of the part that begins at from. An upper case run gives its last letter to the
// lower case that follows, unless that is a plural's s.
func humpEnd(word string, from int) int {
	first, size := utf8.DecodeRuneInString(word[from:])
	digits, upper := unicode.IsDigit(first), unicode.IsUpper(first)
	letters, last := 1, from // length of the upper-case run, and where its last letter begins
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

// version emits a version or another dotted number, with and without the letters before it, and its first two
// numbers: 1.26 finds go1.26.8. It reports whether the word is one.
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

// whole emits an identifier that has parts. It stems one that has only letters,
// so that errnorows finds ErrNoRows.
func (a *analyser) whole(word string, start int) {
	if len(word) <= maxCompoundBytes {
		a.emit(occurrence{term: stem(fold(word)), start: start, end: start + len(word)})
	}
}

// leaf emits a word without parts. A single letter or digit counts where it stands alone, and not as a part.
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
		if a.has != nil && len(a.readings) > 1 && !a.named && len(stems) == 1 && !a.has(stems[0]) {
			if parts := a.parts(lowered(short)); len(parts) > 0 {
				stems = parts
			}
		}
		for _, term := range stems {
			a.emit(occurrence{term: term, start: start, end: start + len(word)})
		}
	}
}

// joining are languages that write several words as one. linking are letters that may join two words.
var (
	joining = []Language{"da", "de", "fi", "hu", "nl", "no", "sv"}
	linking = []string{"", "s", "es", "n", "en", "e", "er"}
)

// leastPart is the least length of a part of a compound word, in bytes.
const leastPart = 4

// parts splits a word that the project lacks, such as "Datenbankverbindung", into words that it has, and returns their
// stems. It prefers the longest first word. It returns nil if no such words make up the whole.
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
	if stems := lookUp(language, word).terms; len(word) >= leastPart && len(stems) == 1 && a.has(stems[0]) {
		return stems
	}
	for at := len(word) - leastPart; at >= leastPart; at-- {
		for _, link := range linking {
			first, isLinked := strings.CutSuffix(word[:at], link)
			if !isLinked || !utf8.RuneStart(word[at]) || len(first) < leastPart {
				continue
			}
			head := lookUp(language, first).terms
			if len(head) != 1 || !a.has(head[0]) {
				continue
			}
			if rest := a.partsIn(language, word[at:]); rest != nil {
				return slices.Concat(head, rest)
			}
		}
	}
	return nil
}

// chosen returns the languages in which to read a word: all readings if has is nil, and else one. That is the
// likeliest if the word is its stop word, else the first in which the project has the stem, else one in which the
// word is a stop word, else the likeliest.
func (a *analyser) chosen(word string) []Language {
	switch {
	case a.named:
		return []Language{English}
	case a.has == nil, len(a.readings) == 1:
		return a.readings
	}
	best := 0
	for i := range a.readings {
		terms := lookUp(a.readings[i], word).terms
		switch {
		case len(terms) == 0 && i == 0, slices.ContainsFunc(terms, a.has):
			return a.readings[i : i+1]
		case len(terms) == 0:
			best = i
		}
	}
	return a.readings[best : best+1]
}

// isPlain reports whether a word has only ASCII letters and no parts: all in lower case except
// perhaps the first.
func isPlain(word string) bool {
	for i := range len(word) {
		if c := word[i]; (c < 'a' || c > 'z') && (i > 0 || c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}
