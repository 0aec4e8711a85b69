package markdown

import (
	"strings"
	"time"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

// parseBody parses the text after the front matter. It returns false if it has not finished at the deadline. goldmark
// cannot be interrupted, so it gets the document in small pieces. The inline text (links, emphasis) is parsed after the
// blocks, so that its amount can be limited too. Tables are recognised by their delimiter row |---|. goldmark's table
// extension would take memory in proportion to rows times columns, and passages need only the lines of a table.
func (d *Document) parseBody(size pieceSize, deadline time.Time) bool {
	references := parser.NewContext()
	w := bodyWalker{Document: d, inlines: inlineParser{references: references, deadline: deadline}}
	inList := false // whether the piece begins inside a list that began in an earlier piece
	for line := d.outline.body; line < len(d.outline.lines); {
		w.piece, line = parsePiece(d.outline.lines, line, size, references)
		if w.inlines.late() {
			return false
		}
		first := w.piece.root.FirstChild()
		if list, ok := first.(*ast.List); ok && inList {
			w.blocks(list.FirstChild(), 1)
			first = list.NextSibling()
		}
		w.blocks(first, 0)
		inList = w.piece.following != nil && w.piece.following.Kind() == ast.KindListItem
	}
	w.parseContents()
	return !w.inlines.late()
}

// bodyWalker fills in a document from goldmark's trees: title, summary, links, anchors, headings and depths.
type bodyWalker struct {
	*Document

	piece   piece // the piece whose blocks are visited
	inlines inlineParser
	// contents are parsed at the end of the document, because a link may refer to a definition further down.
	contents []content
	// hasSummary is set once a paragraph that may become the summary has text. Later paragraphs then cannot become it.
	hasSummary bool
}

// content is the text of a block.
type content struct {
	text string
	// heading is the index in outline.headings if the block is one of these headings, and otherwise -1.
	heading int
	// summary is set for a paragraph that may become the summary.
	summary bool
}

// block records a block and the blocks inside it. depth is the nesting depth of the block.
func (w *bodyWalker) block(node ast.Node, depth int) {
	o, src := &w.outline, w.piece.src
	line := w.piece.first
	if node.Pos() >= 0 {
		line = w.piece.line(node)
		o.depth[line] = min(o.depth[line], uint8(min(depth, maxDepth)))
	}
	switch node := node.(type) {
	case *ast.Heading:
		found := content{text: string(node.Lines().Value(src)), heading: -1}
		if depth == 0 {
			found.heading = len(o.headings)
			o.headings = append(o.headings, Headline{Line: line, Level: node.Level})
		}
		w.schedule(found)
	case *ast.Paragraph:
		text := string(node.Lines().Value(src))
		summary := depth == 0 && !w.hasSummary && HeaderRow(strings.Split(text, "\n")) < 0
		w.schedule(content{text: text, heading: -1, summary: summary})
	case *ast.TextBlock:
		w.schedule(content{text: string(node.Lines().Value(src)), heading: -1})
	default:
		w.blocks(node.FirstChild(), depth+1)
	}
}

// blocks records a block and its next siblings, at one nesting depth. It stops where the next piece begins.
func (w *bodyWalker) blocks(node ast.Node, depth int) {
	for ; node != nil && node != w.piece.following; node = node.NextSibling() {
		if node.Type() == ast.TypeBlock {
			w.block(node, depth)
		}
	}
}

// schedule decides when the text of a block is parsed. Text with square brackets may hold a link: parseContents parses
// it. A heading without brackets is parsed now. Of a paragraph that may become the summary, the beginning is parsed
// now. All other text, which is most of a document, is never parsed.
func (w *bodyWalker) schedule(c content) {
	switch {
	case strings.Contains(c.text, "[") && strings.Contains(c.text, "]"):
		w.contents = append(w.contents, c)
	case c.heading >= 0:
		w.outline.headings[c.heading].Text = w.inlines.parse(c.text).text
	case c.summary:
		c.text = c.text[:inlinePart(c.text)]
		w.hasSummary = w.inlines.parse(c.text).text != ""
		if w.hasSummary {
			w.contents = append(w.contents, c)
		}
	}
}

// parseContents parses the contents that [bodyWalker.schedule] kept. It sets headings, title, summary, links and
// anchors.
func (w *bodyWalker) parseContents() {
	linked := map[string]bool{}
	for _, c := range w.contents {
		if w.inlines.late() {
			return
		}
		parsed := w.inlines.parse(c.text)
		if c.heading >= 0 {
			w.outline.headings[c.heading].Text = parsed.text
		}
		if c.summary && w.Summary == "" {
			w.Summary = CutRunes(parsed.text, maxSummaryRunes)
		}
		for _, destination := range parsed.links {
			link, ok := RelativeLink(destination)
			if ok && !linked[link] {
				linked[link] = true
				w.Links = append(w.Links, link)
			}
			isAnchor := strings.HasPrefix(destination, "#") || ok && strings.Contains(destination, "#")
			if isAnchor && !linked[destination] {
				linked[destination] = true
				w.Anchors = append(w.Anchors, destination)
			}
		}
	}
	for _, h := range w.outline.headings {
		if h.Level == 1 && h.Text != "" {
			w.Title = h.Text
			return
		}
	}
}

var delimiterRow = lazyregexp.New(`^ *\|? *:?-+:? *(\| *:?-+:? *)*\|? *$`)

// HeaderRow returns the index of the header row of a GFM table in the lines of a paragraph, -1 without a table.
func HeaderRow(lines []string) int {
	for i := 1; i < len(lines); i++ {
		if strings.Contains(lines[i], "|") && strings.Contains(lines[i], "-") && delimiterRow().MatchString(lines[i]) {
			if strings.Contains(lines[i-1], "|") {
				return i - 1
			}
			break
		}
	}
	return -1
}
