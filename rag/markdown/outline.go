package markdown

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

const (
	pathSeparator = " > "
	// maxHeadingRunes bounds each heading in a header path, in characters.
	maxHeadingRunes = 200
	// splitLevel is the level of the deepest headings that begin a section.
	splitLevel = 3
)

// outline is the structure of a document, for splitting it into passages. All line numbers here are indexes into lines.
type outline struct {
	lines []string // of the whole file
	body  int      // first line after the front matter
	// depth has for each line the nesting depth of the outermost block that begins there: 0 at the top level, 1 for the
	// items of a list. It is insideBlock if no block begins on the line.
	depth []uint8
	// headings are the headings in order, without headings inside a list or a quote.
	headings []Headline
	tenths   []int // tenths[i] is the estimate for all lines before line i, in tenths of a token
}

const (
	// maxDepth is the greatest depth in outline.depth. Deeper blocks get this depth too.
	maxDepth    = 16
	insideBlock = 255
)

// Headline is a heading of a document's text.
type Headline struct {
	Line  int // index in [Document.Lines]
	Level int // 1 to 6
	Text  string
}

// newOutline returns an outline without blocks and headings. Parsing the text adds both.
func newOutline(lines []string, body int) outline {
	o := outline{lines: lines, body: body, depth: slices.Repeat([]uint8{insideBlock}, len(lines)), tenths: make([]int, len(lines)+1)}
	for i := body; i < len(lines); i++ {
		o.tenths[i+1] = o.tenths[i] + estimateTenths(lines[i])
	}
	return o
}

// tokens estimates the tokens of the lines [start, end).
func (o *outline) tokens(start, end int) int { return ceilDiv(o.tenths[end]-o.tenths[start], 10) }

// text joins the lines [start, end).
func (o *outline) text(start, end int) string { return strings.Join(o.lines[start:end], "\n") }

// Lines returns the lines of the file, with secrets masked and comments blanked.
func (d *Document) Lines() []string { return d.outline.lines }

// Headlines returns the headings of the text in order, without headings inside a list or a quote.
func (d *Document) Headlines() []Headline { return d.outline.headings }

// FirstSection returns the line of the first heading of level 2 to 6, or the number of lines if no such heading exists.
func (d *Document) FirstSection() int {
	for _, h := range d.outline.headings {
		if h.Level > 1 {
			return h.Line
		}
	}
	return len(d.outline.lines)
}

// TextLines visits the lines of text, with their indexes in [Document.Lines]. It skips front matter and blocks of code.
// If a block of code begins the text, as in a proposal for Bitcoin, TextLines visits the fields in this block.
func (d *Document) TextLines() iter.Seq2[int, string] {
	return d.outline.textLines(len(d.outline.lines))
}

// textLines is [Document.TextLines] for the lines with an index below end.
func (o *outline) textLines(end int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		block, isHeader, isIndented := "", true, false
		for i := o.body; i < end; i++ {
			line := o.lines[i]
			isDeep := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
			isIndented = isDeep && (isIndented || o.depth[i] == 0) || isIndented && blank(line)
			isText := !isIndented
			if isText {
				block, isText = BlockBehind(block, line)
			}
			isHeader = isHeader && (!isText || blank(line))
			if (isText || isHeader && fieldStart().MatchString(strings.TrimSpace(line))) && !yield(i, line) {
				return
			}
		}
	}
}

// trim returns the range [start, end) without blank lines at its beginning and end.
func (o *outline) trim(start, end int) (int, int) {
	for start < end && blank(o.lines[start]) {
		start++
	}
	for start < end && blank(o.lines[end-1]) {
		end--
	}
	return start, end
}

// isHeading reports whether a heading of any level begins at the line.
func (o *outline) isHeading(line int) bool {
	_, found := slices.BinarySearchFunc(o.headings, line, func(h Headline, line int) int { return h.Line - line })
	return found
}

// introduces reports whether the block [start, end) ends with a colon.
func (o *outline) introduces(start, end int) bool {
	start, end = o.trim(start, end)
	return start < end && o.depth[start] != insideBlock &&
		strings.HasSuffix(strings.TrimRight(o.lines[end-1], " \t*_"), ":")
}

// section is a part of a document. It begins at a heading of level 1 to 3 and ends before the next such heading. The
// first section is the text before the first such heading.
type section struct {
	start, end int
	level      int    // of the section's heading, 0 without a heading
	path       string // the header path of the section's passages
	// carried are the lines of the headings whose text is in path or in the title.
	carried []int
}

// whole returns the whole document as one section.
func (o *outline) whole() section {
	start, end := o.trim(o.body, len(o.lines))
	return section{start: start, end: end}
}

// sections splits the document at its headings. A section that has only headings joins the next section with text. At
// the end of the document, it joins the previous section. If no section has text, the whole document is one section.
// title is embedded with each passage, so header paths leave out a heading that is the title.
func (o *outline) sections(title string) []section {
	var joined []section
	pending := -1 // first line of the sections that will join the next one, -1 for none
	for _, s := range o.split(title) {
		holdsText := false // more than headings and blank lines
		for line := s.start; line < s.end; line++ {
			holdsText = holdsText || o.depth[line] == 0 && !o.isHeading(line)
		}
		switch {
		case holdsText:
			if pending >= 0 {
				s.start, pending = pending, -1
			}
			joined = append(joined, s)
		case pending < 0:
			pending = s.start
		}
	}
	if len(joined) == 0 {
		return []section{o.whole()}
	}
	joined[len(joined)-1].end = len(o.lines)
	return joined
}

func (o *outline) split(title string) []section {
	isTitle := o.titles(title)
	sections := []section{{start: o.body}}
	current := &sections[0]
	var ancestors [splitLevel + 1]*Headline
	for i := range o.headings {
		h := &o.headings[i]
		if h.Level > splitLevel {
			continue
		}
		ancestors[h.Level] = h
		clear(ancestors[h.Level+1:])
		if current.level == 0 && isTitle(h) {
			current.carried = append(current.carried, h.Line)
			continue
		}
		current.end = h.Line
		next := section{start: h.Line, level: h.Level}
		var path []string
		for _, a := range ancestors {
			if a == nil {
				continue
			}
			next.carried = append(next.carried, a.Line)
			if a.Text != "" && !isTitle(a) {
				path = append(path, fmt.Sprintf("%s %s", strings.Repeat("#", a.Level), CutRunes(a.Text, maxHeadingRunes)))
			}
		}
		next.path = strings.Join(path, pathSeparator)
		sections = append(sections, next)
		current = &sections[len(sections)-1]
	}
	current.end = len(o.lines)
	return sections
}

// titles returns a function that reports whether a heading is the title: the only H1, or an H1 whose text is title.
func (o *outline) titles(title string) func(*Headline) bool {
	count := 0
	for _, h := range o.headings {
		if h.Level == 1 {
			count++
		}
	}
	title = OneLine(title)
	return func(h *Headline) bool {
		return h.Level == 1 && (count == 1 || strings.EqualFold(h.Text, title))
	}
}
