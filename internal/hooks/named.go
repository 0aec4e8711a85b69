package hooks

import (
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// contentWords returns the words of a text in lower case and without accents, except stop words.
func contentWords(text string) []string {
	return slices.DeleteFunc(strings.Fields(terms.Sequence(text)), func(word string) bool {
		return len(terms.Distinct(terms.English, word)) == 0
	})
}

// general are everyday words of programmers. A prompt with only these words of a title does not name the document.
var general = strings.Fields(`
	error errors message messages test tests code file files function functions commit commits pull request requests
	data user users list page pages name names new old first second time number line lines type types value values
	build change changes update read write run set get add use work works
	can cannot could may must should say says said make makes take takes keep keeps need needs one two
`)

// spaced joins words with spaces, also before the first and behind the last, so that only whole words match.
func spaced(words []string) string { return " " + strings.Join(words, " ") + " " }

// namedBy finds words of a name in a prompt. It returns the longest run of the words that the prompt has too, or "".
// whole says that the run is the whole name. A shorter run needs two words. Each run needs a word that is not general.
// prompt and run have the form that the function spaced returns.
func namedBy(prompt, name string) (run string, whole bool) {
	words := contentWords(name)
	for size := len(words); size > 0 && (size > 1 || len(words) == 1); size-- {
		for i := range len(words) - size + 1 {
			part := words[i : i+size]
			isTelling := slices.ContainsFunc(part, func(word string) bool { return !slices.Contains(general, word) })
			if isTelling && strings.Contains(prompt, spaced(part)) {
				return spaced(part), size == len(words)
			}
		}
	}
	return "", false
}

// action matches nouns for activities and qualities, such as logging or security.
var action = lazyregexp.New(`(?i)(?:ing|ions?|ments?|ity|ities|ies|[ae]nc[ey]s?|ness)$`)

// isQuoted reports whether a prompt writes a word as a name: in quotes, or with a capital letter after the first word.
func isQuoted(prompt, word string) bool {
	_, behind, _ := strings.Cut(prompt, " ")
	isName := strings.ToLower(word) != word && strings.Contains(behind, word)
	return isName || slices.ContainsFunc([]string{`"`, "'", "`"}, func(quote string) bool {
		return strings.Contains(strings.ToLower(prompt), quote+strings.ToLower(word)+quote)
	})
}

// named returns the hits that a prompt names by title, or by an alias in the front matter, the longest names first. A
// part of a name counts only if no other title has that part. A single word counts only if no other hit has the word.
// If the word matches the pattern action, the prompt must also write the word as a name. If the successor of a named
// document is among the hits, the result has the successor instead of the document.
func (p Project) named(prompt string, hits []rag.Hit) []candidate {
	var named []candidate
	words := spaced(contentWords(prompt))
	for _, hit := range hits {
		aliases := index.StringList(p.frontMatter(hit.Path)["aliases"])
		for _, name := range slices.Concat([]string{hit.Title}, aliases) {
			run, whole := namedBy(words, name)
			isWord := strings.Count(run, " ") == len("  ")
			if run == "" || isWord && action().MatchString(name) && !isQuoted(prompt, name) {
				continue
			}
			isShared := slices.ContainsFunc(hits, func(other rag.Hit) bool {
				text := other.Title
				if isWord {
					text += "\n" + other.Content
				}
				return other.ID != hit.ID && strings.Contains(spaced(contentWords(text)), run)
			})
			if isShared && (isWord || !whole) {
				continue
			}
			c := candidate{Hit: hit, why: "names " + strings.TrimSpace(run), named: run}
			later := slices.IndexFunc(hits, func(other rag.Hit) bool { return other.Path == hit.Successor() })
			if later >= 0 {
				c.Hit, c.why = hits[later], c.why+" in ./"+hit.Path+", which it replaces or amends"
			}
			c.Score = 1 // the name counts, not the score
			isKnown := func(other candidate) bool { return other.ID == c.ID }
			if !slices.ContainsFunc(named, isKnown) {
				named = append(named, c)
			}
			break
		}
	}
	slices.SortStableFunc(named, func(a, b candidate) int { return strings.Count(b.named, " ") - strings.Count(a.named, " ") })
	return named
}
