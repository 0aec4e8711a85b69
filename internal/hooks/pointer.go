package hooks

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/internal/plain"
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

// pointer names a document in one line: path, lines, title, why, the sentence that matters, and
// notes. It is "" for a document that does not fit in a line, or whose path does not print.
func (c candidate) pointer() string {
	if !plain.Prints(c.Path) || utf8.RuneCountInString(c.Path) > maxPointerPath {
		return ""
	}
	title := plain.Line(markdown.CutRunes(c.Title, maxPointerTitle))
	text := fmt.Sprintf("%s: ./%s:%d-%d %q (%s)", memoryName, c.Path, c.StartLine, c.EndLine, title, plain.Line(c.reason()))
	forms := []string{text + c.notes}
	room := maxPointer - utf8.RuneCountInString(text+c.notes) - len(`: ""`)
	sentence := c.sentence()
	switch {
	case c.cites != "":
		forms[0] = fmt.Sprintf("%s: ./%s %q cites %s. Read it before this edit.", memoryName, c.Path, title, c.cites)
		if mark := c.Mark(); mark != "" {
			forms[0] = fmt.Sprintf("%s: ./%s %q cites %s. It is %s.", memoryName, c.Path, title, c.cites, plain.Line(mark))
		}
	case sentence != "" && room >= minPointerText:
		sentence = plain.Line(markdown.CutRunes(sentence, min(room, maxPointerText)))
		forms = []string{fmt.Sprintf("%s: %q%s", text, sentence, c.notes), forms[0]} // %q may make it too long
	}
	fits := func(form string) bool { return utf8.RuneCountInString(form) <= maxPointer }
	if i := slices.IndexFunc(forms, fits); i >= 0 {
		return forms[i]
	}
	return ""
}

// reason says why the document is pointed to, and its mark.
func (c candidate) reason() string {
	if mark := c.Mark(); mark != "" {
		return c.why + "; " + mark
	}
	return c.why
}

// sentence returns the remedy, or the sentence of the best passage that matters. If the passage is front
// matter, headings or links, it returns the summary or the solution. It is "" without a sentence.
func (c candidate) sentence() string {
	_, solution, _ := strings.Cut("\n"+c.Content, "\nsolution: ")
	solution, _, _ = strings.Cut(solution, "\n")
	texts := []string{c.remedy, c.Summary, solution}
	if c.StartLine > 1 && isProse(c.Content) { // front matter begins at line 1
		texts = []string{c.remedy, c.Snippet, c.Summary}
	}
	for _, text := range texts {
		text = strings.TrimLeft(strings.TrimPrefix(text, c.Title), " .:—-") // the pointer has the title already
		if isProse(text) {
			return text
		}
	}
	return ""
}

const listedForm = `(?m)^[ \t]*(?:#+ |\|).*$|!?\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])|https?://\S+`

var (
	// listed matches headings, links and tables.
	listed = lazyregexp.New(listedForm)
	// notProse also matches short fields such as "Status: accepted".
	notProse = lazyregexp.New(listedForm + `|^[-*> \t]*[\p{L}_ -]{1,24}\**:\**[ \t].{0,40}$`)
)

// isListing reports whether most of a passage is headings, links and tables: it names subjects, and
// answers nothing.
func isListing(content string) bool {
	return 2*letters(listed().ReplaceAllString(content, "")) < letters(content)
}

// isProse reports whether at least half of a text's letters are in sentences, and are enough for one.
func isProse(text string) bool {
	const fewest = 12
	sentences := letters(notProse().ReplaceAllString(text, ""))
	return sentences >= fewest && 2*sentences >= letters(text)
}

func letters(text string) int {
	count := 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			count++
		}
	}
	return count
}
