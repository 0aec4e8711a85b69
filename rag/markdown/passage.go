package markdown

import "strings"

// Passage is the unit of search and embedding. It is a document, a section, or a part of a section that fits the
// embedding model's window.
type Passage struct {
	// HeaderPath names the section, as in "## Root cause > ### Database layer". It is "" before the first heading and in a
	// document of one passage.
	HeaderPath string
	// StartLine and EndLine are the first and the last line in the file, counted from 1.
	StartLine, EndLine int
	// Text is the lines StartLine to EndLine, joined by LF, without blank lines at its beginning and end. A line that
	// alone exceeds the window is split, and then Text is a part of the line. In a small window, Text may leave out
	// headings at its beginning, if HeaderPath repeats them. A passage that begins in the middle of a table repeats the
	// table's header, if there is room.
	Text string
}

// Limit bounds the size of passages.
type Limit struct {
	// MaxTokens bounds the embedded text (heading, blank line and text), as [EstimateTokens] counts. It is at least 192.
	MaxTokens int
	// SplitLines bounds the lines of a document that is one passage. A longer document is split at its headings.
	SplitLines int
}

// DefaultLimit suits an embedding model with a window of 512 tokens.
func DefaultLimit() Limit { return Limit{MaxTokens: 480, SplitLines: 500} }

// Bounds of the title and the path in [Heading], in estimated tokens. At least 64 tokens are left for the text.
const (
	maxTitleTokens = 64
	maxPathTokens  = 64
)

// Heading returns what is searched and embedded with a passage's text: the title, a newline and the header path. An
// empty part is left out. A title of more than 64 estimated tokens loses its end, and a path of more than 64 loses its
// first headings.
func Heading(title, headerPath string) string {
	title = CutTokens(title, maxTitleTokens)
	for EstimateTokens(headerPath) > maxPathTokens {
		_, rest, found := strings.Cut(headerPath, pathSeparator)
		if !found {
			headerPath = CutTokens(headerPath, maxPathTokens)
			break
		}
		headerPath = rest
	}
	if title == "" || headerPath == "" {
		return title + headerPath
	}
	return title + "\n" + headerPath
}

// Passages cuts the document into passages, in the order of the file. heading is the title to embed with each passage.
// Each line after the front matter belongs to a passage, except blank lines. Without such lines there are no passages.
func (d *Document) Passages(heading string, limit Limit) []Passage {
	p := packer{outline: &d.outline}
	budget := func(s section) int { return limit.MaxTokens - EstimateTokens(Heading(heading, s.path)) }

	sections := []section{d.outline.whole()}
	if s := sections[0]; d.LineCount > limit.SplitLines || d.outline.tokens(s.start, s.end) > budget(s) {
		sections = d.outline.sections(heading)
	}
	p.passages = make([]Passage, 0, len(sections))
	for _, s := range sections {
		p.section(s, budget(s))
	}
	return p.passages
}
