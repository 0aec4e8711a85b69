package hooks

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// memoryName begins each text of a hook, and tells the assistant who speaks.
const memoryName = "From this project's memory (compound-docs)"

const (
	// reminder asks the assistant to write a document.
	reminder = memoryName + ": if you found out what code, tests and AGENTS.md do not say, write it down now as a document, " +
		"and index_document it."
	// solved asks for a document when a command succeeds after an earlier failure.
	solved = memoryName + ": this command had failed, and runs now. If the cause was not obvious, write it down " +
		"as a document, and index_document it."
)

const (
	// maxPointer bounds a pointer in characters: approximately 80 tokens. The next three constants bound parts of it.
	maxPointer      = 400
	maxPointerPath  = 200
	maxPointerTitle = 60
	maxPointerText  = 120
	// minPointerText is the least room for a sentence. A pointer with less room has no sentence.
	minPointerText = 40
)

// pointer returns one line about a document: path, lines, title, reason, a sentence of the document, and notes. It
// returns "" if the line would be too long, or if the path has characters that do not print.
func (c candidate) pointer() string {
	if !plain.Prints(c.Path) || utf8.RuneCountInString(c.Path) > maxPointerPath {
		return ""
	}
	reasons := []string{c.why, c.Mark(), c.Date}
	if c.Level == catalog.Critical {
		reasons = append(reasons, string(c.Level))
	}
	reasons = slices.DeleteFunc(reasons, func(reason string) bool { return reason == "" })
	text := fmt.Sprintf("%s: %s (%s)", memoryName, c.place(), plain.Line(strings.Join(reasons, "; ")))
	room := maxPointer - utf8.RuneCountInString(text+c.notes)
	if most := room - len(`: ""`); most >= minPointerText {
		sentence := fmt.Sprintf(": %q", plain.Line(markdown.CutRunes(c.sentence(), min(most, maxPointerText))))
		if sentence != `: ""` && utf8.RuneCountInString(sentence) <= room { // %q may lengthen the sentence
			text += sentence
		}
	}
	if room < 0 {
		return ""
	}
	return text + c.notes
}

// place returns the path, the lines and the title of a document.
func (c candidate) place() string {
	lines := ""
	if c.StartLine > 0 {
		lines = fmt.Sprintf(":%d-%d", c.StartLine, c.EndLine)
	}
	return fmt.Sprintf("./%s%s %q", c.Path, lines, plain.Line(markdown.CutRunes(c.Title, maxPointerTitle)))
}

// sentence returns the sentence to quote from a document, or "". A sentence in a trigger comes first, then the remedy.
// Next comes the sentence about the quote, or the snippet of the passage. The last choices are the document's summary
// and solution, for example if the passage is front matter, headings or links.
func (c candidate) sentence() string {
	_, solution, _ := strings.Cut("\n"+c.Content, "\nsolution: ")
	solution, _, _ = strings.Cut(solution, "\n")
	texts := []string{c.remedy, c.Summary, solution}
	switch {
	case c.scope || c.quote != "":
		texts = []string{c.remedy, c.aboutQuote(), firstSentence(c.Content), solution, c.Summary}
	case c.StartLine > 1 && isProse(c.Content): // front matter begins at line 1
		texts = []string{c.remedy, c.Snippet, c.Summary}
	}
	if c.rule != "" && c.remedy != "" {
		return c.remedy
	}
	for _, text := range texts {
		text = strings.TrimLeft(strings.TrimPrefix(text, c.Title), " .:—-") // the pointer has the title already
		if isProse(text) {
			return text
		}
	}
	return ""
}

var (
	codeOrListing = lazyregexp.New("(?ms)^[ \\t]*(?:```.*?(?:^[ \\t]*```|\\z)|(?:#+ |\\|)[^\\n]*$)")
	// itemStart matches an empty line, the start of a list item, and the name of a field in front matter.
	itemStart   = lazyregexp.New(`(?:^|\n)\s*(?:\n|[-*>]\s|\d+\.\s|[a-z][a-z_]*:\s)`)
	sentenceEnd = lazyregexp.New("([.!?][\"')*]*)\\s+([\\p{Lu}`*])")
)

// aboutQuote returns the sentence of the passage with the most words of the quote, at least half of the words. If only
// a line of code has so many, aboutQuote returns the sentence before the code and that line, and otherwise "".
func (c candidate) aboutQuote() string {
	words := strings.Fields(strings.ToLower(c.quote))
	count := func(text string) int {
		text = strings.ToLower(text)
		return len(slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !strings.Contains(text, word) }))
	}
	best, most := "", (len(words)-1)/2
	for _, sentence := range sentencesOf(c.Content) {
		if n := count(sentence); n > most {
			best, most = sentence, n
		}
	}
	if best != "" {
		return best
	}
	before := ""
	for line := range strings.Lines(c.Content) {
		if count(line) > most {
			sentences := sentencesOf(before[:max(0, strings.LastIndex(before, fence))])
			return strings.TrimSpace(strings.Join(sentences[max(0, len(sentences)-1):], "") + " " + strings.TrimSpace(line))
		}
		before += line
	}
	return ""
}

// firstSentence returns the first sentence with at least fewestLetters letters, or "".
func firstSentence(text string) string {
	for _, sentence := range sentencesOf(text) {
		if markdown.Letters(sentence) >= fewestLetters {
			return sentence
		}
	}
	return ""
}

// behindQuote returns the text behind a quoted message, which usually explains the message: the rest of the sentence or
// of the table row, or the next sentence. It returns "" if there is no such text.
func (c candidate) behindQuote() string {
	before, rest, found := strings.Cut(c.Content, c.quote)
	if c.quote == "" || !found {
		return ""
	}
	if row, _, _ := strings.Cut(rest, "\n"); strings.HasPrefix(before[strings.LastIndex(before, "\n")+1:], "|") {
		rest = strings.Join(strings.FieldsFunc(row, func(r rune) bool { return r == '|' }), "; ")
	}
	if strings.Count("\n"+before, fence)%2 == 1 { // in a block of code
		_, rest, _ = strings.Cut(rest, fence)
	}
	rest = strings.TrimLeft(strings.TrimPrefix(rest, "`"), "*\"”:;,.)–— \t\n")
	return firstSentence(rest)
}

const (
	// sentenceMark separates sentences and list items. fence begins and ends a block of code.
	sentenceMark = "\x00"
	fence        = "\n```"
	// fewestLetters is the least number of letters in a sentence.
	fewestLetters = 12
)

// sentencesOf returns the sentences and list items of a text, each in one line. It skips code, headings and tables.
func sentencesOf(text string) []string {
	text = itemStart().ReplaceAllString(codeOrListing().ReplaceAllString(text, ""), sentenceMark)
	text = sentenceEnd().ReplaceAllString(text, "$1"+sentenceMark+"$2")
	var sentences []string
	for sentence := range strings.SplitSeq(text, sentenceMark) {
		sentence = strings.Join(strings.Fields(sentence), " ")
		if sentence != "" {
			sentences = append(sentences, sentence)
		}
	}
	return sentences
}

// notProse matches headings, links, tables, and short fields such as "Status: accepted".
var notProse = lazyregexp.New(markdown.ListedForm + `|^[-*> \t]*[\p{L}_ -]{1,24}\**:\**[ \t].{0,40}$`)

// isProse reports whether at least half of a text's letters, and at least fewestLetters letters, are in sentences.
func isProse(text string) bool {
	sentences := markdown.Letters(notProse().ReplaceAllString(text, ""))
	return sentences >= fewestLetters && 2*sentences >= markdown.Letters(text)
}
