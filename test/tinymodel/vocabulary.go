package tinymodel

import (
	_ "embed"
	"slices"
	"strings"
)

// words.txt has English words, most of them from software: those that say nothing of
// a text because a fifth of all have them, an empty line, and the others. Inflections
// are left out where the tokeniser finds the word in them.
//
//go:embed words.txt
var words string

// vocabulary returns the two lists.
func vocabulary() (frequent, others []string) {
	first, second, _ := strings.Cut(words, "\n\n")
	return strings.Fields(first), strings.Fields(second)
}

// allWords returns both lists as one.
func allWords() []string { return slices.Concat(vocabulary()) }
