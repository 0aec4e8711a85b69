package markdown

import (
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// body is what the markdown behind the front matter holds. Lines are counted
// from 0 at its beginning.
type body struct {
	title    string // the first H1
	summary  string // the first real paragraph
	links    []string
	headings []heading // those that are nested in no other block, in order
	// depth says for every line how deep the outermost block that begins there
	// is nested: 0 outside any other, 1 for a list's items, insideBlock when
	// none does.
	depth []uint8
}

type heading struct {
	line, level int
	text        string
}

const (
	// maxDepth is what deeper nesting counts as.
	maxDepth    = 16
	insideBlock = 255
)

// parseBody parses blocks and contents apart, so that the size of what is
// parsed for contents can be bounded. GFM tables are told from paragraphs by
// their second line: goldmark's own extension takes memory for rows times
// columns, and rows are lines here anyway.
func parseBody(lines []string) body {
	src := []byte(strings.Join(flatten(lines), "\n"))
	references := parser.NewContext()
	blocks := parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(util.Prioritized(referenceTransformer{}, 1)),
	)
	root := blocks.Parse(text.NewReader(src), parser.WithContext(references))
	w := bodyWalker{
		src: src, starts: newLineStarts(src), inlines: newInlineParser(references), seen: map[string]bool{},
		body: body{links: []string{}, depth: make([]uint8, len(lines))},
	}
	for i := range w.body.depth {
		w.body.depth[i] = insideBlock
	}
	for node := root.FirstChild(); node != nil; node = node.NextSibling() {
		w.block(node, 0)
	}
	return w.body
}

// bodyWalker collects a body from goldmark's tree.
type bodyWalker struct {
	body
	src     []byte
	starts  lineStarts
	inlines *inlineParser
	seen    map[string]bool
}

// block takes the block at a depth of nesting, and those in it.
func (w *bodyWalker) block(node ast.Node, depth int) {
	line := 0
	if pos := node.Pos(); pos >= 0 && len(w.depth) > 0 {
		line = w.starts.line(pos)
		w.depth[line] = min(w.depth[line], uint8(min(depth, maxDepth)))
	}
	switch node := node.(type) {
	case *ast.Heading:
		content := w.content(node)
		if depth > 0 {
			return
		}
		w.headings = append(w.headings, heading{line: line, level: node.Level, text: content.text})
		if node.Level == 1 && w.title == "" {
			w.title = content.text
		}
	case *ast.Paragraph:
		content := w.content(node)
		if depth == 0 && w.summary == "" && !isTable(node, w.src) {
			w.summary = CutRunes(content.text, maxSummaryRunes)
		}
	case *ast.TextBlock:
		w.content(node)
	default:
		for child := node.FirstChild(); child != nil; child = child.NextSibling() {
			if child.Type() == ast.TypeBlock {
				w.block(child, depth+1)
			}
		}
	}
}

// content parses a block's content and keeps its links.
func (w *bodyWalker) content(node ast.Node) inline {
	content := w.inlines.parse(string(node.Lines().Value(w.src)))
	for _, destination := range content.links {
		if link, ok := relativeLink(destination); ok && !w.seen[link] {
			w.seen[link] = true
			w.links = append(w.links, link)
		}
	}
	return content
}

var delimiterRow = regexp.MustCompile(`^ *\|? *:?-+:? *(\| *:?-+:? *)*\|? *$`)

// isTable reports that a paragraph is a GFM table.
func isTable(node ast.Node, src []byte) bool {
	lines := node.Lines()
	for i := 1; i < lines.Len(); i++ {
		row, header := lines.At(i), lines.At(i-1)
		if line := strings.TrimRight(string(row.Value(src)), "\n"); strings.Contains(line, "|") && delimiterRow.MatchString(line) {
			return strings.Contains(string(header.Value(src)), "|")
		}
	}
	return false
}

// maxReferenceLines bounds the paragraph in which link reference definitions
// are looked for: goldmark's time grows with the square of its lines.
const maxReferenceLines = 4000

type referenceTransformer struct{}

// Transform implements parser.ParagraphTransformer.
func (referenceTransformer) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	if node.Lines().Len() <= maxReferenceLines {
		parser.LinkReferenceParagraphTransformer.Transform(node, reader, pc)
	}
}

// maxMarkerBytes is how far into a line the markers of quotes and lists are
// read: goldmark's time grows with the square of their number.
const maxMarkerBytes = 128

// flatten returns the lines with the markers behind maxMarkerBytes made letters.
// The lengths of lines stay.
func flatten(lines []string) []string {
	flat := slices.Clone(lines)
	for i, line := range lines {
		rest := strings.TrimLeft(line, " \t>*+-.)0123456789")
		if markers := len(line) - len(rest); markers > maxMarkerBytes {
			flat[i] = line[:maxMarkerBytes] + strings.Repeat("x", markers-maxMarkerBytes) + rest
		}
	}
	return flat
}

// lineStarts are the offsets at which the lines of a text begin.
type lineStarts []int

func newLineStarts(src []byte) lineStarts {
	starts := lineStarts{0}
	for i, c := range src {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// line returns the line, from 0, that an offset is on.
func (s lineStarts) line(offset int) int {
	line, found := slices.BinarySearch(s, offset)
	if !found {
		line--
	}
	return line
}
