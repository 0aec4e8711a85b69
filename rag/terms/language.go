package terms

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Language is the ISO 639-1 code of a language for which Snowball has a stemmer and stop words.
type Language string

// English is also the language of texts in an unknown language.
const English Language = "en"

var stemmers = map[Language]func(*snowballstem.Env) bool{
	English: english.Stem,
	"da":    danish.Stem, "de": german.Stem, "es": spanish.Stem, "fi": finnish.Stem, "fr": french.Stem, "hu": hungarian.Stem,
	"it": italian.Stem, "nl": dutch.Stem, "no": norwegian.Stem, "pt": portuguese.Stem, "ru": russian.Stem, "sv": swedish.Stem,
	"tr": turkish.Stem,
}

//go:embed stopwords.txt
var stopWordLists string

// questionWordLists has words that are left out of queries only. In documents they are terms.
//
//go:embed questionwords.txt
var questionWordLists string

// languagesOf maps each stop word to its languages. queryLanguagesOf has the question words too.
var (
	languagesOf      = sync.OnceValue(func() map[string][]Language { return readWords(stopWordLists) })
	queryLanguagesOf = sync.OnceValue(func() map[string][]Language { return readWords(stopWordLists + questionWordLists) })
)

// readWords maps each word of the lists to its languages. A line has the code of a language, and then its words.
func readWords(lists string) map[string][]Language {
	of := map[string][]Language{}
	for line := range strings.Lines(lists) {
		code, words, _ := strings.Cut(line, " ")
		for word := range strings.FieldsSeq(words) {
			if _, ok := stemmers[Language(code)]; ok {
				word = lowered(word)
				of[word] = append(of[word], Language(code))
			}
		}
	}
	return of
}

// lowered makes a word lower case, and replaces a typographic apostrophe. Unlike the function fold, lowered keeps
// accents, because stemmers and stop words need them.
func lowered(word string) string {
	if isASCII(word) {
		return strings.ToLower(word)
	}
	return strings.ReplaceAll(norm.NFC.String(cases.Fold().String(word)), "’", "'")
}

const (
	// maxDetected is how many bytes of a text are read to find its language.
	maxDetected = 16 << 10
	// A text counts as written in a language other than English under three conditions. It has at least inDocument
	// different stop words of the language (a query needs inQuery). At least one in detectedShare of its words is such a
	// stop word. In most texts two of five are. It has more than twice as many stop words of the language as of English.
	inDocument, inQuery, detectedShare = 5, 3, 10
)

// Detect returns the language of a document by its stop words. It returns English if no other language is clear.
func Detect(text string) Language { return detect(text, inDocument, languagesOf()) }

// detect returns the language with the most stop words in a text, or English if that language is not clear. minimum is
// how many different stop words the language needs. languagesByWord maps each stop word to its languages.
func detect(text string, minimum int, languagesByWord map[string][]Language) Language {
	words, found := 0, map[string]int{} // found counts each stop word
	for word := range strings.FieldsFuncSeq(text[:min(len(text), maxDetected)], notLetter) {
		if utf8.RuneCountInString(word) < 2 { // a single letter is often the name of a variable
			continue
		}
		words++
		word = lowered(word)
		if len(languagesByWord[word]) > 0 {
			found[word]++
		}
	}
	counts, different := map[Language]int{}, map[Language]int{}
	for word, n := range found {
		for _, language := range languagesByWord[word] {
			counts[language] += n
			different[language]++
		}
	}
	best := English
	for language, count := range counts {
		if count > counts[best] || count == counts[best] && language < best {
			best = language
		}
	}
	if count := counts[best]; different[best] < minimum || detectedShare*count < words || count <= 2*counts[English] {
		return English
	}
	return best
}

func notLetter(r rune) bool {
	return !unicode.IsLetter(r) && (r < utf8.RuneSelf || !unicode.Is(unicode.M, r))
}

// marker returns a made-up term that [Document] adds to each passage in a language other than English. By the frequency
// of this term, a search knows that the project has passages in the language.
func (l Language) marker() string { return "\x00" + string(l) }

// Vocabulary knows the languages of a project's passages, and how frequent terms are. The zero value knows English.
type Vocabulary struct {
	project int32
	// languages are English and the other languages of the passages. For a query, the query's language comes first.
	languages []Language
	frequency func(term int32) int
	// The field asking has a query's language, even if no passage has it. Question words of that language give no terms.
	asking Language
}

// NewVocabulary returns the vocabulary of a project. frequency returns how many of the project's passages, or of a
// sample of them, have a term.
func NewVocabulary(project int32, frequency func(term int32) int) Vocabulary {
	v := Vocabulary{project: project, frequency: frequency, languages: []Language{English}}
	for _, language := range slices.Sorted(maps.Keys(stemmers)) {
		if language != English && frequency(hashTerm(project, language.marker())) > 0 {
			v.languages = append(v.languages, language)
		}
	}
	return v
}

// forQuery returns the vocabulary for a query. The query's language comes first if a passage is in that language.
func (v Vocabulary) forQuery(query string) Vocabulary {
	v.asking = detect(query, inQuery, queryLanguagesOf())
	if len(v.languages) < 2 {
		v.languages = []Language{English}
	} else if i := slices.Index(v.languages, v.asking); i > 0 {
		v.languages = slices.Insert(slices.Delete(slices.Clone(v.languages), i, i+1), 0, v.languages[i])
	}
	return v
}

func (v Vocabulary) analyser(text string) analyser {
	inProject := func(term string) bool { return v.frequency(hashTerm(v.project, term)) > 0 }
	return analyser{text: text, readings: v.languages, inProject: inProject, asking: v.asking}
}
