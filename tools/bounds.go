package tools

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/compound-docs/compound-docs/rag/markdown"
)

// What answers may cost the assistant, whose client drops an answer of more than
// 25,000 tokens. Texts come out of documents and configs, where they may be of
// any length.
const (
	// maxText bounds a title, a summary, a heading path or a reason, in characters.
	maxText = 300
	// maxList bounds the list that an answer is about, as weight counts: some
	// 15,000 tokens.
	maxList = 52_000
	// maxSideList bounds a list that comes beside it.
	maxSideList = 6_000
)

func brief(text string) string { return markdown.CutRunes(text, maxText) }

// fitList returns the items of a list as far as they fit an answer, and how many
// do not. build makes the list with texts of at most limit characters: shorter
// texts are better than fewer items.
func fitList[T any](most int, build func(limit int) []T) (list []T, omitted int) {
	const shortest = maxText / 4
	for limit := maxText; ; limit /= 2 {
		list = build(limit)
		fitting := prefix(list, most)
		if fitting == len(list) || limit/2 < shortest {
			return list[:fitting:fitting], len(list) - fitting
		}
	}
}

// prefix is how many of the items fit.
func prefix[T any](list []T, most int) int {
	for i, item := range list {
		if most -= weight(item); most < 0 {
			return i
		}
	}
	return len(list)
}

// weight is the length of a value in an answer. Characters outside ASCII count
// twice what they have of bytes: they cost more tokens.
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
