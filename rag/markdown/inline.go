package markdown

import (
	"bytes"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"go.abhg.dev/goldmark/wikilink"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

// Bounds of the text that the inline parser gets at once. The parser's time grows with the square of the text's length.
// Opening brackets and characters that may mark emphasis cost most: twice as many take four times as long.
const (
	maxInlineBytes    = 8 << 10
	maxInlineBrackets = 64
	maxInlineEmphasis = 512
)

// inlineParser parses the inline text of one block at a time: links, code spans, emphasis. It resolves reference links
// with the definitions in references.
type inlineParser struct {
	references parser.Context
	deadline   time.Time // then parsing stops and keeps its results so far
}

func (p inlineParser) late() bool { return time.Now().After(p.deadline) }

// contentParser returns a parser of inline text for concurrent use.
var contentParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 1)),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		WikiLinks(),
	)
})

// WikiLinks makes goldmark parse [[page]] as a link. goldmark's own links have priority 200, so wiki links come first.
func WikiLinks() parser.Option {
	return parser.WithInlineParsers(util.Prioritized(wikiParser{&wikilink.Parser{}}, 199))
}

// wikiParser turns [[page]] into a link and ![[a.png]] into an image. It skips [[1]](url), which is a plain link, and
// [[ -f x ]], which is a condition of the shell.
type wikiParser struct{ *wikilink.Parser }

func (w wikiParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, _ := block.PeekLine()
	_, behind, _ := bytes.Cut(line, []byte("]]"))
	if bytes.HasPrefix(line, []byte("[[ ")) || bytes.HasPrefix(behind, []byte("(")) {
		return nil
	}
	node, ok := w.Parser.Parse(parent, block, pc).(*wikilink.Node)
	if !ok {
		return nil
	}
	link := ast.NewLink()
	link.AppendChild(link, node.FirstChild())
	link.Destination = pageLink(node)
	if len(link.Destination) == 0 && node.Embed {
		return ast.NewImage(link)
	}
	return link
}

// AnyFolder begins the destination of a wikilink. **/page.md is a page of that name in any folder.
const AnyFolder = "**/"

var otherFile = lazyregexp.New(`(?i)\.[a-z][a-z0-9]{0,4}$`)

// pageLink returns the destination of a wikilink. It returns nil if the link leads to a file that is not markdown.
func pageLink(node *wikilink.Node) []byte {
	target, _, _ := strings.Cut(string(node.Target), "#") // without the heading of [[page#heading]]
	target = strings.TrimSuffix(target, `\`)              // without the \ of [[page\|text]] in a table
	target = strings.TrimPrefix(strings.TrimSpace(target), "/")
	if target != "" && !strings.HasSuffix(strings.ToLower(target), ".md") {
		if otherFile().MatchString(target) {
			return nil
		}
		target += ".md"
	}
	if target != "" && !strings.HasPrefix(target, ".") {
		target = AnyFolder + target
	}
	return []byte((&url.URL{Path: target, Fragment: string(node.Fragment)}).String())
}

// inline is the parsed content of a block.
type inline struct {
	text  string   // plain: one line, without markup and images
	links []string // destinations as written
}

// parse parses the content of a block. It parses content beyond the bounds, such as a long table, in parts.
func (p inlineParser) parse(content string) inline {
	var texts, links []string
	content = withPlainLinks(content)
	for content != "" && !p.late() {
		end := inlinePart(content)
		part := p.parsePart(content[:end])
		texts, links = append(texts, part.text), append(links, part.links...)
		content = content[end:]
	}
	return inline{text: OneLine(strings.Join(texts, " ")), links: links}
}

var (
	// siteLink matches a destination of Hugo ({{< ref "b.md" >}}) or Jekyll ({% link b.md %}, {{ site.baseurl }}/b and
	// {{ "/b" | relative_url }}). A group matches the page.
	siteLink = lazyregexp.New(`\]\(\s*(?:\{\{[<%]\s*(?:rel)?ref\s+(?:\.\s+)?["']?([^\s"'>%}]+)["']?[^}]*\}\}` +
		`|(?:\{\{[^}]*\}\})?\{%-?\s*(?:link|post_url)\s+([^\s%}]+)\s*-?%\}` +
		`|\{\{-?\s*site\.(?:baseurl|url)\s*-?\}\}([^\s)]+)|\{\{-?\s*["']([^"'}]+)["']\s*\|\s*(?:relative|absolute)_url\s*-?\}\})` +
		`([^\s)]*)\s*\)`)
	// otherTemplate matches the beginning of a template. Only a site generator knows where such a destination leads.
	otherTemplate = lazyregexp.New(`\{\{|\{%`)
)

// withPlainLinks turns each link of a site generator into a link to a page of the same name in any folder.
func withPlainLinks(content string) string {
	if !otherTemplate().MatchString(content) {
		return content
	}
	return siteLink().ReplaceAllStringFunc(content, func(link string) string {
		found := siteLink().FindStringSubmatch(link)
		page, behind, _ := strings.Cut(found[1]+found[2]+found[3]+found[4], "#")
		page = strings.TrimSuffix(strings.Trim(page, "/"), ".html")
		if path.Ext(page) == "" && page != "" {
			page += ".md"
		}
		return "](<" + AnyFolder + page + "#" + behind + found[5] + ">)"
	})
}

// inlinePart returns the length of the first part of a content. The part is within the bounds. It ends after a line or,
// if no whole line fits, after a word. It never ends inside a link.
func inlinePart(content string) int {
	size, brackets, emphasis := 0, 0, 0
	for size < min(len(content), maxInlineBytes) && brackets <= maxInlineBrackets && emphasis <= maxInlineEmphasis {
		switch content[size] {
		case '[':
			brackets++
		case '*', '_':
			emphasis++
		}
		size++
	}
	if size == len(content) {
		return size
	}
	window := content[:size]
	end := strings.LastIndexByte(window, '\n') + 1
	if end == 0 {
		end = strings.LastIndexByte(window, ' ') + 1
	}
	if end == 0 {
		end = len(strings.ToValidUTF8(window, "")) // without the bytes of an incomplete character
	}
	if open := strings.LastIndexByte(window[:end], '['); open > 0 && open > strings.LastIndexByte(window[:end], ')') {
		return open
	}
	return end
}

func (p inlineParser) parsePart(content string) inline {
	src := []byte(strings.TrimSpace(content))
	root := contentParser().Parse(text.NewReader(src), parser.WithContext(p.references))
	var plain strings.Builder
	var links []string
	walk := func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.Image, *ast.RawHTML:
			return ast.WalkSkipChildren, nil
		case *ast.Link:
			links = append(links, Unescape(node.Destination))
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
			plain.WriteString(Unescape(node.Segment.Value(src)))
			if node.SoftLineBreak() || node.HardLineBreak() {
				plain.WriteByte('\n')
			}
		}
		return ast.WalkContinue, nil
	}
	_ = ast.Walk(root, walk) // walk returns no error
	return inline{text: OneLine(plain.String()), links: links}
}

// Unescape resolves entities and backslash escapes.
func Unescape(s []byte) string {
	return string(util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(slices.Clone(s)))))
}

var scheme = lazyregexp.New(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)

// RelativeLink returns the path in a link's destination. It returns false if the destination has a scheme or a host, is
// a fragment alone, or is a template. It also returns false for a path with control characters or invalid UTF-8.
func RelativeLink(destination string) (string, bool) {
	if scheme().MatchString(destination) || strings.HasPrefix(destination, "//") {
		return "", false
	}
	file, _, _ := strings.Cut(destination, "#")
	file, _, _ = strings.Cut(file, "?")
	decoded, err := url.PathUnescape(file)
	if err != nil {
		decoded = file
	}
	if page, isOfSite := strings.CutPrefix(decoded, "@site/"); isOfSite { // in Docusaurus, the root of the site
		decoded = AnyFolder + page
		if !HasExtension(page) {
			return "", false
		}
	}
	if otherTemplate().MatchString(decoded) {
		return "", false
	}
	isControl := func(r rune) bool { return r < ' ' || r == 0x7f }
	return decoded, decoded != "" && utf8.ValidString(decoded) && !strings.ContainsFunc(decoded, isControl)
}

// HasExtension reports whether a file name has an extension of markdown: .md, .markdown or .mdx.
func HasExtension(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdx":
		return true
	}
	return false
}
