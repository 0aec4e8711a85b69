package lint

import (
	"bytes"
	"cmp"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/rag/index"
)

// checkAnchors finds links to a missing part of a document, such as page.md#setup if the page has no heading Setup.
func (e *examination) checkAnchors() {
	names := map[*docset.Document]map[string]bool{}
	for _, d := range e.set.Documents {
		for _, destination := range d.Anchors {
			target := d
			link, isFile := index.TextLink(d.Path, e.project, destination)
			if isFile {
				target = e.set.Find(e.set.Resolve(d.Path, link))
			}
			if target == nil || target.Err != nil || !isFile && destination[0] != '#' {
				continue
			}
			if names[target] == nil {
				names[target] = anchorsOf(target)
			}
			_, written, _ := strings.Cut(destination, "#")
			fragment, err := url.PathUnescape(written)
			part := fragment[strings.LastIndexByte(fragment, '#')+1:] // the last part of [[page#heading#heading]]
			name := anchorName(part)
			isThere := names[target][name] || names[target][anchorName(numbered.ReplaceAllString(part, ""))]
			if err == nil && name != "" && !isThere && !otherAnchor.MatchString(part) {
				at := max(bytes.Index(d.Content, []byte("#"+written)), bytes.Index(d.Content, []byte("#"+fragment)), 0)
				line := 1 + bytes.Count(d.Content[:at], []byte("\n"))
				e.add(d, line, Warning, "broken-link", "there is no heading #"+part+" in "+target.Path)
			}
		}
	}
}

var (
	// otherAnchor matches anchors that name no heading: lines, a block of Obsidian, a text fragment, the top of a page.
	otherAnchor = regexp.MustCompile(`^(?:L\d+|\^|:~:|top$)`)
	// numbered matches an end such as -1. A heading's name has such an end if an earlier heading has the same text.
	numbered = regexp.MustCompile(`[-_]\d+$`)
	// named matches the ways to name a part of a document: {#name}, the attributes id and name of HTML, and a
	// heading, also in a list or a quote.
	named = regexp.MustCompile(`(?m)\{\s*#([^\s}]+)|\b(?:id|name)\s*=\s*["']?([^"'\s>]+)|^[ \t>*+-]*#{1,6}[ \t]+([^{\n]+)`)
)

// anchorsOf returns the names of all parts of a document to which links can lead, in the form of [anchorName].
func anchorsOf(d *docset.Document) map[string]bool {
	names := map[string]bool{}
	for _, h := range d.Headlines() {
		text, _, _ := strings.Cut(h.Text, "{#")
		names[anchorName(text)] = true
	}
	for _, found := range named.FindAllStringSubmatch(string(d.Content), -1) {
		names[anchorName(cmp.Or(found[1:]...))] = true
	}
	return names
}

// anchorName returns only the letters and digits of a name, in lower case. Other characters depend on the generator.
func anchorName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFC.String(name))
}
