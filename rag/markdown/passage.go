package markdown

import "strings"

// Passage is the unit of search and embedding: a section, or a part of one, that fits the embedding
// model's window.
type Passage struct {
	// HeaderPath names the section, as in "## Root cause > ### Database layer".
	// It is "" before the first heading and for a document in one passage.
	HeaderPath string
	// StartLine and EndLine are 1-based lines of the file, inclusive, with the front matter counted.
	StartLine, EndLine int
	// Text is the lines StartLine to EndLine, joined by LF, without blank ones at either end. It is a part of a line if that
	// line alone exceeds the window. In a small window headings at StartLine are left out, because HeaderPath has them.
	// Each passage with rows of a table begins with the table's header, even if that stands before StartLine.
	Text string
}

// Limit bounds passages; see [DefaultLimit].
type Limit struct {
	// MaxTokens bounds EstimateTokens of what is embedded: heading, blank line and text. It is at least 192.
	MaxTokens int
	// SplitLines is the number of lines over which a document is split at its
	// headings even if it fits MaxTokens.
	SplitLines int
}

// DefaultLimit suits a window of 512 tokens.
func DefaultLimit() Limit { return Limit{MaxTokens: 480, SplitLines: 500} }

// Bounds of what Heading returns, in estimated tokens. They leave 64 of the smallest window to the text.
const (
	maxTitleTokens = 64
	maxPathTokens  = 64
)

// Heading returns what is searched and embedded with a passage's text: the title, a newline and the header
// path. Each is left out when empty, and shortened when over 64 estimated tokens. A path keeps its end.
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

// Passages cuts the document into passages, in the order of the file. heading is the title that every passage
// is embedded with. Every line behind the front matter that is not blank is within the lines of a passage. A
// document without such a line has no passages.
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
