package answer

import (
	"crypto/rand"
	_ "embed"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/model"
)

//go:embed answer.prompt.md
var systemPrompt string

const (
	// tokenPlaceholder is the text in systemPrompt that the token of a request replaces.
	tokenPlaceholder = "TOKEN"
	// tokenLength gives a token 60 random bits, so that no document can guess the token.
	tokenLength = 12
	// chatTokens is room for the text that the model's chat template puts around the messages.
	chatTokens = 64
	// maxLabel bounds titles and paths in the prompt, in characters. A document may have a title of any length.
	maxLabel = 200
)

// delimiter writes the lines that begin and end a document in a prompt. The lines contain a random token of the
// request, so that no document can contain such a line.
type delimiter struct{ token string }

func newDelimiter() delimiter { return delimiter{token: rand.Text()[:tokenLength]} }

func (d delimiter) system() string {
	return strings.ReplaceAll(systemPrompt, tokenPlaceholder, d.token)
}

func (d delimiter) begin() string { return "<document " + d.token + ">\n" }

func (d delimiter) end() string { return "</document " + d.token + ">\n" }

// clean removes delimiters that the model has repeated in its text. It replaces unprintable characters.
func (d delimiter) clean(text string) string {
	for _, marker := range d.markers() {
		text = strings.ReplaceAll(text, marker, "")
	}
	return plain.Block(text).String()
}

// markers returns the forms in which the model may repeat a delimiter, longer forms first.
func (d delimiter) markers() []string {
	begin, end := strings.TrimSpace(d.begin()), strings.TrimSpace(d.end())
	return []string{end, begin, strings.TrimSuffix(end, ">"), strings.TrimSuffix(begin, ">"), d.token}
}

// delimiterFilter gives the pieces of the model's text to onText, without delimiters. If a piece ends with characters
// that may begin a delimiter, the filter keeps these characters until the next piece.
type delimiterFilter struct {
	delimiter

	onText func(text string)
	held   string
}

func (h *delimiterFilter) write(piece string) {
	if piece == "" && h.onText != nil { // the model is still reading
		h.onText("")
		return
	}
	all, keep := h.held+piece, 0
	for _, marker := range h.markers() {
		for n := min(len(marker), len(all)); n > keep; n-- {
			if strings.HasSuffix(all, marker[:n]) {
				keep = n
			}
		}
	}
	ready := len(all) - keep
	h.held = all[ready:]
	h.show(all[:ready])
}

// end gives onText the characters that were kept. No further piece may follow.
func (h *delimiterFilter) end() { h.show(h.held) }

func (h *delimiterFilter) show(text string) {
	text = h.clean(text)
	if text != "" && h.onText != nil {
		h.onText(text)
	}
}

// prompt returns the quotes and the question as the model sees them. Critical documents come first.
func (d delimiter) prompt(quotes []quote, question string) model.Prompt {
	var rules, others []quote
	for _, q := range quotes {
		if q.source.isRule() {
			rules = append(rules, q)
		} else {
			others = append(others, q)
		}
	}
	var b strings.Builder
	for _, q := range append(rules, others...) {
		b.WriteString(d.begin())
		b.WriteString(q.source.labels())
		for _, run := range q.runs() {
			if len(q.chosen) < len(q.source.passages) || q.excerpt != "" { // parts of the document are left out
				b.WriteString(passageLabel(q.source.passages[run[0]], q.source.passages[run[len(run)-1]]))
			}
			for _, i := range run {
				b.WriteString(q.text(i))
				b.WriteString("\n")
			}
		}
		b.WriteString(d.end())
	}
	return model.Prompt{System: d.system(), User: b.String() + "\nQuestion: " + question}
}

// labels returns a line with facts about a document, for the model to read before the document's text.
func (s source) labels() string {
	return fmt.Sprintf("path=%q title=%q note=%q\n", lastRunes(catalog.Shown(s.Path)), markdown.CutRunes(s.Title, maxLabel), s.note)
}

// passageLabel returns a line that says on which lines a run of passages begins and ends, and below which headings.
func passageLabel(first, last rag.Hit) string {
	return fmt.Sprintf("[… lines %d to %d, %s]\n", first.StartLine, last.EndLine, markdown.CutRunes(first.HeaderPath, maxLabel))
}

// lastRunes shortens a path to its last maxLabel characters, because the end of a path tells more than the beginning.
func lastRunes(path string) string {
	surplus := utf8.RuneCountInString(path) - maxLabel
	if surplus <= 0 {
		return path
	}
	runes := []rune(path)
	return "…" + string(runes[surplus+1:])
}

func (d delimiter) frameTokens(s source) int {
	return promptTokens(d.begin()) + promptTokens(s.labels()) + promptTokens(d.end())
}

// promptTokens estimates how many tokens a text has for a language model. The estimate is often too high, and seldom too
// low. It also depends on the number of characters, because a language model has tokens for white space.
func promptTokens(text string) int {
	return max(markdown.EstimateTokens(text), (utf8.RuneCountInString(text)+runesPerToken-1)/runesPerToken)
}

// runesPerToken is the greatest number of characters that the tokens of a text have on average.
const runesPerToken = 6

func cutToTokens(text string, limit int) string {
	return markdown.CutTokens(markdown.CutRunes(text, runesPerToken*limit), limit)
}
