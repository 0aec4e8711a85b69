package page

import (
	"maps"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// word matches a word. The search splits texts in some scripts, such as Han, into pairs of characters. pairs matches a
// character of such a script. search.js has similar expressions.
var (
	word  = lazyregexp.New(`[\p{L}\p{M}\p{N}_]+(?:['’][\p{L}\p{M}]+)*`)
	pairs = lazyregexp.New(`[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]`)
)

// stems maps search terms to the words of titles and texts from which the program's search makes these terms, such as
// "connect" to "connected connecting". A key may have several terms. Stop words have no terms, so their key is "". A
// key that begins with + means that each word is itself a term too. stems leaves out words that are their only term.
func stems(documents []*docset.Document, texts []string) map[string]string {
	termsOf, analysed := map[string]map[string]bool{}, map[[2]string]bool{} // analysed has language and word
	for i, d := range documents {
		language := terms.Detect(string(d.Content))
		for _, w := range word().FindAllString(d.Title+" "+texts[i], -1) {
			of := [2]string{string(language), w}
			if analysed[of] || pairs().MatchString(w) {
				continue
			}
			analysed[of] = true
			key := strings.ReplaceAll(strings.ToLower(w), "’", "'")
			if termsOf[key] == nil {
				termsOf[key] = map[string]bool{}
			}
			for _, term := range terms.Distinct(language, w) {
				termsOf[key][term] = true
			}
		}
	}
	words := map[string]string{}
	for _, w := range slices.Sorted(maps.Keys(termsOf)) {
		mark := ""
		if termsOf[w][w] {
			mark = "+"
			delete(termsOf[w], w)
		}
		joined := mark + strings.Join(slices.Sorted(maps.Keys(termsOf[w])), " ")
		if joined != "+" {
			words[joined] = strings.TrimPrefix(words[joined]+" "+w, " ")
		}
	}
	return words
}
