package recall

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// Candidate is a document that may be pointed to.
type Candidate struct {
	rag.Hit

	// Why says what the document has to do with the event. Text, if not "", is the whole pointer
	// instead of one made of the hit.
	Why, Text string
	// Remedy is the sentence to quote, "" for the best one of the hit. Notes follow it.
	Remedy, Notes string
}

// Choose returns the pointer to the first candidate that the session does not know, and keeps it in the session.
// Superseded documents are left out. The pointer is "" for nothing. With guard, deny says that the act must not
// happen before the pointer is read.
func Choose(
	s *Session, project string, e Event, candidates []Candidate, guard bool, now time.Time,
) (text string, deny bool) {
	act := e.Act()
	for _, c := range candidates {
		if text = c.pointer(); text == "" || c.SupersededBy != "" || s.Knows(project, c.Path) {
			continue
		}
		deny = guard && c.Level == catalog.Critical && (act == Running || act == Writing)
		switch {
		case deny:
			text += " Read it first. If the act still applies, repeat it: it is allowed then."
		case act == Delegating: // a subagent does not know the tools
			text += " Search for more with semantic_search, or ask rag_query."
		}
		if !s.HasRoom(len(text)) {
			continue
		}
		shown := Shown{
			Project: project, Path: c.Path, Event: e.Event, Why: c.Why, Score: c.Score, At: now.UTC().Truncate(time.Second),
			Call: s.Calls, Size: len(text),
		}
		if act == Failing {
			shown.Command = cutCommand(e.Command)
		}
		s.Shown = append(s.Shown, shown)
		return text, deny
	}
	return "", false
}

// memoryName begins each text, so that the assistant knows where it comes from.
const memoryName = "From this project's memory (compound-docs)"

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
// notes. It is "" for a document that does not fit in a line.
func (c Candidate) pointer() string {
	if c.Text != "" {
		return fitting(c.Path, c.Text)
	}
	text := fmt.Sprintf("%s: ./%s:%d-%d %q (%s)", memoryName, c.Path, c.StartLine, c.EndLine, cut(c.Title, maxPointerTitle), c.Why)
	room := maxPointer - utf8.RuneCountInString(text+c.Notes) - len(`: ""`)
	if sentence := c.sentence(); sentence != "" && room >= minPointerText {
		if quoted := fitting(c.Path, fmt.Sprintf("%s: %q%s", text, cut(sentence, min(room, maxPointerText)), c.Notes)); quoted != "" {
			return quoted
		}
	}
	return fitting(c.Path, text+c.Notes)
}

func cut(text string, limit int) string { return plain.Line(markdown.CutRunes(text, limit)) }

// Citing returns the pointer to a document that cites a place which is about to be edited.
func Citing(path, title, place string) string {
	return fmt.Sprintf("%s: ./%s %q cites %s. Read it before this edit.", memoryName, path, cut(title, maxPointerTitle), place)
}

// fitting returns the text of a hook that points to a document, and "" if the text is too
// long, or the path is too long or does not print.
func fitting(path, text string) string {
	if !plain.Prints(path) || utf8.RuneCountInString(path) > maxPointerPath || utf8.RuneCountInString(text) > maxPointer {
		return ""
	}
	return text
}

// sentence returns the remedy, or the sentence of the best passage that matters. If the passage is front
// matter, headings or links, it returns the summary or the solution. It is "" without a sentence.
func (c Candidate) sentence() string {
	_, solution, _ := strings.Cut("\n"+c.Content, "\nsolution: ")
	solution, _, _ = strings.Cut(solution, "\n")
	candidates := []string{c.Remedy, c.Summary, solution}
	if c.StartLine > 1 && isProse(c.Content) { // front matter begins at line 1
		candidates = []string{c.Remedy, c.Snippet, c.Summary}
	}
	for _, text := range candidates {
		text = strings.TrimLeft(strings.TrimPrefix(text, c.Title), " .:—-") // the pointer has the title already
		if isProse(text) {
			return text
		}
	}
	return ""
}

// IsListing reports whether most of a passage is headings, links and tables: it names subjects, and
// answers nothing.
func IsListing(content string) bool {
	return 2*letters(listed().ReplaceAllString(content, "")) < letters(content)
}

// notProse matches what a passage has beside sentences: headings, links, tables, and short fields such
// as "Status: accepted".
var notProse = lazyregexp.New(listedForm + `|^[-*> \t]*[\p{L}_ -]{1,24}\**:\**[ \t].{0,40}$`)

// listed matches headings, links and tables.
var listed = lazyregexp.New(listedForm)

const listedForm = `(?m)^[ \t]*(?:#+ |\|).*$|!?\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])|https?://\S+`

// isProse reports whether at least half of a text's letters are in sentences, and are enough for one.
func isProse(text string) bool {
	const fewest = 12
	sentences := letters(notProse().ReplaceAllString(text, ""))
	return sentences >= fewest && 2*sentences >= letters(text)
}

func letters(text string) (count int) {
	for _, r := range text {
		if unicode.IsLetter(r) {
			count++
		}
	}
	return count
}

// Reminder asks to write a document.
const Reminder = memoryName + ": if you found out what code, tests and AGENTS.md do not say, write it down now as a document, " +
	"and index_document it."

// Solved asks the same after a command that had failed has run.
const Solved = memoryName + ": this command had failed, and runs now. If the cause was not obvious, write it down " +
	"as a document, and index_document it."
