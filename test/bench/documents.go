package main

import (
	_ "embed"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// passageChars is the size of a section: about as much as fits the embedding
// window, so that each is one passage.
const passageChars = 1500

// docsPerFolder is how many documents a folder has.
const docsPerFolder = 200

// repository is a folder with a project in it, outside git.
type repository struct {
	root string
	// documents it has, of so many sections each.
	documents, sections int
}

func (r *repository) config() string {
	return filepath.Join(r.root, ".csharp-compounding-docs", "config.json")
}

func (r *repository) docs() string { return filepath.Join(r.root, "csharp-compounding-docs") }

func (r *repository) path(i int) string {
	return filepath.Join(r.docs(), "problems", fmt.Sprintf("part-%03d", i/docsPerFolder), fmt.Sprintf("doc-%06d.md", i))
}

// newRepository makes a project of so many documents of one section. Seeds make different ones.
func (e *environment) newRepository(project string, documents int, seed uint64) *repository {
	r := &repository{root: get(os.MkdirTemp(e.dir, project+"-")), documents: documents, sections: 1}
	writeFile(r.config(), fmt.Sprintf(`{"project_name": %q}`, project))
	r.write(documents, seed)
	return r
}

// write writes the first documents, again if they are there.
func (r *repository) write(documents int, seed uint64) {
	for i := range documents {
		writeFile(r.path(i), document(newRandom(seed, i), i, r.sections))
	}
}

// writeFile writes a file, and makes its folder if need be.
func writeFile(name, content string) {
	check(os.MkdirAll(filepath.Dir(name), 0o755))
	check(os.WriteFile(name, []byte(content), 0o600))
}

// ownWords finds the word that ownWord gives to a document.
var ownWords = regexp.MustCompile(`incident\d{6}`) //nolint:gochecknoglobals // a constant

// ownWord is a word that one document of a repository has.
func ownWord(i int) string { return fmt.Sprintf("incident%06d", i) }

// document is a solved problem as the doc-type wants it.
func document(random *rand.Rand, i, sections int) string {
	var b strings.Builder
	title := sentence(random, 6)
	fmt.Fprintf(&b, "---\ndoc_type: problem\ntitle: %s %s\ndate: 2026-%02d-%02d\nsummary: %s\nsignificance: correctness\n",
		title, ownWord(i), 1+i%12, 1+i%28, sentence(random, 12))
	fmt.Fprintf(&b, "problem_type: bug\nsymptoms:\n  - %s\nroot_cause: %s\nsolution: %s\ntags: [%s, %s]\n",
		sentence(random, 8), sentence(random, 8), sentence(random, 8), word(random), word(random))
	if i%20 == 0 {
		b.WriteString("promotion_level: important\n")
	}
	b.WriteString("---\n")
	for range sections {
		if sections > 1 {
			fmt.Fprintf(&b, "\n## %s\n", sentence(random, 4))
		}
		b.WriteString("\n" + prose(random, passageChars))
	}
	return b.String()
}

// prose is paragraphs of so many characters, or up to a sentence less.
func prose(random *rand.Rand, chars int) string {
	var b strings.Builder
	for paragraph := 0; ; {
		text := sentence(random, 8+random.IntN(10)) + "."
		if b.Len()+len(text) > chars {
			break
		}
		b.WriteString(text)
		if paragraph += len(text); paragraph > 400 {
			b.WriteString("\n\n")
			paragraph = 0
		} else {
			b.WriteString(" ")
		}
	}
	return strings.TrimSpace(b.String()) + "\n"
}

func sentence(random *rand.Rand, length int) string {
	var b strings.Builder
	for i := range length {
		w := word(random)
		if i == 0 {
			w = strings.ToUpper(w[:1]) + w[1:]
		} else {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	return b.String()
}

// someWords is a query for a text: six of its words, by chance.
func someWords(random *rand.Rand, text string) string {
	words := strings.Fields(text)
	query := make([]string, 6)
	for i := range query {
		query[i] = strings.Trim(words[random.IntN(len(words))], ".#")
	}
	return strings.Join(query, " ")
}

// word is one of a language, or now and then an identifier. The frequency of a language's words
// follows Zipf's law, in Mandelbrot's form (rank + shift)^-exponent. Passages of 200 words have 140
// different terms each; 1,000 have 20,000, and 8,000 have 66,000. Technical documentation, in
// passages of that length, has 130, 17,000 and 80,000.
func word(random *rand.Rand) string {
	if random.IntN(60) == 0 {
		return fmt.Sprintf("%s%d", vocabulary[random.IntN(len(vocabulary))], random.IntN(10_000))
	}
	const exponent, shift, ranks = 1.1, 2.7, 15_000
	first, last := math.Pow(shift, 1-exponent), math.Pow(ranks+shift, 1-exponent)
	rank := int(math.Pow(first-random.Float64()*(first-last), 1/(1-exponent)) - shift)
	if rank < len(vocabulary) {
		return vocabulary[rank]
	}
	var b strings.Builder
	for ; rank > 0; rank /= len(syllables) {
		b.WriteString(syllables[rank%len(syllables)])
	}
	return b.String()
}

//go:embed words.txt
var words string

// vocabulary has the frequent words, the most frequent first. The others are made of
// syllables.
var vocabulary = strings.Fields(words)

var syllables = strings.Fields("ba con de fer gil har in jo kal lor men nat op per qui ras sol tur ul ver wex yan zor")
