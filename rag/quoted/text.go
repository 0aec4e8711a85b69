package quoted

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/compound-docs/compound-docs/rag/markdown"
)

// Text returns the documents that warn of something in a text which is about to be written, best first: the
// text has what they say is not to be done, or two things that they speak of.
func (b *Book) Text(text string) []Match {
	text = strings.Join(strings.Fields(text), " ")
	lower := strings.ToLower(text)
	words := wordsOf(lower)
	return b.match(func(quotes []quote) Match { return b.matchText(quotes, text, lower, words) })
}

// named is the weight of a quote that the document has in its title and does not warn of.
const named = .9

// matchText finds what a document quotes in a text: the longest quotes first, and no part of another.
func (b *Book) matchText(quotes []quote, text, lower string, words map[string]bool) (best Match) {
	const fewDocuments, phrase, statement = 2, 3, 4 // so many words that stand together say more than a name
	var found []string
	for _, q := range quotes {
		if q.Advice == markdown.Advised || !words[q.key] || b.names[q.folded] > fewDocuments || !q.standsIn(text, lower) ||
			slices.ContainsFunc(found, func(other string) bool { return contains(other, q.folded) }) {
			continue
		}
		found = append(found, q.folded)
		weight := 0.0
		switch words := len(strings.Fields(q.Text)); {
		case !isTelling(q.Text):
		case words >= statement:
			weight = 1.5
		case words >= phrase, q.Advice == markdown.Warned:
			weight = 1
		case q.titled:
			weight = named
		default:
			weight = .5
		}
		if best.Text == "" || weight > best.Weight {
			best = Match{Weight: weight, Text: q.Text}
		}
	}
	if best.Weight > 0 {
		best.Weight += float64(len(found) - 1)
	}
	if best.Weight < named {
		return Match{}
	}
	return best
}

// standsIn reports whether a text has the quote, the parts between ellipses in their order. Case counts in a
// name that is written in both. lower is the text folded.
func (q quote) standsIn(text, lower string) bool {
	quote := q.Text
	if !hump.MatchString(strings.TrimSuffix(quote, "()")) {
		text, quote = lower, q.folded
	}
	if name, isCall := strings.CutSuffix(quote, "()"); isCall && isTelling(name) {
		quote = name + "("
	}
	for part := range strings.SplitSeq(strings.ReplaceAll(quote, "…", "..."), "...") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		at := index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return true
}

// Output returns the documents that quote a line which a program has printed, the longest quote first. Numbers
// may differ. A line that several documents quote says nothing.
func (b *Book) Output(output string) []Match {
	const fewDocuments = 2
	output = masked(output)
	words := wordsOf(output)
	return b.match(func(quotes []quote) Match {
		for _, q := range quotes {
			if words[q.key] && b.names[q.printed] <= fewDocuments && contains(output, q.printed) {
				return Match{Weight: float64(len(q.printed)), Text: q.Text}
			}
		}
		return Match{}
	})
}

var number = regexp.MustCompile(`\d[\d.,:_-]*`)

// masked folds a text, and puts # for each number.
func masked(text string) string { return number.ReplaceAllString(folded(text), "#") }

// isMessage reports whether a quote has enough words to be the message of one error.
func isMessage(text string) bool {
	const fewestWords, fewestLetters = 3, 14
	words, letters := 0, 0
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words, letters = words+1, letters+len(word)
	}
	return words >= fewestWords && letters >= fewestLetters
}

// isTelling reports whether a quote is more than a word that stands in any text.
func isTelling(text string) bool {
	return strings.ContainsAny(text, " .:#(=*") || hump.MatchString(text)
}
