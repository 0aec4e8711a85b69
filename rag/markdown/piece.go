package markdown

import (
	"bytes"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// pieceSize says how many bytes of a document are parsed at once. The limit is needed because goldmark's tree of a list
// of short items takes a hundred times the bytes of the list. A piece ends before a block or an item of a list. If a
// piece has no such end, its size is doubled. At the longest size, a list item or a quote is cut as if it ended there.
type pieceSize struct{ usual, longest int }

func defaultPieceSize() pieceSize { return pieceSize{usual: 64 << 10, longest: 256 << 10} }

// piece is a part of a document, parsed into blocks.
type piece struct {
	first  int // index of its first line in the document
	src    []byte
	starts []int // offsets of the lines in src
	root   ast.Node
	// following is the block or list item in the tree at which the next piece begins, or nil.
	following ast.Node
}

// parsePiece parses the piece that begins at the line first. It also returns the line at which the next piece begins.
// references collects the link reference definitions of all pieces.
func parsePiece(lines []string, first int, size pieceSize, references parser.Context) (piece, int) {
	for usual := size.usual; ; usual *= 2 {
		end := first
		for taken := 0; end < len(lines) && taken < usual; end++ {
			taken += len(lines[end]) + 1
		}
		p := piece{first: first, src: []byte(strings.Join(flatten(lines[first:end]), "\n")), starts: []int{0}}
		for i, c := range p.src {
			if c == '\n' {
				p.starts = append(p.starts, i+1)
			}
		}
		p.root = blockParser().Parse(text.NewReader(p.src), parser.WithContext(references))
		if end == len(lines) {
			return p, end
		}
		p.following = p.lastPart(lines)
		if p.following != nil {
			return p, p.line(p.following)
		}
		first := p.root.FirstChild()
		isTree := first != nil && (first.HasChildren() || first.NextSibling() != nil) // the tree of one leaf block is small
		if usual >= size.longest && isTree {
			return p, end
		}
	}
}

// line returns the line of the document on which a block begins.
func (p *piece) line(node ast.Node) int { return p.first + sort.SearchInts(p.starts, node.Pos()+1) - 1 }

// blockParser returns a parser of blocks for concurrent use. Making a parser takes as long as parsing a page.
var blockParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(util.Prioritized(referenceTransformer{}, 1)),
	)
})

// lastPart returns the block at which the next piece can begin: the last block, because it may continue after this
// piece. In a piece that is one list, lastPart returns the last item. It returns nil for a piece that is one item, or
// one block of another kind.
func (p *piece) lastPart(lines []string) ast.Node {
	for last := p.root.LastChild(); !p.isFirst(last); last = last.PreviousSibling() {
		if !p.mayEndDefinition(last, lines) {
			return last
		}
	}
	if list, ok := p.root.LastChild().(*ast.List); ok && !p.isFirst(list.LastChild()) {
		return list.LastChild()
	}
	return nil
}

// mayEndDefinition reports whether a block may be the rest of a paragraph that began with link reference definitions.
// Parsed alone, such a rest could mean something else.
func (p *piece) mayEndDefinition(node ast.Node, lines []string) bool {
	if node.Kind() != ast.KindParagraph && node.Kind() != ast.KindHeading {
		return false
	}
	line := p.line(node)
	return !blank(lines[line-1]) && !strings.HasPrefix(strings.TrimLeft(lines[line], " "), "#")
}

// isFirst reports whether a block begins on the first line of the piece. It returns true for nil.
func (p *piece) isFirst(node ast.Node) bool {
	return node == nil || node.Pos() < 0 || p.line(node) == p.first
}

// maxReferenceLines bounds a paragraph in which link reference definitions are searched. goldmark's time grows with the
// square of the number of lines.
const maxReferenceLines = 4000

type referenceTransformer struct{}

// Transform implements parser.ParagraphTransformer. It finds link reference definitions, except in footnotes: a
// footnote of one word, such as "[^1]: word", looks like a definition.
func (referenceTransformer) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	first := node.Lines().At(0)
	if node.Lines().Len() <= maxReferenceLines && !bytes.HasPrefix(first.Value(reader.Source()), []byte("[^")) {
		parser.LinkReferenceParagraphTransformer.Transform(node, reader, pc)
	}
}

// maxMarkerBytes bounds the markers of quotes and lists at the beginning of a line, in bytes. goldmark's time grows
// with the square of the number of markers.
const maxMarkerBytes = 128

// flatten replaces the markers after the first maxMarkerBytes bytes of a line by letters, so that no offset changes.
func flatten(lines []string) []string {
	flat, cloned := lines, false
	for i, line := range lines {
		if len(line) <= maxMarkerBytes {
			continue
		}
		rest := strings.TrimLeft(line, " \t>*+-.)0123456789")
		if markers := len(line) - len(rest); markers > maxMarkerBytes {
			if !cloned { // only if needed, because a document may have millions of lines
				flat, cloned = slices.Clone(lines), true
			}
			flat[i] = line[:maxMarkerBytes] + strings.Repeat("x", markers-maxMarkerBytes) + rest
		}
	}
	return flat
}
