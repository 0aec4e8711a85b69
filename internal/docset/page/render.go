package page

import (
	"bytes"
	"cmp"
	"html"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// documentRoute is the beginning of a URL fragment that names a document. reader.js repeats this text.
const documentRoute = "#/doc/"

// toHTML converts markdown. Before, [rewriter.rewrite] replaces HTML in the markdown by text and plain tags.
var toHTML = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Strikethrough, extension.Linkify, extension.TaskList, extension.NewTable(
			extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(), markdown.WikiLinks(),
			parser.WithInlineParsers(util.Prioritized(embedParser{}, 198))), // before the parser of wikilinks
	)
})

// renderer converts documents, and collects the pictures that they show.
type renderer struct {
	project       *project.Project
	set, external *docset.Set
	pictures      pictures
}

// has reports whether the page has a document at a path.
func (r *renderer) has(path string) bool {
	d := cmp.Or(r.set.Find(path), r.external.Find(path))
	return d != nil && d.Err == nil
}

// resolve returns where a link of the document at the path source leads. External docs link only to external docs.
func (r *renderer) resolve(source string, link index.Link) string {
	if r.set.Find(source) == nil {
		return r.external.Resolve(source, link)
	}
	return r.set.Resolve(source, link)
}

// render returns the text of a document as safe HTML. lines are the document's lines. If the conversion would take
// long, render returns the markdown as text.
func (r *renderer) render(d *docset.Document, lines []string) string {
	body := strings.ToValidUTF8(strings.Join(lines[min(d.FrontMatterLines, len(lines)):], "\n")+"\n", "\ufffd")
	if isCostly(body) {
		return "<pre data-line=\"" + strconv.Itoa(d.FrontMatterLines+1) + "\">" + html.EscapeString(body) + "</pre>"
	}
	src := []byte(body)
	root := toHTML().Parser().Parse(text.NewReader(src), parser.WithContext(parser.NewContext(parser.WithIDs(anchors{}))))
	if first, ok := root.FirstChild().(*ast.Heading); ok && first.Level == 1 && string(first.Lines().Value(src)) == d.Title {
		root.RemoveChild(root, first) // the page already shows the title
	}
	w := rewriter{renderer: r, document: d, src: src}
	at := 0
	for line := range strings.Lines(body) {
		w.lineStarts = append(w.lineStarts, at)
		at += len(line)
	}
	w.rewrite(root)
	var out bytes.Buffer
	_ = toHTML().Renderer().Render(&out, src, root) // a write to a buffer does not fail
	return out.String()
}

// Limits of a text that is converted to HTML. goldmark's time grows with the square of the brackets in a block, with
// the square of the depth of quotations, and with rows times columns of a table.
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

// allow reports whether a link may lead to a destination. It makes links to the web open in a new tab.
func allow(link ast.Node, destination string) bool {
	scheme, _, _ := strings.Cut(destination, ":")
	if scheme == "http" || scheme == "https" {
		link.SetAttributeString("rel", "noreferrer noopener")
		link.SetAttributeString("target", "_blank")
	}
	return strings.HasPrefix(destination, documentRoute) || slices.Contains([]string{"http", "https", "mailto"}, scheme)
}

// htmlTag matches a tag, a comment, a script or style with its content, or any other "<" or ">" of HTML.
var htmlTag = lazyregexp.New(`(?s)<!--.*?(?:-->|$)|<(?i:script|style)[\s/>].*?(?:</(?i:script|style)\s*>|$)|<[!?][^>]*(?:>|$)` +
	`|<(/?[a-zA-Z][a-zA-Z0-9-]*)(?:\s(?:[^<>"']|"[^"]*"|'[^']*')*)?/?>|([<>])`)

// plainHTML returns the text and the plain tags of source, without attributes. Each "<" of the result begins a tag.
func plainHTML(source []byte) ast.Node {
	return rawHTML(string(htmlTag().ReplaceAllFunc(source, func(match []byte) []byte {
		parts := htmlTag().FindSubmatch(match)
		name := strings.ToLower(string(parts[1]))
		switch strings.TrimPrefix(name, "/") {
		case "p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "code", "em", "i", "strong", "b", "del", "ins",
			"s", "sub", "sup", "kbd", "samp", "var", "mark", "small", "q", "details", "summary", "ul", "ol", "li", "dl", "dt", "dd",
			"table", "caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "th", "td":
			return []byte("<" + name + ">")
		}
		return util.EscapeHTML(parts[2])
	})))
}

// anchors names headings as GitHub does, so that links can lead to a heading. It counts the uses of each name.
type anchors map[string]int

// Generate returns a name for a heading with this text. A second heading with this text gets a number.
func (a anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	name := "h-" + headingAnchor(strings.TrimSpace(string(value))) // the page's own elements have other names
	a[name]++
	if n := a[name] - 1; n > 0 {
		name += "-" + strconv.Itoa(n)
	}
	return []byte(name)
}

// Put counts the use of a name that an attribute in the markdown sets for a heading.
func (a anchors) Put(value []byte) { a[string(value)]++ }

// headingAnchor makes the name of a heading from the heading's text, like GitHub's TableOfContentsFilter.
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
