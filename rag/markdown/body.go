package markdown

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
)

// body is the content of the markdown behind the front matter. Lines are counted
// from 0 at its beginning.
type body struct {
	title   string // the first H1
	summary string // the first real paragraph
	links   []string
	// fragments and headings are in order. Headings that are nested in another block
	// are left out.
	fragments []Fragment
	headings  []heading
	// depth is, for every line, the nesting depth of the outermost block that begins
	// there: 0 at the top level, 1 for the items of a list. It is insideBlock if no
	// block begins there.
	depth []uint8
}

type heading struct {
	line, level int
	text        string
}

const (
	// maxDepth is the greatest depth that is recorded; deeper blocks get it too.
	maxDepth    = 16
	insideBlock = 255
)

// parseBody parses blocks first and their inline contents afterwards, so that it can
// limit how much inline text is parsed at once. It recognises GFM tables by their
// delimiter row: goldmark's table extension takes memory in proportion to rows times
// columns, and passages need only the lines. It reports false if it has not ended by until:
// goldmark cannot be interrupted, but the pieces and parts that it gets at once are small.
func parseBody(lines []string, size pieceSize, until time.Time) (body, bool) {
	references := parser.NewContext()
	w := bodyWalker{
		inlines: inlineParser{references: references, until: until}, seen: map[string]bool{},
		body: body{links: []string{}, depth: slices.Repeat([]uint8{insideBlock}, len(lines))},
	}
	p := pieceParser{pieceSize: size, references: references, lines: lines}
	for !w.inlines.late() && p.next() {
		w.first, w.src, w.starts, w.behind = p.first, p.src, p.starts, p.behind
		for node := p.root.FirstChild(); node != nil && node != p.behind; node = node.NextSibling() {
			if list, ok := node.(*ast.List); ok && p.inList {
				w.children(list, 0)
			} else {
				w.block(node, 0)
			}
			p.inList = false
		}
	}
	w.parseContents()
	return w.body, !w.inlines.late()
}

// bodyWalker builds a body from goldmark's trees.
type bodyWalker struct {
	body
	inlines inlineParser
	seen    map[string]bool
	// contents are parsed at the end, when all reference definitions are known.
	contents []content
	// hasSummary is set when a paragraph with text, the summary, has been found.
	hasSummary bool

	// Of the present piece: see pieceParser.
	first  int
	src    []byte
	starts lineStarts
	behind ast.Node
}

// content is the text of a block.
type content struct {
	text string
	// heading is the index of the heading whose text this is, -1 if it is no heading's.
	heading int
	// summary is set for a paragraph that may become the summary.
	summary bool
}

// block records a block at a nesting depth, and the blocks in it.
func (w *bodyWalker) block(node ast.Node, depth int) {
	line := w.first
	if pos := node.Pos(); pos >= 0 && len(w.depth) > 0 {
		line += w.starts.line(pos)
		w.depth[line] = min(w.depth[line], uint8(min(depth, maxDepth)))
	}
	switch node := node.(type) {
	case *ast.Heading:
		found := content{text: string(node.Lines().Value(w.src)), heading: -1}
		if depth == 0 {
			found.heading = len(w.headings)
			w.headings = append(w.headings, heading{line: line, level: node.Level})
		}
		w.take(found)
	case *ast.Paragraph:
		summary := depth == 0 && !w.hasSummary && !isTable(node, w.src)
		w.take(content{text: string(node.Lines().Value(w.src)), heading: -1, summary: summary})
	case *ast.TextBlock:
		w.take(content{text: string(node.Lines().Value(w.src)), heading: -1})
	default:
		w.children(node, depth)
	}
}

// children records the blocks in a block at a nesting depth. It stops at the block
// with which the next piece begins.
func (w *bodyWalker) children(node ast.Node, depth int) {
	for child := node.FirstChild(); child != nil && child != w.behind; child = child.NextSibling() {
		if child.Type() == ast.TypeBlock {
			w.block(child, depth+1)
		}
	}
}

// take keeps a content that may hold a link, for parseContents. It parses other
// headings, and the beginnings of paragraphs that may be the summary, at once. The rest,
// which is most, is not parsed at all.
func (w *bodyWalker) take(c content) {
	switch {
	case strings.Contains(c.text, "[") && strings.Contains(c.text, "]"):
		w.contents = append(w.contents, c)
	case c.heading >= 0:
		w.headings[c.heading].text = w.inlines.parse(c.text).text
	case c.summary:
		c.text = c.text[:inlinePart(c.text)]
		if w.hasSummary = w.inlines.parse(c.text).text != ""; w.hasSummary {
			w.contents = append(w.contents, c)
		}
	}
}

// parseContents parses what take has kept, and sets title, summary and links.
func (w *bodyWalker) parseContents() {
	named := map[Fragment]bool{}
	for _, c := range w.contents {
		if w.inlines.late() {
			return
		}
		parsed := w.inlines.parse(c.text)
		if c.heading >= 0 {
			w.headings[c.heading].text = parsed.text
		}
		if c.summary && w.summary == "" {
			w.summary = CutRunes(parsed.text, maxSummaryRunes)
		}
		for _, destination := range parsed.links {
			if link, ok := RelativeLink(destination); ok && !w.seen[link] {
				w.seen[link] = true
				w.links = append(w.links, link)
			}
			if place, ok := fragment(destination); ok && !named[place] {
				named[place] = true
				w.fragments = append(w.fragments, place)
			}
		}
	}
	for _, h := range w.headings {
		if h.level == 1 && h.text != "" {
			w.title = h.text
			return
		}
	}
}

var delimiterRow = regexp.MustCompile(`^ *\|? *:?-+:? *(\| *:?-+:? *)*\|? *$`)

// isTable reports whether a paragraph is a GFM table.
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
