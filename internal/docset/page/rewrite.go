package page

import (
	"html"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// rewriter makes a parsed document harmless before it becomes HTML.
type rewriter struct {
	*renderer

	document   *docset.Document
	src        []byte
	lineStarts []int // where the lines of src begin
}

// rewrite changes the nodes below parent. Links to documents lead into the page, and links that lead nowhere become
// text. A picture that the page cannot show becomes a text. HTML loses everything except text and plain tags. Marked
// quotations become callouts. Each block gets the number of the line on which it begins in the file.
func (w *rewriter) rewrite(parent ast.Node) {
	for next := parent.FirstChild(); next != nil; {
		node := next
		next = node.NextSibling()
		w.number(node)
		if quote, ok := node.(*ast.Blockquote); ok {
			makeCallout(quote, w.src)
		}
		w.rewrite(node)
		instead := w.replacement(node)
		if instead == nil {
			continue
		}
		for child := node.FirstChild(); child != nil; child = node.FirstChild() {
			instead.AppendChild(instead, child)
		}
		parent.ReplaceChild(parent, node, instead)
	}
}

// replacement returns a node that replaces node and gets its children, or nil if node stays.
func (w *rewriter) replacement(node ast.Node) ast.Node {
	switch node := node.(type) {
	case *ast.Link:
		node.Destination, node.Title = []byte(w.route(markdown.Unescape(node.Destination))), nil
		if !allow(node, string(node.Destination)) {
			return ast.NewDocument() // goldmark writes only the children of this node
		}
	case *ast.AutoLink:
		if node.AutoLinkType == ast.AutoLinkURL && !allow(node, string(node.URL(w.src))) {
			return ast.NewString(node.Label(w.src))
		}
	case *ast.Image:
		return w.picture(node)
	case *extast.TaskCheckBox:
		return ast.NewString([]byte(map[bool]string{true: "☑ ", false: "☐ "}[node.IsChecked]))
	case *ast.FencedCodeBlock:
		return w.code(node)
	case *ast.CodeBlock:
		return w.code(node)
	case *ast.RawHTML:
		return plainHTML(node.Segments.Value(w.src))
	case *ast.HTMLBlock:
		if node.HasClosure() {
			node.Lines().Append(node.ClosureLine)
		}
		return plainHTML(node.Lines().Value(w.src))
	}
	return nil
}

// number sets the attribute data-line of a block to the line of the file on which the block begins.
func (w *rewriter) number(node ast.Node) {
	from := node
	switch node.Kind() {
	case ast.KindParagraph, ast.KindHeading:
	case extast.KindTableRow, extast.KindTableHeader:
		from = node.FirstChild()
	case ast.KindTextBlock:
		node = node.Parent()
		if node.Kind() != ast.KindListItem || node.FirstChild() != from {
			return
		}
	default:
		return
	}
	if from != nil && from.Lines().Len() > 0 {
		node.SetAttributeString("data-line", w.line(from))
	}
}

// line returns the line of the file on which a block's text begins.
func (w *rewriter) line(block ast.Node) string {
	at, found := slices.BinarySearch(w.lineStarts, block.Lines().At(0).Start)
	if !found {
		at--
	}
	return strconv.Itoa(w.document.FrontMatterLines + at + 1)
}

// languageName matches the name of a programming language behind the fence of a code block.
var languageName = lazyregexp.New(`^[A-Za-z0-9+#-]{1,20}$`)

// code returns the HTML of a block of code, with its line and its language. A script of the page colours the code.
func (w *rewriter) code(node ast.Node) ast.Node {
	var out strings.Builder
	out.WriteString("<pre")
	if node.Lines().Len() > 0 {
		out.WriteString(` data-line="` + w.line(node) + `"`)
	}
	out.WriteString("><code")
	if fenced, ok := node.(*ast.FencedCodeBlock); ok && languageName().Match(fenced.Language(w.src)) {
		out.WriteString(` data-language="` + strings.ToLower(string(fenced.Language(w.src))) + `"`)
	}
	out.WriteString(">" + string(util.EscapeHTML(node.Lines().Value(w.src))) + "</code></pre>\n")
	return rawHTML(out.String())
}

// rawHTML returns a node whose text goldmark writes without escaping it.
func rawHTML(text string) ast.Node {
	node := ast.NewString([]byte(text))
	node.SetCode(true)
	return node
}

// picture returns HTML that shows a picture. An attribute of the HTML is the picture's index in content.Pictures. If
// the page does not have the picture, the function returns emphasised text that begins with "Image: ".
func (w *rewriter) picture(node *ast.Image) ast.Node {
	if link, ok := index.TextLink(w.document.Path, w.project, markdown.Unescape(node.Destination)); ok {
		at := w.pictures.add(link.Target)
		if name, embedded := strings.CutPrefix(link.Target, markdown.AnyFolder); embedded {
			at = max(w.pictures.add(path.Join(path.Dir(w.document.Path), name)), w.pictures.add(link.Fallback))
		}
		if at >= 0 {
			alt := plainText(node, w.src)
			node.RemoveChildren(node)
			return rawHTML(`<img data-picture="` + strconv.Itoa(at) + `" alt="` + html.EscapeString(alt) + `">`)
		}
	}
	instead := ast.NewEmphasis(1)
	instead.AppendChild(instead, ast.NewString([]byte("Image: ")))
	return instead
}

// plainText returns the text below a node, without markup.
func plainText(parent ast.Node, src []byte) string {
	var out strings.Builder
	for child := parent.FirstChild(); child != nil; child = child.NextSibling() {
		switch leaf := child.(type) {
		case *ast.Text:
			out.Write(leaf.Value(src))
		case *ast.String:
			out.Write(leaf.Value)
		}
		out.WriteString(plainText(child, src))
	}
	return out.String()
}

// route returns the address in the page for the destination of a link, or "" if the link leads nowhere.
func (w *rewriter) route(destination string) string {
	before, fragment, _ := strings.Cut(destination, "#")
	target := w.document.Path
	if link, inRepository := index.TextLink(target, w.project, destination); inRepository {
		target = w.resolve(target, link)
	} else if before != "" || destination == "" {
		return destination
	}
	if !w.has(target) {
		return ""
	}
	found := documentRoute + url.PathEscape(target)
	decoded, err := url.PathUnescape(fragment)
	if err != nil || decoded == "" {
		return found
	}
	return found + "/" + url.PathEscape(headingAnchor(decoded))
}
