package terms

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// knownWord is the analysis of a word.
type knownWord struct {
	stem  string   // of the whole word, see [snowball]
	terms []string // stems without stop words; several if apostrophes divide the word
	short bool     // a single character
}

// known caches analysed words. A project uses some ten thousand different words. Without the cache, BenchmarkDocument
// takes 3 times as long in English and 1.6 times as long in German. With an LRU cache, in which readers wait for each
// other, it takes nearly twice as long.
var known = struct {
	sync.RWMutex

	words map[Language]map[string]knownWord
}{words: map[Language]map[string]knownWord{}}

// maxKnown limits the cache of each language. When it is full, all words of the language are forgotten.
const maxKnown = 1 << 15

// lookUp returns the analysis of a word, from the cache if possible. The word has at most maxWordBytes.
func lookUp(language Language, word string) knownWord {
	known.RLock()
	found, ok := known.words[language][word]
	known.RUnlock()
	if ok {
		return found
	}
	word = strings.Clone(word) // otherwise the cache keeps the text that the word is a part of
	form := fold
	if language != English {
		form = lowered
	}
	found = analyseWord(language, form(word))
	known.Lock()
	defer known.Unlock()
	if words := known.words[language]; words == nil || len(words) == maxKnown {
		known.words[language] = map[string]knownWord{}
	}
	known.words[language][word] = found
	return found
}

// analyseWord analyses an English word in the form of [fold], or a word of another language in the form of [lowered].
func analyseWord(language Language, word string) knownWord {
	found := knownWord{stem: snowball(language, word), short: utf8.RuneCountInString(word) < 2}
	if found.stem == "" || isStopWord(language, word) {
		return found
	}
	if !strings.Contains(word, "'") {
		found.terms = []string{found.stem}
		return found
	}
	for part := range strings.SplitSeq(word, "'") {
		if stem := snowball(language, part); stem != "" && utf8.RuneCountInString(part) > 1 && !isStopWord(language, part) {
			found.terms = append(found.terms, stem)
		}
	}
	return found
}

// isStopWord reports whether a word is a stop word of the language or of English. Texts in any language quote English.
func isStopWord(language Language, word string) bool {
	languages := languagesOf()[word]
	return slices.Contains(languages, English) || slices.Contains(languages, language)
}

// snowball returns the folded stem of a word by Snowball's algorithm for the language. A word that is short or has
// other characters than letters is only folded. In English, only a to z are letters.
func snowball(language Language, word string) string {
	if len(word) < 3 || strings.ContainsFunc(word, notLetter) ||
		language == English && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") != "" {
		return fold(word)
	}
	env := snowballstem.NewEnv(word)
	stemmers[language](env)
	return fold(env.Current())
}

// stem returns the English stem of a word, see [snowball]. Plain words come from the cache.
func stem(word string) string {
	if !isPlain(word) || len(word) > maxWordBytes {
		return snowball(English, word)
	}
	return lookUp(English, word).stem
}

// fold returns text in the form in which terms are compared: case folded, in compatibility form (NFKC), and without
// optional marks. Optional marks are the accents of Latin, Greek and Cyrillic letters, the vowel points of Hebrew and
// Arabic, soft hyphens and joiners. A typographic apostrophe becomes the plain one. fold is idempotent.
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

// optionalMark reports whether writers often leave out the combining mark over the letter base.
func optionalMark(base, mark rune) bool {
	switch {
	case mark >= 0x0300 && mark <= 0x036F: // combining diacritical marks
		// With a breve, и is another letter.
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

// inPairs reports whether r belongs to a script that has no spaces between words, or in which spaces do not separate
// all words, such as Korean. The terms of such a script are pairs of characters. The mark of a long vowel (U+30FC)
// belongs to two scripts, Hiragana and Katakana, so it is in the table of neither script.
func inPairs(r rune) bool {
	if r >= 0x4E00 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3 { // most of Han and Hangul
		return true
	}
	return r >= 0x0E00 && (r == 0x30FC || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan))
}
