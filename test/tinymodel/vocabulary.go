package tinymodel

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

//go:embed words.txt
var generalWords string

// generalDocuments is the number of documents that the frequencies of words.txt
// refer to.
const generalDocuments = 1000

// vocabulary holds the words that an embedding model knows, and how many
// documents hold each of them or an inflection of it.
type vocabulary struct {
	words     []string       // lower case, letters only, in alphabetical order
	documents map[string]int // by stem
}

// general returns the vocabulary of words.txt: some 3,700
// English words, most of them from software, with their document frequencies.
func general() vocabulary {
	v := vocabulary{documents: map[string]int{}}
	for line := range strings.Lines(generalWords) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		frequency, err := strconv.Atoi(fields[0])
		if err != nil {
			panic(fmt.Sprintf("tinymodel: words.txt: %v", err)) // the file is part of the program
		}
		for _, word := range fields[1:] {
			v.words = append(v.words, word)
			v.documents[stem(word)] = frequency
		}
	}
	slices.Sort(v.words)
	return v
}

// inverseFrequency returns the natural logarithm of how rare a stem is: 0 for
// one that all documents hold, about 7 for one that a document in a thousand
// holds.
func (v vocabulary) inverseFrequency(stem string) float64 {
	return math.Log(float64(1+generalDocuments) / float64(1+v.documents[stem]))
}

// stem returns what the inflections of an English word have in common, so that
// "migrate", "migrated", "migrating" and "migrations" are one word.
func stem(word string) string {
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return env.Current()
}
