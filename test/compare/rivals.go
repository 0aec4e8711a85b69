package main

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// qmdAsItIs asks qmd as its command search does: all words of the question at once.
func qmdAsItIs(program string) rival {
	return newQmd("qmd, the question as it is", program, func(question string) []string {
		return []string{strings.Join(strings.Fields(question), " ")}
	})
}

// qmdByWord makes each word a search of its own, the ten longest, which is as many as
// qmd takes. It fuses the results.
func qmdByWord(program string) rival {
	return newQmd("qmd, a search for each word", program, func(question string) []string {
		words := strings.FieldsFunc(question, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_' })
		slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
		distinct := []string{}
		for _, word := range words {
			if len(distinct) < 10 && !slices.Contains(distinct, word) {
				distinct = append(distinct, word)
			}
		}
		return distinct
	})
}

func newQmd(name, program string, searches func(question string) []string) rival {
	return rival{
		name: name, program: program, folder: "docs",
		index: [][]string{{"collection", "add", "docs", "--name", "docs"}},
		tool:  "query",
		arguments: func(question string) map[string]any {
			typed := []map[string]any{}
			for _, text := range searches(question) {
				typed = append(typed, map[string]any{"type": "lex", "query": text})
			}
			return map[string]any{"searches": typed, "limit": 10, "rerank": false}
		},
	}
}

// basicMemoryByText asks basic-memory's full-text search.
func basicMemoryByText(program string) rival {
	return rival{
		name: "basic-memory", program: program, folder: "basic-memory", // where it looks by itself
		index: [][]string{{"reindex", "--search"}},
		tool:  "search_notes",
		arguments: func(question string) map[string]any {
			return map[string]any{"query": question, "search_type": "text", "page_size": 10, "output_format": "json"}
		},
	}
}
