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

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	renderhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// documentRoute begins the part of the page's URL that names a document. page.js has the same.
const documentRoute = "#/doc/"

// anchorPrefix keeps the names of headings apart from those of the page's own elements.
const anchorPrefix = "h-"

// toHTML converts markdown and passes HTML in it on: sanitise decides on that.
var toHTML = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Strikethrough, extension.Linkify, extension.TaskList, extension.NewTable(
			extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(), markdown.WikiLinks()),
		goldmark.WithRendererOptions(renderhtml.WithUnsafe()),
	)
})

// sanitise returns the policy of what a document may show. It removes the rest: scripts, styles,
// images, forms and attributes such as onclick.
var sanitise = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "code", "em", "i", "strong", "b",
		"del", "ins", "s", "sub", "sup", "kbd", "samp", "var", "mark", "small", "q", "details", "summary", "dl", "dt", "dd")
	p.AllowLists()
	p.AllowTables()
	p.AllowAttrs("id").Matching(regexp.MustCompile(`^`+anchorPrefix+`[\p{L}\p{M}\p{N}\p{Pc}-]+$`)).
		OnElements("h1", "h2", "h3", "h4", "h5", "h6")
	p.AllowAttrs("href").Matching(regexp.MustCompile(`^(?:` + documentRoute + `|https?://|mailto:)\S+$`)).OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowRelativeURLs(true)
	p.RequireParseableURLs(true)
	p.RequireNoReferrerOnFullyQualifiedLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	return p
})

// render returns the text of a document as safe HTML. A text that would take long to convert stays
// as it is written.
func render(d *docset.Document, set *docset.Set, p *project.Project) string {
	lines := slices.Collect(strings.Lines(string(d.Content)))
	body := strings.ToValidUTF8(strings.Join(lines[min(d.FrontMatterLines, len(lines)):], ""), "\ufffd")
	asWritten := "<pre>" + html.EscapeString(body) + "</pre>"
	if isCostly(body) {
		return asWritten
	}
	src := []byte(body)
	root := toHTML().Parser().Parse(text.NewReader(src), parser.WithContext(parser.NewContext(parser.WithIDs(anchors{}))))
	if first, ok := root.FirstChild().(*ast.Heading); ok && first.Level == 1 && string(first.Lines().Value(src)) == d.Title {
		root.RemoveChild(root, first) // the page shows the title
	}
	nodes := []ast.Node{}
	err := ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			nodes = append(nodes, node)
		}
		return ast.WalkContinue, nil
	})
	for _, node := range nodes {
		rewrite(node, func(destination string) string { return route(d, set, p, destination) })
	}
	var out bytes.Buffer
	if err != nil || toHTML().Renderer().Render(&out, src, root) != nil {
		return asWritten
	}
	return sanitise().Sanitize(out.String())
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

// rewrite points a link into the page, and puts a sentence in place of an image: the page loads
// none.
func rewrite(node ast.Node, route func(destination string) string) {
	switch node := node.(type) {
	case *ast.Link:
		node.Destination = []byte(route(markdown.Unescape(node.Destination)))
	case *ast.Image:
		instead := ast.NewEmphasis(1)
		instead.AppendChild(instead, ast.NewString([]byte("Image: ")))
		for child := node.FirstChild(); child != nil; child = node.FirstChild() {
			instead.AppendChild(instead, child)
		}
		node.Parent().ReplaceChild(node.Parent(), node, instead)
	case *extast.TaskCheckBox:
		mark := "☐ "
		if node.IsChecked {
			mark = "☑ "
		}
		node.Parent().ReplaceChild(node.Parent(), node, ast.NewString([]byte(mark)))
	}
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
	other := set.Find(target)
	if other == nil || other.Err != nil {
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
	name := anchorPrefix + headingAnchor(strings.TrimSpace(string(value)))
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
