package markdown

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

const (
	pathSeparator = " > "
	// maxHeadingRunes bounds one heading in a header path.
	maxHeadingRunes = 200
	// splitLevel is the deepest heading that begins a section.
	splitLevel = 3
)

// outline is the structure that splits a document into passages. Its lines are indexes into lines.
type outline struct {
	lines []string // of the whole file
	body  int      // first line after the front matter
	// depth is, for every line, the nesting depth of the outermost block that begins there: 0 at the top
	// level, 1 for the items of a list. It is insideBlock if no block begins there.
	depth []uint8
	// headings are in order, without those that are nested in another block.
	headings []Headline
	tenths   []int // tenths[i]: estimated tenths of a token of all lines before i
}

const (
	// maxDepth is the greatest depth that is recorded; deeper blocks get it too.
	maxDepth    = 16
	insideBlock = 255
)

// Headline is a heading of a document's text.
type Headline struct {
	Line  int // its index in [Document.Lines]
	Level int // 1 to 6
	Text  string
}

// newOutline returns an outline whose blocks and headings are not known yet.
func newOutline(lines []string, body int) outline {
	o := outline{lines: lines, body: body, depth: slices.Repeat([]uint8{insideBlock}, len(lines)), tenths: make([]int, len(lines)+1)}
	for i := body; i < len(lines); i++ {
		o.tenths[i+1] = o.tenths[i] + estimateTenths(lines[i])
	}
	return o
}

// tokens estimates the lines [start, end).
func (o *outline) tokens(start, end int) int { return ceilDiv(o.tenths[end]-o.tenths[start], 10) }

// text returns the lines [start, end).
func (o *outline) text(start, end int) string { return strings.Join(o.lines[start:end], "\n") }

// Lines returns the lines of the file, as the function [Lines] does.
func (d *Document) Lines() []string { return d.outline.lines }

// Headlines returns the headings of the text in order, without those that are nested in a list or a quote.
func (d *Document) Headlines() []Headline { return d.outline.headings }

// FirstSection returns the line of the first heading below the title, or the number of lines.
func (d *Document) FirstSection() int {
	for _, h := range d.outline.headings {
		if h.Level > 1 {
			return h.Line
		}
	}
	return len(d.outline.lines)
}

// TextLines visits the lines of the document's text, with their indexes in Lines, without front matter and blocks
// of code. If the text begins with a block of code, it visits fields in it, as in a proposal for Bitcoin.
func (d *Document) TextLines() iter.Seq2[int, string] {
	return d.outline.textLines(len(d.outline.lines))
}

// textLines is [Document.TextLines] up to the line end.
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

// trim returns [start, end) without the blank lines at both ends.
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

// section is the part of a document from one heading of the first three levels to the
// next, or before the first.
type section struct {
	start, end int
	level      int    // 0 before the first heading
	path       string // header path
	// carried are the lines of the headings whose text is in path or in the title.
	carried []int
}

// whole is the document as one section.
func (o *outline) whole() section {
	start, end := o.trim(o.body, len(o.lines))
	return section{start: start, end: end}
}

// sections splits the document at its headings. A section with only headings joins the next one with text, or the last
// one. If no section has text, the whole document is one section. title begins the embedded text. An H1 that repeats it,
// or that is the only H1, is not part of a path.
func (o *outline) sections(title string) []section {
	var joined []section
	pending := -1 // start of the sections that wait to be joined to the next, -1 for none
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

// titles returns a function that reports whether a heading is the document's title.
func (o *outline) titles(title string) func(*Headline) bool {
	count := 0
	for _, h := range o.headings {
		if h.Level == 1 {
			count++
		}
	}
	title = collapse(title)
	return func(h *Headline) bool {
		return h.Level == 1 && (count == 1 || strings.EqualFold(h.Text, title))
	}
}
