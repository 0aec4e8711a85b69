package page

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

// calloutMark matches the beginning of a callout, such as GitHub's [!WARNING] and Obsidian's [!tip]- My title.
var calloutMark = lazyregexp.New(`^\[!([A-Za-z]+)\][+-]?[ \t]*`)

// makeCallout turns a quotation with a mark into a callout: a coloured box. The rest of the mark's line is the title.
func makeCallout(quote *ast.Blockquote, src []byte) {
	first, ok := quote.FirstChild().(*ast.Paragraph)
	if !ok || first.Lines().Len() == 0 {
		return
	}
	line := first.Lines().At(0)
	mark := calloutMark().FindSubmatch(line.Value(src))
	if mark == nil {
		return
	}
	kind, start := strings.ToLower(string(mark[1])), line.Start+len(mark[0])
	title := ast.NewEmphasis(2)
	for child, more := first.FirstChild(), true; child != nil && more; child = first.FirstChild() {
		if text, ok := child.(*ast.Text); ok {
			text.Segment.Start = min(max(text.Segment.Start, start), text.Segment.Stop)
			more = !text.SoftLineBreak() && !text.HardLineBreak()
			text.SetSoftLineBreak(false)
			text.SetHardLineBreak(false)
		}
		title.AppendChild(title, child)
	}
	if len(bytes.TrimSpace(src[start:max(start, line.Stop)])) == 0 {
		title.AppendChild(title, ast.NewString([]byte(strings.ToUpper(kind[:1])+kind[1:])))
	}
	head := ast.NewParagraph()
	head.AppendChild(head, title)
	quote.InsertBefore(quote, first, head)
	if first.FirstChild() == nil {
		quote.RemoveChild(quote, first)
	}
	if !slices.Contains([]string{"tip", "important", "warning", "caution"}, kind) { // page.css has these kinds, and note
		kind = "note"
	}
	quote.SetAttributeString("class", "callout "+kind)
}
