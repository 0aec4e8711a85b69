package trigger

import (
	"slices"
	"strings"
	"unicode"
)

// word is a word of a command. A trigger may have a part of the word instead, such as shop for registry/shop:v2.
type word struct {
	text  string   // as it was written
	parts []string // in lower case; the whole word is first
	// isArgument says that the word is a quoted argument of several words. The single words stand before it in the list.
	// Only a pattern with * can match the whole argument.
	isArgument bool
}

const (
	separators = "/=:,@"
	// literalStar replaces a star in a word of a command, and \* in a trigger. Any other star in a trigger is a wildcard.
	literalStar = "\x01"
	// maxParts bounds how many parts of a word newWord combines.
	maxParts = 10
)

// wordsOf splits a text into words at spaces, quotes, parentheses and semicolons. Quotes and parentheses inside an
// argument belong to another language, such as SQL.
func wordsOf(text string) []word {
	var words []word
	isOutside := func(r rune) bool { return r <= ' ' || strings.ContainsRune("()'\"`;", r) }
	for field := range strings.FieldsFuncSeq(text, isOutside) {
		field = strings.TrimRight(field, ",")
		if field != "" {
			words = append(words, newWord(field))
		}
	}
	return words
}

func newWord(text string) word {
	lower := strings.ReplaceAll(strings.ToLower(text), "*", literalStar)
	w := word{text: text, parts: []string{lower}}
	if len(text) > 2 && text[0] == '-' && isLetter(text[1]) { // a flag and its value, such as -Uadmin
		w.parts = append(w.parts, strings.ToLower(text[2:]))
	}
	var from, to []int // indexes at which parts begin and end
	start := -1
	for i := 0; i <= len(lower); i++ {
		isBetween := i == len(lower) || strings.IndexByte(separators, lower[i]) >= 0
		switch {
		case !isBetween && start < 0:
			start = i
		case isBetween && start >= 0:
			from, to, start = append(from, start), append(to, i), -1
		}
	}
	if len(from) > maxParts {
		from, to = from[:maxParts], to[:maxParts]
	}
	for i := range from {
		for j := i; j < len(to); j++ {
			if part := lower[from[i]:to[j]]; part != lower {
				w.parts = append(w.parts, part)
			}
		}
	}
	return w
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func (w word) isFlag() bool { return !w.isArgument && len(w.text) > 1 && w.text[0] == '-' }

// pattern is one word of a trigger, with its alternatives. A word of a command must match one of them.
type pattern struct{ any []string }

func newPattern(text string) pattern {
	var p pattern
	for part := range strings.SplitSeq(text, "|") {
		if part != "" {
			p.any = append(p.any, strings.ReplaceAll(part, `\*`, literalStar))
		}
	}
	return p
}

// isFlag reports whether the pattern is for flags.
func (p pattern) isFlag() bool {
	return len(p.any) > 0 && len(p.any[0]) > 1 && p.any[0][0] == '-'
}

// literal returns the length of the shortest alternative without its wildcards.
func (p pattern) literal() int {
	length := func(text string) int { return len(text) - strings.Count(text, "*") }
	return length(slices.MinFunc(p.any, func(a, b string) int { return length(a) - length(b) }))
}

// isLike reports whether the pattern matches a word, or a part of the word.
func (p pattern) isLike(w word) bool {
	return slices.ContainsFunc(p.any, func(text string) bool {
		text = strings.ToLower(text)
		folder := strings.TrimSuffix(text, "/")
		return slices.ContainsFunc(w.parts, func(part string) bool { return glob(text, part) || folder != "" && glob(folder, part) })
	})
}

// isAmong reports whether one of the pattern's flags is among words. Flags of one letter may stand together, as in -rf.
func (p pattern) isAmong(words []word) bool {
	return slices.ContainsFunc(p.any, func(flag string) bool {
		return slices.ContainsFunc(words, func(w word) bool { return isSameFlag(flag, w) }) || areLetters(flag, words)
	})
}

// isSameFlag reports whether a word is a given flag, with any number of hyphens. If flag has a value, the word must
// have that value.
func isSameFlag(flag string, w word) bool {
	if !w.isFlag() {
		return false
	}
	if len(flag) == 2 && flag[0] == '-' { // one letter, whose case counts
		rest := strings.TrimPrefix(w.text, flag)
		return rest != w.text && (rest == "" || !isLetter(rest[0])) || isCluster(w.text) && strings.ContainsRune(w.text, rune(flag[1]))
	}
	text := w.text
	if !isLetters(flag) {
		flag, text = strings.ToLower(flag), strings.ToLower(text)
	}
	name, value, hasValue := strings.Cut(strings.TrimLeft(flag, "-"), "=")
	other, given, _ := strings.Cut(strings.TrimLeft(text, "-"), "=")
	return glob(name, other) && (!hasValue || glob(value, given))
}

// isCluster reports whether a word may consist of flags of one letter, such as -xdf.
func isCluster(text string) bool {
	const most = 6
	isOther := func(r rune) bool { return !unicode.IsLetter(r) }
	return len(text) <= most && text[0] == '-' && !strings.ContainsFunc(text[1:], isOther)
}

// isLetters reports whether a flag may be two or three flags of one letter, such as -rf. The case of letters counts.
func isLetters(flag string) bool {
	const most = 4
	return len(flag) > 2 && len(flag) <= most && isCluster(flag)
}

// areLetters reports whether words have each letter of a flag such as -rf, in one word or in several.
func areLetters(flag string, words []word) bool {
	if !isLetters(flag) {
		return false
	}
	for _, letter := range flag[1:] {
		if !slices.ContainsFunc(words, func(w word) bool { return isSameFlag("-"+string(letter), w) }) {
			return false
		}
	}
	return true
}

// glob reports whether a pattern matches a text. A * in the pattern matches any characters.
func glob(pattern, text string) bool {
	first, rest, hasStar := strings.Cut(pattern, "*")
	if !hasStar {
		return pattern == text
	}
	text, isLike := strings.CutPrefix(text, first)
	for isLike {
		part, behind, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(text, part)
		}
		_, text, isLike = strings.Cut(text, part)
		rest = behind
	}
	return false
}
