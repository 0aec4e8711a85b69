package terms

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
)

// knownWord says what became of a word.
type knownWord struct {
	stem  string   // of the whole word, see [stem]
	terms []string // stems, without stop words; several where apostrophes divide the word
	short bool     // a single character
}

// known has words as they were met. A project writes with some ten thousand of them, and
// to fold a word and find its stem takes longer than the rest of the analysis.
var known = struct {
	sync.RWMutex

	words map[spelling]knownWord
}{words: map[spelling]knownWord{}}

// spelling is a word in a language.
type spelling struct {
	language Language
	word     string
}

// maxKnown is the number of words at which known is emptied.
const maxKnown = 1 << 15

// lookUp returns the stem of a word of at most maxWordBytes, and whether it is a stop word.
func lookUp(language Language, word string) knownWord {
	known.RLock()
	found, ok := known.words[spelling{language, word}]
	known.RUnlock()
	if ok {
		return found
	}
	word = strings.Clone(word) // it is part of a text, which is not kept
	if language == English {
		found = analyseWord(English, fold(word))
	} else {
		found = analyseWord(language, lowered(word))
	}
	known.Lock()
	defer known.Unlock()
	if len(known.words) == maxKnown {
		clear(known.words)
	}
	known.words[spelling{language, word}] = found
	return found
}

// analyseWord analyses a word that is folded, or only lowered if the language is not English.
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

// isStopWord reports whether a word is a stop word of the language or of English, which texts in other
// languages quote.
func isStopWord(language Language, word string) bool {
	return slices.Contains(stopWords, word) || language != English && slices.Contains(languagesOf()[word], language)
}

// snowball returns the folded stem of a word by Snowball's algorithm for the language, and other words
// folded. An English word is of a to z alone.
func snowball(language Language, word string) string {
	if len(word) < 3 || strings.ContainsFunc(word, notLetter) ||
		language == English && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") != "" {
		return fold(word)
	}
	env := snowballstem.NewEnv(word)
	stemmers[language](env)
	return fold(env.Current())
}

// stem is snowball for English, with a memory of the words that it has stemmed.
func stem(word string) string {
	if !isPlain(word) || len(word) > maxWordBytes {
		return snowball(English, word)
	}
	return lookUp(English, word).stem
}

// stopWords is Snowball's list for English: https://snowballstem.org/algorithms/english/stop.txt
var stopWords = strings.Fields(`
	i me my myself we our ours ourselves you your yours yourself yourselves he him
	his himself she her hers herself it its itself they them their theirs
	themselves what which who whom this that these those am is are was were be
	been being have has had having do does did doing would should could ought
	i'm you're he's she's it's we're they're i've you've we've they've i'd you'd
	he'd she'd we'd they'd i'll you'll he'll she'll we'll they'll isn't aren't
	wasn't weren't hasn't haven't hadn't doesn't don't didn't won't wouldn't
	shan't shouldn't can't cannot couldn't mustn't let's that's who's what's
	here's there's when's where's why's how's a an the and but if or because as
	until while of at by for with about against between into through during before
	after above below to from up down in out on off over under again further then
	once here there when where why how all any both each few more most other some
	such no nor not only own same so than too very`)
