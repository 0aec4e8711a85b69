// Package advice says how likely a document warns of the code that it quotes, by the words around it. It is a logistic
// regression: each word has a weight for each place where it can be. test/advice fits the weights on documents whose
// quotes a person has judged.
package advice

import (
	_ "embed"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Document is what all code of a document has around it.
type Document struct {
	title []string
	lower string // the title
	size  string // how much code it quotes
}

// NewDocument reads the title of a document that quotes so many pieces of code. Of many it warns of a smaller part.
func NewDocument(title string, quotes int) Document {
	return Document{title: words(title), lower: strings.ToLower(title), size: "size" + strconv.Itoa(bits.Len(uint(max(quotes, 0))))}
}

// Context is the text around code that a document quotes. Other code in it is in backticks.
type Context struct {
	Code string
	// Before and After are the text of the same paragraph, or the paragraphs around a block of code.
	Before, After string
	// Block says that the code is a line of a block, First and Last that no other code comes before or after it.
	Block, First, Last bool
}

// Field is where a word is.
type Field int

// The fields. A sentence is that of the code, and three or four words are near it.
const (
	Before Field = iota // in the sentence, before the code
	After
	NearBefore
	NearAfter
	RightBefore // the last word, or the last two
	RightAfter
	Previous // in the sentence before
	Next
	Anywhere   // in one of the three sentences
	PairBefore // two words, one after the other, of the last words before the code
	PairAfter
	InCode
	Fact // of the context itself, not a word
	fields
)

// Feature is a word in a field.
type Feature struct {
	Field Field
	Word  string
}

const (
	// near is how many words are near, paired how many are in pairs, and longest how many bytes of a sentence are read.
	near    = 4
	paired  = 8
	longest = 200
	// code is put for other code, and bias is a fact of every context.
	code, bias = "CODE", "bias"
)

// Features returns the features of a quote of the document, those of a field once.
func (d Document) Features(c Context) []Feature {
	var features []Feature
	known := map[Feature]bool{}
	add := func(field Field, words ...string) {
		for _, word := range words {
			if f := (Feature{field, word}); !known[f] {
				known[f], features = true, append(features, f)
			}
		}
	}
	d.around(c, add)
	return features
}

// LogOdds returns the log-odds that the document warns of the code.
func (d Document) LogOdds(c Context) (logOdds float64) {
	d.around(c, func(field Field, words ...string) { logOdds += weigh(field, words...) })
	return logOdds
}

// weigh returns the sum of the weights of words in a field, each once.
func weigh(field Field, words ...string) (sum float64) {
	var few [64]*[fields]float32
	known := few[:0]
	for _, word := range words {
		if row := weights()[word]; row != nil && row[field] != 0 && !slices.Contains(known, row) {
			sum, known = sum+float64(row[field]), append(known, row)
		}
	}
	return sum
}

// around adds the features of the text around code.
func (d Document) around(c Context, add func(field Field, words ...string)) {
	before, previous := lastSentences(c.Before)
	after, next := firstSentences(c.After)
	said, behind, earlier, later := words(before), words(after), words(previous), words(next)
	if c.Block && len(said) > 1 && slices.Contains(pronouns, said[0]) {
		// "This stops it:" says of a block what "`code` stops it" says of a span.
		said, behind = nil, slices.Concat(said[1:], behind)
	}
	add(Before, said...)
	add(After, behind...)
	add(NearBefore, said[max(0, len(said)-near):]...)
	add(NearAfter, behind[:min(near, len(behind))]...)
	add(RightBefore, strings.Join(said[max(0, len(said)-1):], " "), strings.Join(said[max(0, len(said)-2):], " "))
	add(RightAfter, strings.Join(behind[:min(1, len(behind))], " "), strings.Join(behind[:min(2, len(behind))], " "))
	add(PairBefore, pairs(said[max(0, len(said)-paired):])...)
	add(PairAfter, pairs(behind[:min(paired, len(behind))])...)
	add(Previous, earlier...)
	add(Next, later...)
	add(InCode, appendWords(nil, c.Code)...)
	add(Anywhere, slices.Concat(said, behind, earlier, later)...)
	for _, fact := range [...]struct {
		name string
		is   bool
	}{
		{bias, true},
		{d.size, true},
		{"block", c.Block},
		{"never", isForbidden(said, c.Block)},
		{"first", c.First},
		{"last", c.Last},
		{"start", before == ""},
		{"titled", strings.Contains(d.lower, strings.ToLower(c.Code))},
		{"about", slices.ContainsFunc(words(c.Code), func(word string) bool { return slices.Contains(d.title, word) })},
	} {
		if fact.is {
			add(Fact, fact.name)
		}
	}
}

// pairs returns each word with the next one.
func pairs(words []string) (found []string) {
	for i := 1; i < len(words); i++ {
		found = append(found, words[i-1]+" "+words[i])
	}
	return found
}

// pronouns name the block that follows.
var pronouns = strings.Fields("this that it these they")

var (
	forbidding = strings.Fields("never not avoid don't mustn't forbidden")
	// permitting turn "never" into a demand: "never without", "don't forget".
	permitting = strings.Fields("without before until unless forget need only just hesitate CODE , :")
)

// isForbidden reports whether the last words before code forbid it, as in "never run". Before a block there may be more:
// "never run this against production:".
func isForbidden(said []string, isBlock bool) bool {
	window := near
	if isBlock {
		said, window = slices.DeleteFunc(slices.Clone(said), func(word string) bool { return word == ":" }), 2*near
	}
	last := said[max(0, len(said)-window):]
	at := slices.IndexFunc(last, func(word string) bool { return slices.Contains(forbidding, word) })
	return at >= 0 && !slices.ContainsFunc(last[at:], func(word string) bool { return slices.Contains(permitting, word) })
}

// words returns the words of a text in lower case, the marks that divide it, and CODE for code in backticks.
func words(text string) (found []string) {
	inCode := false
	for part := range strings.SplitSeq(text, "`") {
		if inCode {
			found = append(found, code)
		} else {
			found = appendWords(found, part)
		}
		inCode = !inCode
	}
	return found
}

func appendWords(found []string, text string) []string {
	text = strings.ToLower(strings.ReplaceAll(text, "’", "'")) + " "
	start := -1
	for i, r := range text {
		isPart := unicode.IsLetter(r) || r == '\'' && start >= 0
		switch {
		case isPart && start < 0:
			start = i
		case !isPart && start >= 0:
			found = append(found, strings.TrimRight(text[start:i], "'"))
			start = -1
		}
		switch r {
		case ':', ';', '(', '–', '—', '?', '❌', '✅':
			found = append(found, text[i:i+utf8.RuneLen(r)])
		}
	}
	return found
}

// lastSentences returns the sentence at the end of a text, and the one before it.
func lastSentences(text string) (last, previous string) {
	text = strings.TrimSpace(text[max(0, len(text)-2*longest):])
	at := sentenceEnd(text, len(text)-1)
	last = strings.TrimSpace(text[at:])
	text = strings.TrimSpace(text[:at])
	return last[max(0, len(last)-longest):], text[sentenceEnd(text, len(text)-1):]
}

// firstSentences returns the sentence at the beginning of a text, and the one behind it.
func firstSentences(text string) (first, next string) {
	text = text[:min(len(text), 2*longest)]
	for i := range len(text) {
		if isEnd(text, i) {
			first, text = text[:i+1], text[i+1:]
			for j := range len(text) {
				if isEnd(text, j) {
					return first, text[:j+1]
				}
			}
			return first, text
		}
	}
	return text, ""
}

// sentenceEnd returns where the last sentence of a text begins that ends before an index.
func sentenceEnd(text string, before int) int {
	for i := before - 1; i >= 0; i-- {
		if isEnd(text, i) {
			return i + 1
		}
	}
	return 0
}

// isEnd reports whether the byte at an index ends a sentence.
func isEnd(text string, at int) bool {
	return strings.IndexByte(".;:!?", text[at]) >= 0 && at+1 < len(text) && text[at+1] <= ' '
}

//go:embed weights.tsv
var table string

// weights are the weights of words, by field.
var weights = sync.OnceValue(func() map[string]*[fields]float32 {
	read := map[string]*[fields]float32{}
	for line := range strings.Lines(table) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		row := new([fields]float32)
		for field := range strings.SplitSeq(rest, " ") {
			number, weight, _ := strings.Cut(field, ":")
			at, err := strconv.Atoi(number)
			value, err2 := strconv.ParseFloat(weight, 32)
			if err != nil || err2 != nil || at >= int(fields) {
				panic("advice: weights.tsv: " + line) // a test reads it
			}
			row[at] = float32(value)
		}
		read[word] = row
	}
	return read
})
