package markdown

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// pieceSize is how much of a document is parsed at once, in bytes: goldmark's
// tree of a list of short items takes a hundred times their size. A document is
// cut before a block or an item of a list. Where there is none a piece grows from
// usual, and lists and quotes are cut at longest as if they ended there.
type pieceSize struct{ usual, longest int }

func defaultPieceSize() pieceSize { return pieceSize{usual: 64 << 10, longest: 256 << 10} }

// pieceParser parses the blocks of a document piece by piece.
type pieceParser struct {
	pieceSize

	references parser.Context // which collects the definitions of all pieces
	lines      []string       // of the document

	// Of the present piece: its first line, its text and where its lines begin,
	// and its blocks.
	first  int
	src    []byte
	starts lineStarts
	root   ast.Node
	// behind is the block, or item of a list, with which the next piece begins,
	// nil if this one is taken as a whole.
	behind ast.Node
	// inList says that the piece begins with an item of a list that has begun
	// before.
	inList bool

	// Of the next piece: its first line, and whether it begins in a list.
	following       int
	followingInList bool
}

// next parses the next piece, and reports false behind the last.
func (p *pieceParser) next() bool {
	p.first, p.inList = p.following, p.followingInList
	for size := p.usual; p.first < len(p.lines); size *= 2 {
		end := pieceEnd(p.lines, p.first, size)
		p.parse(p.lines[p.first:end])
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

// pieceEnd returns where a piece of about size bytes ends that begins at start.
func pieceEnd(lines []string, start, size int) int {
	end := start
	for taken := 0; end < len(lines) && taken < size; end++ {
		taken += len(lines[end]) + 1
	}
	return end
}

func (p *pieceParser) parse(lines []string) {
	p.src = []byte(strings.Join(flatten(lines), "\n"))
	p.starts = newLineStarts(p.src)
	blocks := parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(util.Prioritized(referenceTransformer{}, 1)),
	)
	p.root = blocks.Parse(text.NewReader(p.src), parser.WithContext(p.references))
}

// lastPart returns the last block of the piece, which may go on behind it, or if
// that is all there is, the last item of that list; nil if that is all there is.
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

// followsDefinition reports that a block may be the rest of a paragraph that
// began with definitions of references: on its own it could be something else.
func (p *pieceParser) followsDefinition(node ast.Node) bool {
	if node.Kind() != ast.KindParagraph && node.Kind() != ast.KindHeading {
		return false
	}
	line := p.first + p.starts.line(node.Pos())
	return !blank(p.lines[line-1]) && !strings.HasPrefix(strings.TrimLeft(p.lines[line], " "), "#")
}

// begins reports that the piece begins with the block.
func (p *pieceParser) begins(node ast.Node) bool {
	return node == nil || node.Pos() < 0 || p.starts.line(node.Pos()) == 0
}

// nests reports that blocks of the piece have others in them, or text. Of one
// without, such as a block of code, the tree is small.
func (p *pieceParser) nests() bool {
	first := p.root.FirstChild()
	return first != nil && (first.HasChildren() || first.NextSibling() != nil)
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

// lineStarts are the offsets at which the lines of a text begin.
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

// line returns the line, from 0, that an offset is on.
func (s lineStarts) line(offset int) int {
	line, found := slices.BinarySearch(s, offset)
	if !found {
		line--
	}
	return line
}
