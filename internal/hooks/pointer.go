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

// memoryName begins each text, so that the assistant knows where it comes from.
const memoryName = "From this project's memory (compound-docs)"

const (
	// reminder asks to write a document.
	reminder = memoryName + ": if you found out what code, tests and AGENTS.md do not say, write it down now as a document, " +
		"and index_document it."
	// solved asks the same after a command that had failed has run.
	solved = memoryName + ": this command had failed, and runs now. If the cause was not obvious, write it down " +
		"as a document, and index_document it."
)

const (
	// maxPointer bounds a pointer, in characters: about 80 tokens. The others bound its parts.
	maxPointer      = 400
	maxPointerPath  = 200
	maxPointerTitle = 60
	maxPointerText  = 120
	// minPointerText is less than a sentence needs.
	minPointerText = 40
)

// pointer names a document in one line: path, lines, title, what helps to judge it, the sentence that matters, and
// notes. It is "" for a document that does not fit in a line, or whose path does not print.
func (c candidate) pointer() string {
	if !plain.Prints(c.Path) || utf8.RuneCountInString(c.Path) > maxPointerPath {
		return ""
	}
	text := fmt.Sprintf("%s: %s (%s)", memoryName, c.place(), plain.Line(c.reason()))
	room := maxPointer - utf8.RuneCountInString(text+c.notes)
	if most := room - len(`: ""`); most >= minPointerText {
		sentence := fmt.Sprintf(": %q", plain.Line(markdown.CutRunes(c.sentence(), min(most, maxPointerText))))
		if sentence != `: ""` && utf8.RuneCountInString(sentence) <= room { // %q may make it too long
			text += sentence
		}
	}
	if room < 0 {
		return ""
	}
	return text + c.notes
}

// place names a document by path, lines and title.
func (c candidate) place() string {
	lines := ""
	if c.StartLine > 0 {
		lines = fmt.Sprintf(":%d-%d", c.StartLine, c.EndLine)
	}
	return fmt.Sprintf("./%s%s %q", c.Path, lines, plain.Line(markdown.CutRunes(c.Title, maxPointerTitle)))
}

// reason says why the document is pointed to, whether it holds, and of when it is.
func (c candidate) reason() string {
	parts := []string{c.why, c.Mark(), c.Date}
	if c.Level == catalog.Critical {
		parts = append(parts, string(c.Level))
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; ")
}

// sentence returns the remedy, the rule in the best passage, or the part of it that matters. If the passage is front
// matter, headings or links, it returns the summary or the solution. It is "" without a sentence.
func (c candidate) sentence() string {
	_, solution, _ := strings.Cut("\n"+c.Content, "\nsolution: ")
	solution, _, _ = strings.Cut(solution, "\n")
	texts := []string{c.remedy, c.Summary, solution}
	hasQuote := c.quote != "" && strings.Contains(c.Content, c.quote)
	if (c.StartLine > 1 || hasQuote) && isProse(c.Content) { // front matter begins at line 1
		texts = []string{c.remedy, c.rule(), c.Snippet, c.Summary}
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
	itemStart     = lazyregexp.New(`(?:^|\n)\s*(?:\n|[-*>]\s|\d+\.\s)`)
	sentenceEnd   = lazyregexp.New("([.!?][\"')*]*)\\s+([\\p{Lu}`*])")
	ruling        = lazyregexp.New(`(?i)\b(?:never|must|do not|don't|always|avoid|instead|forbidden)\b`)
)

// rule returns the sentence of the passage that says what to do: one with the quote before one of the snippet, before any
// other. If only a block of code has the quote, it is the sentence before the block.
func (c candidate) rule() string {
	best, most := "", 0
	for sentence := range strings.SplitSeq(sentencesOf(c.Content), sentenceMark) {
		sentence = strings.Join(strings.Fields(sentence), " ")
		isRule, hasQuote := ruling().MatchString(sentence), c.quote != "" && strings.Contains(sentence, c.quote)
		hasSpan := hasQuote && strings.Contains(sentence, "`"+c.quote+"`")
		isShown := strings.Contains(c.Snippet, sentence[:min(len(sentence), minPointerText)])
		for weight, is := range []bool{false, isRule, isRule && isShown, hasQuote, hasQuote && isRule, hasSpan, hasSpan && isRule} {
			if is && weight > most {
				best, most = sentence, weight
			}
		}
	}
	const withQuote = 3
	before, _, isInBlock := strings.Cut(c.Content, "\n"+c.quote)
	if c.quote == "" || most >= withQuote || !isInBlock {
		return best
	}
	before = before[:max(0, strings.LastIndex(before, fence))]
	sentences := strings.Split(strings.TrimSpace(sentencesOf(before)), sentenceMark)
	return strings.Join(strings.Fields(sentences[len(sentences)-1]+" "+c.quote), " ")
}

// behindQuote returns what explains a message: the rest of its sentence, or of its row, or the next sentence. It is "" without
// one.
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
	for sentence := range strings.SplitSeq(sentencesOf(rest), sentenceMark) {
		sentence = strings.Join(strings.Fields(sentence), " ")
		if markdown.Letters(sentence) >= fewestLetters {
			return sentence
		}
	}
	return ""
}

const (
	// sentenceMark is between the sentences and items of a text, and fence begins and ends a block of code.
	sentenceMark = "\x00"
	fence        = "\n```"
	// fewestLetters are in a sentence.
	fewestLetters = 12
)

// sentencesOf returns a text without code blocks, headings and tables, its sentences apart.
func sentencesOf(text string) string {
	text = itemStart().ReplaceAllString(codeOrListing().ReplaceAllString(text, ""), sentenceMark)
	return sentenceEnd().ReplaceAllString(text, "$1"+sentenceMark+"$2")
}

// notProse matches headings, links, tables, and short fields such as "Status: accepted".
var notProse = lazyregexp.New(markdown.ListedForm + `|^[-*> \t]*[\p{L}_ -]{1,24}\**:\**[ \t].{0,40}$`)

// isProse reports whether at least half of a text's letters are in sentences, and are enough for one.
func isProse(text string) bool {
	sentences := markdown.Letters(notProse().ReplaceAllString(text, ""))
	return sentences >= fewestLetters && 2*sentences >= markdown.Letters(text)
}
