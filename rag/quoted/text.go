package quoted

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/rag/markdown"
)

// Text returns the documents that warn of something in a text which is about to be written, best first: the
// text has what they say is not to be done, or two things that they speak of.
func (b *Book) Text(text string) []Match {
	if b == nil {
		return nil
	}
	text = strings.Join(strings.Fields(text), " ")
	lower := strings.ToLower(text)
	var matches []Match
	for _, i := range b.withKeys(lower, nil) {
		if m := b.matchText(b.documents[i], text, lower); m.Weight > 0 {
			m.Document = i
			matches = append(matches, m)
		}
	}
	slices.SortStableFunc(matches, func(a, b Match) int { return int(2*b.Weight) - int(2*a.Weight) })
	return matches
}

// named is the weight of a quote that the document has in its title and does not warn of.
const named = .9

// matchText finds what a document quotes in a text: the longest quotes first, and no part of another.
func (b *Book) matchText(d document, text, lower string) (best Match) {
	const fewest, fewDocuments = 4, 2
	var found []string
	for _, q := range d.byLength {
		if len(key(q.folded)) < fewest || b.names[q.folded] > fewDocuments || !q.standsIn(text, lower) ||
			slices.ContainsFunc(found, func(other string) bool { return contains(other, q.folded) }) {
			continue
		}
		found = append(found, q.folded)
		weight := 0.0
		if isTelling(q.Text) {
			const phrase, statement = 3, 4 // words that stand together say more than a name
			switch words := len(strings.Fields(q.Text)); {
			case words >= statement:
				weight = 1.5
			case words >= phrase, q.Advice == markdown.Warned:
				weight = 1
			case q.titled:
				weight = named
			default:
				weight = .5
			}
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
	if b == nil {
		return nil
	}
	const fewDocuments = 2
	output = masked(output)
	var matches []Match
	for _, i := range b.withKeys(output, nil) {
		best := Match{Document: i}
		for _, q := range b.documents[i].quotes {
			size := float64(len(q.printed))
			if size > best.Weight && b.names[q.printed] <= fewDocuments && contains(output, q.printed) {
				best.Weight, best.Text = size, q.Text
			}
		}
		if best.Weight > 0 {
			matches = append(matches, best)
		}
	}
	slices.SortStableFunc(matches, func(a, b Match) int { return cmp.Compare(b.Weight, a.Weight) })
	return matches
}

var number = regexp.MustCompile(`\d[\d.,:_-]*`)

// masked folds a text, and puts # for each number.
func masked(text string) string { return number.ReplaceAllString(folded(text), "#") }

// isMessage reports whether a quote has enough words to be the message of one error.
func isMessage(text string) bool {
	const fewestWords, fewestLetters = 3, 14
	words, letters := 0, 0
	for word := range strings.FieldsFuncSeq(text, isBetween) {
		words, letters = words+1, letters+len(word)
	}
	return words >= fewestWords && letters >= fewestLetters
}

// isTelling reports whether a quote is more than a word that stands in any text.
func isTelling(text string) bool {
	return strings.ContainsAny(text, " .:#(=*") || hump.MatchString(text)
}
