package terms

import (
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// stems has the stems of words that were met: a project writes with some ten thousand
// words, and to find a stem takes longer than the rest of the analysis of a word.
var stems = struct {
	sync.RWMutex

	of map[string]string
}{of: map[string]string{}}

// maxStems is the number of stems at which stems is emptied.
const maxStems = 1 << 15

// stem returns the term of a folded word: its stem by Snowball's English
// algorithm if it is of a to z alone, and itself otherwise.
func stem(word string) string {
	if len(word) < 3 {
		return word
	}
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return word
		}
	}
	stems.RLock()
	stemmed, ok := stems.of[word]
	stems.RUnlock()
	if ok {
		return stemmed
	}
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	stemmed = strings.Clone(env.Current()) // word is part of a text
	stems.Lock()
	defer stems.Unlock()
	if len(stems.of) == maxStems {
		clear(stems.of)
	}
	stems.of[strings.Clone(word)] = stemmed
	return stemmed
}

func isStopWord(word string) bool {
	_, stop := stopWords[word]
	return stop
}

// stopWords is Snowball's list for English:
// https://snowballstem.org/algorithms/english/stop.txt
var stopWords = wordSet(`
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

func wordSet(list string) map[string]struct{} {
	set := map[string]struct{}{}
	for word := range strings.FieldsSeq(list) {
		set[word] = struct{}{}
	}
	return set
}
