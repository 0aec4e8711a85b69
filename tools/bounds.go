package tools

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/compound-docs/compound-docs/rag/markdown"
)

// Claude Code drops an answer of more than 25,000 tokens. Texts from documents and
// configs can have any length, so answers bound them.
const (
	// maxText bounds a title, a summary, a heading path or a reason, in characters.
	maxText = 300
	// maxList bounds the main list of an answer, measured by weight: about 15,000
	// tokens.
	maxList = 52_000
	// maxSideList bounds every other list of an answer.
	maxSideList = 6_000
)

func brief(text string) string { return markdown.CutRunes(text, maxText) }

// textLimit returns how many characters a text may have in a list of so many items: a
// long list has short texts, so that fewer of its items are left out.
func textLimit(items int) int {
	const inFull, shortest = 25, maxText / 4
	return max(maxText*inFull/max(items, inFull), shortest)
}

// fit returns the first items of a list, up to a weight of most, and the number of items
// left out.
func fit[T any](list []T, most int) (fitting []T, omitted int) {
	for i, item := range list {
		if most -= weight(item); most < 0 {
			return list[:i:i], len(list) - i
		}
	}
	return list, 0
}

// weight returns the length of a value as JSON. Bytes of characters outside ASCII
// count twice: they cost more tokens.
func weight(value any) int {
	encoded, err := json.Marshal(value)
	if err != nil {
		return 0 // no field of an answer fails to encode
	}
	total := len(encoded) + 1
	for _, b := range encoded {
		if b >= utf8.RuneSelf {
			total++
		}
	}
	return total
}
