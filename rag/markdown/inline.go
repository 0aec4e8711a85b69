package markdown

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxInlineBytes bounds the paragraph or heading whose links and emphasis are
// parsed: the inline parser's time grows with the square of its length.
const maxInlineBytes = 8 << 10

// inlineParser parses the contents of one block at a time.
type inlineParser struct {
	parser     parser.Parser
	references parser.Context
}

// newInlineParser resolves reference links with the definitions in references.
func newInlineParser(references parser.Context) *inlineParser {
	return &inlineParser{
		parser: parser.NewParser(
			parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 1)),
			parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		),
		references: references,
	}
}

// inline is a block's content. The zero value is that of one that is too long.
type inline struct {
	text  string   // plain: one line, without markup and images
	links []string // destinations as written
}

func (p *inlineParser) parse(content string) inline {
	if len(content) > maxInlineBytes {
		return inline{}
	}
	src := []byte(strings.TrimSpace(content))
	root := p.parser.Parse(text.NewReader(src), parser.WithContext(p.references))
	var (
		plain strings.Builder
		links []string
	)
	walk := func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.Image, *ast.RawHTML:
			return ast.WalkSkipChildren, nil
		case *ast.Link:
			links = append(links, unescape(node.Destination))
		case *ast.AutoLink:
			plain.Write(node.Label(src))
		case *ast.CodeSpan:
			for child := node.FirstChild(); child != nil; child = child.NextSibling() {
				if t, ok := child.(*ast.Text); ok {
					plain.Write(t.Segment.Value(src))
				}
			}
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			plain.WriteString(unescape(node.Segment.Value(src)))
			if node.SoftLineBreak() || node.HardLineBreak() {
				plain.WriteByte('\n')
			}
		}
		return ast.WalkContinue, nil
	}
	if err := ast.Walk(root, walk); err != nil {
		return inline{} // walk never returns one
	}
	return inline{text: collapse(plain.String()), links: links}
}

// unescape resolves entities and backslash escapes.
func unescape(s []byte) string {
	return string(util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(slices.Clone(s)))))
}

var scheme = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)

// relativeLink returns the path that a link's destination gives, and false when
// it leads to another host, to nowhere but an anchor, or holds what no path can.
func relativeLink(destination string) (string, bool) {
	if scheme.MatchString(destination) || strings.HasPrefix(destination, "//") {
		return "", false
	}
	path, _, _ := strings.Cut(destination, "#")
	path, _, _ = strings.Cut(path, "?")
	if decoded, err := url.PathUnescape(path); err == nil {
		path = decoded
	}
	ok := path != "" && utf8.ValidString(path) && !strings.ContainsFunc(path, isControl)
	return path, ok
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }
