package hooks

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// contentWords returns the words of a text, folded, without stop words.
func contentWords(text string) []string {
	return slices.DeleteFunc(strings.Fields(terms.Sequence(text)), func(word string) bool {
		return len(terms.Distinct(terms.English, word)) == 0
	})
}

// general are words that programmers use all day. They alone name no document.
var general = strings.Fields(`
	error errors message messages test tests code file files function functions commit commits pull request requests
	data user users list page pages name names new old first second time number line lines type types value values
	build change changes update read write run set get add use work works
	can cannot could may must should say says said make makes take takes keep keeps need needs one two
`)

// namedBy returns the words of a name that a prompt has in their order: all of them, or several that are not general.
// It is empty if these name no document.
func namedBy(prompt []string, name string) (run []string, whole bool) {
	words := contentWords(name)
	for i := range words {
		for j := i + 1; j <= len(words); j++ {
			part := words[i:j]
			isGeneral := !slices.ContainsFunc(part, func(word string) bool { return !slices.Contains(general, word) })
			isName := len(part) > 1 || len(words) == 1
			if len(part) > len(run) && isName && !isGeneral && hasRun(prompt, part) {
				run = part
			}
		}
	}
	return run, len(run) > 0 && len(run) == len(words)
}

// hasRun reports whether words stand one after the other in a text.
func hasRun(text, run []string) bool {
	for i := range len(text) - len(run) + 1 {
		if slices.Equal(text[i:i+len(run)], run) {
			return true
		}
	}
	return false
}

// named returns those of some documents that a prompt names, the longest names first. A part of a title names one
// document alone, and a title of one word must be a rare one.
func (p Project) named(ctx context.Context, scope catalog.Scope, query rag.Query, hits []rag.Hit) ([]candidate, error) {
	if query.Lines {
		return nil, nil
	}
	var named []candidate
	parts := map[string]int{} // how many documents have a part of a title
	prompt := contentWords(query.Text)
	for _, hit := range hits {
		for _, name := range p.names(hit) {
			run, whole := namedBy(prompt, name)
			if len(run) == 0 {
				continue
			}
			c := candidate{Hit: hit, why: "names " + strings.Join(run, " "), named: len(run)}
			c.Score = 1 // it was not found by its score
			if len(run) == 1 {
				rare, err := p.isRare(ctx, scope, run[0])
				if err != nil {
					return nil, err
				}
				if !rare {
					continue
				}
			}
			if !whole {
				parts[c.why]++
			}
			named = append(named, c)
			break
		}
	}
	named = slices.DeleteFunc(named, func(c candidate) bool { return parts[c.why] > 1 })
	slices.SortStableFunc(named, func(a, b candidate) int { return cmp.Compare(b.named, a.named) })
	return named, nil
}

// isRare reports whether one document of a scope at most has a word.
func (p Project) isRare(ctx context.Context, scope catalog.Scope, word string) (bool, error) {
	hits, err := p.Search(ctx, scope, rag.Query{Text: word, Mode: rag.Lexical, Limit: 2})
	return len(hits.Documents) < 2, err
}

// names are what a document is called: its title, and the aliases in its front matter.
func (p Project) names(c rag.Hit) []string {
	names := []string{c.Title}
	switch aliases := p.frontMatter(c.Path)["aliases"].(type) {
	case string:
		names = append(names, aliases)
	case []any:
		for _, alias := range aliases {
			text, _ := alias.(string)
			names = append(names, text)
		}
	}
	return names
}
