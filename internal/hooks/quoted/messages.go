// Package quoted finds the documents that quote a line from the output of a program. It has no side effects.
package quoted

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag/said"
	"github.com/compound-docs/compound-docs/rag/wordvec"
)

// Messages are the messages of programs that documents quote, indexed for quick comparison.
type Messages struct {
	all []message
	// places maps each word to its places, if the word's weight is at least telling. The weight says how rare a word is.
	places map[string][]place
	// quoted counts the documents that quote a message. The key is the message's words, joined with spaces.
	quoted map[string]int
}

// message is a line that a document quotes, or the document's title, split into words.
type message struct {
	document int
	text     string
	words    []string
	weights  []float64 // how rare each word is
	weight   float64   // sum of the weights
}

// place is the position of a word: the index of its message, and its index in the message.
type place struct{ message, word int }

const (
	// A line matches a message if they have a run of words in common. The run must have at least leastRun words. The
	// weight of the run must be at least leastWeight, and at least leastPart times the weight of the message. The values
	// were chosen on sets one to eight of test/eval/otheracts.
	leastRun, leastWeight, leastPart = 3, 3, .4
	// A comparison begins at a word with a weight of telling or more, and with at most commonplace places in messages.
	telling, commonplace = 1, 50
	// value replaces a path, and stands before a word in quotation marks. digits replaces a number. cut replaces words
	// that failures of any kind print: a run ends there. Each differing quotation takes otherValue from a run's weight.
	value, digits, cut = "…", "#", "⌁"
	otherValue         = 3
)

// Match says that a document quotes a line of an output.
type Match struct {
	// Document is the number that [Messages.Add] got for the document.
	Document int
	weight   float64
	// Text is the message as the document quotes it.
	Text string
}

// few is how many documents may quote one message. A message that more documents quote says nothing.
const few = 2

// Add adds the messages that a document quotes, and its title, which may be a message too.
func (m *Messages) Add(document int, title string, messages []string) {
	if m.places == nil {
		m.places, m.quoted = map[string][]place{}, map[string]int{}
	}
	known := map[string]bool{}
	for _, text := range slices.Concat([]string{title}, said.InQuotation(title), messages) {
		words := printedWords(everyFailure().ReplaceAllString(text, " "+cut+" "))
		said, key := message{document: document, text: text, words: words}, strings.Join(words, " ")
		for _, word := range words {
			weight := 0.
			if word != digits && word != cut && !strings.HasPrefix(word, value) {
				weight = wordvec.Weight(word)
			}
			said.weights = append(said.weights, weight)
			said.weight += weight
		}
		if said.weight < leastWeight || len(words) < leastRun || known[key] {
			continue
		}
		known[key] = true
		m.quoted[key]++
		for i, word := range words {
			if said.weights[i] >= telling {
				m.places[word] = append(m.places[word], place{len(m.all), i})
			}
		}
		m.all = append(m.all, said)
	}
}

// In returns the documents that quote a line of an output, the best match first. Of each document, the message with the
// heaviest run of words in a line counts. Numbers, paths and values may differ. In ignores a message that more than few
// documents quote.
func (m *Messages) In(output string) []Match {
	found := map[int]Match{}
	for line := range strings.Lines(output) {
		words := printedWords(line)
		for i, word := range words {
			if len(m.places[word]) > commonplace {
				continue
			}
			for _, at := range m.places[word] {
				said := m.all[at.message]
				count, weight := said.run(at.word, words, i)
				if count >= leastRun && weight >= max(leastWeight, leastPart*said.weight) && weight > found[said.document].weight &&
					m.quoted[strings.Join(said.words, " ")] <= few {
					found[said.document] = Match{Document: said.document, weight: weight, Text: said.text}
				}
			}
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.Document, b.Document))
	})
}

// run returns the number and the weight of the words in a common run of the message and a text. The run goes through a
// given word: its index is own in the message and other in the text. A run has values, but they do not count.
func (m message) run(own int, text []string, other int) (count int, weight float64) {
	isSame := func(a, b string) bool { return a == b || strings.HasPrefix(a, value) && strings.HasPrefix(b, value) }
	for own > 0 && other > 0 && isSame(m.words[own-1], text[other-1]) {
		own, other = own-1, other-1
	}
	for ; own < len(m.words) && other < len(text) && isSame(m.words[own], text[other]); own, other = own+1, other+1 {
		switch {
		case m.words[own] != text[other]:
			weight -= otherValue
		case m.weights[own] > 0:
			count, weight = count+1, weight+m.weights[own]
		}
	}
	return count, weight
}

// printedWords returns the words of a line in lower case, with the signs value and digits for paths and numbers.
func printedWords(line string) []string {
	if strings.ContainsAny(line, `/\:(`) { // cheap tests first: the expressions take most of a hook's time
		line = filePlace().ReplaceAllString(line, " "+value+" ")
	}
	if strings.ContainsAny(line, "'\"`") {
		line = shortValue().ReplaceAllStringFunc(line, func(quoted string) string {
			return " " + value + strings.Trim(quoted, "'\"`") + " "
		})
	}
	if strings.ContainsAny(line, "0123456789") {
		line = number().ReplaceAllString(line, digits)
	}
	line = strings.ToLower(line)
	words := strings.FieldsFunc(line, func(r rune) bool {
		return !unicode.IsLetter(r) && !strings.ContainsRune(value+digits+cut+"_.'-", r)
	})
	for i, word := range words {
		words[i] = strings.Trim(word, ".'-")
	}
	return slices.DeleteFunc(words, func(word string) bool { return word == "" })
}

var (
	number = lazyregexp.New(`\d[\d.,:_-]*`)
	// shortValue matches one word in quotation marks, such as the name of a column.
	shortValue = lazyregexp.New("'[^'\"`\\s]{1,60}'|\"[^'\"`\\s]{1,60}\"|`[^'\"`\\s]{1,60}`")
	// filePlace matches a path, or a file with a line and perhaps a column. Places are not part of a message.
	filePlace = lazyregexp.New(`(?:[\w.@-]*[/\\])+[\w.@-]+(?:[:(]\d+(?:[:,]\d+)?\)?)?:?|` +
		`\b[\w-]+\.[a-z]{1,5}[:(]\d+(?:[:,]\d+)?\)?:?`)
	// everyFailure matches words that a program prints at failures of any kind.
	everyFailure = lazyregexp.New(`(?i)! \[(?:remote )?rejected\].*|\b(?:` + strings.Join([]string{
		`(?:error: )?failed to push some refs to?`, `could not read from remote repository`,
		`(?:docker: )?error response from daemon:?`,
		`failed to start`, `job for \S+ failed because.*`, `see "systemctl status.*`,
		`npm (?:error|err!)(?: code \w+| eresolve(?: could not resolve| unable to resolve dependency tree)?|` +
			` could not resolve dependency:| lifecycle.*| errno \S+)?`,
		`missing script:`, `to see a list of scripts, run:`,
		`error: (?:installation|upgrade|uninstall) failed:?`, `error from server(?: \(\w+\))?:?`,
		`planning failed\. terraform encountered.*`,
		`linking with .{1,8} failed: exit (?:status|code): \S+`, `error: could not compile.*`, `collect2: error: ld returned.*`,
		`make(?:\[\d+\])?: \*\*\*.*`, `build failed with an exception`, `execution failed for task.*`,
		`error: no matching distribution found for`,
		`(?:process|command) (?:completed|exited|failed) with exit (?:code|status).*`,
		`an error occurred \(\w+\) when calling the \w+ operation:?`,
		`traceback \(most recent call last\):?`, `caused by:?`, `panic: runtime error:`, `unhandled (?:promise )?rejection`,
		`no such file or directory`, `file or directory not found`, `(?:unable|failed) to open file`, `permission denied`,
		`(?:fatal|error)(?: \d+)?:`,
	}, "|") + `)`) // the \b before the group tries a match only at the start of a word, which takes a fifth of the time
)
