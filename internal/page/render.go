package page

import (
	"bytes"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// documentRoute begins the part of the page's URL that names a document. page.js has the same.
const documentRoute = "#/doc/"

// toHTML converts markdown. It leaves out HTML: rewrite puts text and plain tags in its place.
var toHTML = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Strikethrough, extension.Linkify, extension.TaskList, extension.NewTable(
			extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(), markdown.WikiLinks()),
	)
})

// render returns the text of a document as safe HTML. It only escapes a text that would take long to convert.
func render(d *docset.Document, set *docset.Set, p *project.Project) string {
	lines := slices.Collect(strings.Lines(string(d.Content)))
	body := strings.ToValidUTF8(strings.Join(lines[min(d.FrontMatterLines, len(lines)):], ""), "\ufffd")
	if isCostly(body) {
		return "<pre>" + html.EscapeString(body) + "</pre>"
	}
	src := []byte(body)
	root := toHTML().Parser().Parse(text.NewReader(src), parser.WithContext(parser.NewContext(parser.WithIDs(anchors{}))))
	if first, ok := root.FirstChild().(*ast.Heading); ok && first.Level == 1 && string(first.Lines().Value(src)) == d.Title {
		root.RemoveChild(root, first) // the page shows the title
	}
	rewrite(root, src, func(destination string) string { return route(d, set, p, destination) })
	var out bytes.Buffer
	_ = toHTML().Renderer().Render(&out, src, root) // a buffer takes all
	return out.String()
}

// Bounds of a text that is converted. goldmark's time grows with the square of the brackets in a
// block and of the depth of quotations, and a table's with rows times columns.
const (
	maxConverted = 256 << 10
	maxBrackets  = 2_000
	maxQuotes    = 100
	maxCells     = 100_000
)

func isCostly(text string) bool {
	brackets, columns := 0, 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			brackets = 0
		}
		brackets += strings.Count(line, "[")
		columns = max(columns, strings.Count(line, "|"))
		if brackets > maxBrackets || strings.Count(line, ">") > maxQuotes {
			return true
		}
	}
	return len(text) > maxConverted || columns*strings.Count(text, "\n") > maxCells
}

// rewrite points links below a node into the page, and leaves the text of links that lead nowhere. It puts a
// sentence in place of an image, because the page loads none. It keeps the text and the plain tags of HTML.
func rewrite(parent ast.Node, src []byte, route func(destination string) string) {
	for next := parent.FirstChild(); next != nil; {
		node, instead := next, ast.Node(nil)
		next = node.NextSibling()
		rewrite(node, src, route)
		switch node := node.(type) {
		case *ast.Link:
			node.Destination, node.Title = []byte(route(markdown.Unescape(node.Destination))), nil
			if !allow(node, string(node.Destination)) {
				instead = ast.NewDocument() // writes its children and nothing else
			}
		case *ast.AutoLink:
			if node.AutoLinkType == ast.AutoLinkURL && !allow(node, string(node.URL(src))) {
				instead = ast.NewString(node.Label(src))
			}
		case *ast.Image:
			instead = ast.NewEmphasis(1)
			instead.AppendChild(instead, ast.NewString([]byte("Image: ")))
		case *extast.TaskCheckBox:
			instead = ast.NewString([]byte(map[bool]string{true: "☑ ", false: "☐ "}[node.IsChecked]))
		case *ast.FencedCodeBlock:
			node.Info = nil // goldmark makes a class of it
		case *ast.RawHTML:
			instead = plainHTML(node.Segments.Value(src))
		case *ast.HTMLBlock:
			if node.HasClosure() {
				node.Lines().Append(node.ClosureLine)
			}
			instead = plainHTML(node.Lines().Value(src))
		}
		if instead != nil {
			for child := node.FirstChild(); child != nil; child = node.FirstChild() {
				instead.AppendChild(instead, child)
			}
			parent.ReplaceChild(parent, node, instead)
		}
	}
}

// allow reports whether a link may lead to a destination. The web opens in a new tab.
func allow(link ast.Node, destination string) bool {
	scheme, _, _ := strings.Cut(destination, ":")
	if scheme == "http" || scheme == "https" {
		link.SetAttributeString("rel", "noreferrer noopener")
		link.SetAttributeString("target", "_blank")
	}
	return strings.HasPrefix(destination, documentRoute) || slices.Contains([]string{"http", "https", "mailto"}, scheme)
}

// htmlTag matches each "<" and ">" of HTML: in a tag, a comment, a script or style with its content, or alone.
var htmlTag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)<!--.*?(?:-->|$)|<(?i:script|style)[\s/>].*?(?:</(?i:script|style)\s*>|$)|<[!?][^>]*(?:>|$)` +
		`|<(/?[a-zA-Z][a-zA-Z0-9-]*)(?:\s(?:[^<>"']|"[^"]*"|'[^']*')*)?/?>|([<>])`)
})

// plainHTML returns HTML with its text and its plain tags, without attributes. Each "<" in it begins one of these tags.
func plainHTML(source []byte) ast.Node {
	node := ast.NewString(htmlTag().ReplaceAllFunc(source, func(match []byte) []byte {
		parts := htmlTag().FindSubmatch(match)
		name := strings.ToLower(string(parts[1]))
		switch strings.TrimPrefix(name, "/") {
		case "p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "code", "em", "i", "strong", "b", "del", "ins",
			"s", "sub", "sup", "kbd", "samp", "var", "mark", "small", "q", "details", "summary", "ul", "ol", "li", "dl", "dt", "dd",
			"table", "caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "th", "td":
			return []byte("<" + name + ">")
		}
		return util.EscapeHTML(parts[2])
	}))
	node.SetCode(true) // goldmark writes it as it is
	return node
}

// route returns where a link leads in the page, or "" for nowhere.
func route(d *docset.Document, set *docset.Set, p *project.Project, destination string) string {
	before, fragment, _ := strings.Cut(destination, "#")
	target := d.Path
	if link, inRepository := index.TextLink(d.Path, p, destination); inRepository {
		target = set.Resolve(d.Path, link)
	} else if before != "" || destination == "" {
		return destination
	}
	if other := set.Find(target); other == nil || other.Err != nil {
		return ""
	}
	found := documentRoute + url.PathEscape(target)
	if decoded, err := url.PathUnescape(fragment); err == nil && decoded != "" {
		found += "/" + url.PathEscape(headingAnchor(decoded))
	}
	return found
}

// anchors names headings as GitHub does.
type anchors map[string]int

// Generate returns the name of a heading with a text.
func (a anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	name := "h-" + headingAnchor(strings.TrimSpace(string(value))) // the page's own elements have other names
	a[name]++
	if n := a[name] - 1; n > 0 {
		name += "-" + strconv.Itoa(n)
	}
	return []byte(name)
}

// Put takes note of a name that a heading gives itself.
func (a anchors) Put(value []byte) { a[string(value)]++ }

// headingAnchor returns the name of a heading's text as GitHub's TableOfContentsFilter makes it.
func headingAnchor(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', unicode.In(r, unicode.Letter, unicode.Mark, unicode.Nd, unicode.Pc):
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
