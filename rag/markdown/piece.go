package markdown

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// pieceSize is how much of a document is parsed at once, in bytes. The limit is needed because goldmark's
// tree of a list of short items takes a hundred times their size. A document is cut before a block or before
// an item of a list. If a piece of the usual size has no such place, it grows. At the longest size, lists and
// quotes are cut as if they ended there.
type pieceSize struct{ usual, longest int }

func defaultPieceSize() pieceSize { return pieceSize{usual: 64 << 10, longest: 256 << 10} }

// pieceParser parses the blocks of a document piece by piece.
type pieceParser struct {
	pieceSize

	references parser.Context // collects the link reference definitions of all pieces
	lines      []string       // of the document

	// Of the present piece: its first line, its text and where its lines begin, and its blocks.
	first  int
	src    []byte
	starts lineStarts
	root   ast.Node
	// behind is the block or list item with which the next piece begins. It is nil
	// if all blocks belong to the present piece.
	behind ast.Node
	// inList is set if the piece begins inside a list that an earlier piece began.
	inList bool

	// Of the next piece: its first line, and whether it begins in a list.
	following       int
	followingInList bool
}

// next parses the next piece. It reports false at the end.
func (p *pieceParser) next() bool {
	p.first, p.inList = p.following, p.followingInList
	for size := p.usual; p.first < len(p.lines); size *= 2 {
		end := p.first
		for taken := 0; end < len(p.lines) && taken < size; end++ {
			taken += len(p.lines[end]) + 1
		}
		p.src = []byte(strings.Join(flatten(p.lines[p.first:end]), "\n"))
		p.starts = newLineStarts(p.src)
		p.root = blockParser().Parse(text.NewReader(p.src), parser.WithContext(p.references))
		p.following, p.behind = end, nil
		if end < len(p.lines) {
			p.behind = p.lastPart()
		}
		p.followingInList = p.behind != nil && p.behind.Kind() == ast.KindListItem
		if p.behind != nil {
			p.following = p.first + p.starts.line(p.behind.Pos())
		}
		if end == len(p.lines) || p.behind != nil || size >= p.longest && p.nests() {
			return true
		}
	}
	return false
}

// blockParser returns a parser of blocks, which may be used concurrently. To make one takes
// as long as to parse a page.
var blockParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(util.Prioritized(referenceTransformer{}, 1)),
	)
})

// lastPart returns the last block of the piece, which may continue after the piece. If the piece is one list,
// it returns the last item. It returns nil if the piece is one block of another kind, or one item.
func (p *pieceParser) lastPart() ast.Node {
	for last := p.root.LastChild(); last != nil && !p.begins(last); last = last.PreviousSibling() {
		if !p.followsDefinition(last) {
			return last
		}
	}
	if list, ok := p.root.LastChild().(*ast.List); ok && !p.begins(list.LastChild()) {
		return list.LastChild()
	}
	return nil
}

// followsDefinition reports whether a block may be the rest of a paragraph that began
// with link reference definitions. Parsed alone, such a rest could mean something else.
func (p *pieceParser) followsDefinition(node ast.Node) bool {
	if node.Kind() != ast.KindParagraph && node.Kind() != ast.KindHeading {
		return false
	}
	line := p.first + p.starts.line(node.Pos())
	return !blank(p.lines[line-1]) && !strings.HasPrefix(strings.TrimLeft(p.lines[line], " "), "#")
}

// begins reports whether the block is the first of the piece.
func (p *pieceParser) begins(node ast.Node) bool {
	return node == nil || node.Pos() < 0 || p.starts.line(node.Pos()) == 0
}

// nests reports whether the piece has several blocks, or one with children. The tree
// of a single block without children, such as a block of code, is small.
func (p *pieceParser) nests() bool {
	first := p.root.FirstChild()
	return first != nil && (first.HasChildren() || first.NextSibling() != nil)
}

// maxReferenceLines is the length of the longest paragraph that is searched for link
// reference definitions. goldmark's time grows with the square of its lines.
const maxReferenceLines = 4000

type referenceTransformer struct{}

// Transform implements parser.ParagraphTransformer.
func (referenceTransformer) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	if node.Lines().Len() <= maxReferenceLines {
		parser.LinkReferenceParagraphTransformer.Transform(node, reader, pc)
	}
}

// maxMarkerBytes is how many bytes at the beginning of a line may be markers of quotes
// and lists. goldmark's time grows with the square of their number.
const maxMarkerBytes = 128

// flatten returns the lines with all markers after maxMarkerBytes replaced by letters.
// It keeps the length of each line.
func flatten(lines []string) []string {
	flat, cloned := lines, false
	for i, line := range lines {
		if len(line) <= maxMarkerBytes {
			continue
		}
		rest := strings.TrimLeft(line, " \t>*+-.)0123456789")
		if markers := len(line) - len(rest); markers > maxMarkerBytes {
			if !cloned { // a document may have millions of lines
				flat, cloned = slices.Clone(lines), true
			}
			flat[i] = line[:maxMarkerBytes] + strings.Repeat("x", markers-maxMarkerBytes) + rest
		}
	}
	return flat
}

// lineStarts holds the offset of the beginning of each line of a text.
type lineStarts []int

func newLineStarts(src []byte) lineStarts {
	starts := make(lineStarts, 1, 1+bytes.Count(src, []byte("\n")))
	for i, c := range src {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// line returns the line, counted from 0, that holds the offset.
func (s lineStarts) line(offset int) int {
	line, found := slices.BinarySearch(s, offset)
	if !found {
		line--
	}
	return line
}
