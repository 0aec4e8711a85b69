package markdown

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Fragment names a place in a document, as a link such as b.md#limits does.
type Fragment struct {
	// Path is as in Links, and "" for the document with the link.
	Path string
	// Name is percent-decoded.
	Name string
}

// fragment returns the fragment in a link's destination. It reports false if there is
// none, or if it leads to what is no place in a document of the repository.
func fragment(destination string) (Fragment, bool) {
	before, name, found := strings.Cut(destination, "#")
	if !found {
		return Fragment{}, false
	}
	name, _, _ = strings.Cut(name, ":~:") // a text to mark
	if decoded, err := url.PathUnescape(name); err == nil {
		name = decoded
	}
	path, relative := RelativeLink(destination)
	return Fragment{Path: path, Name: name}, name != "" && (relative || before == "")
}

var (
	// htmlAnchor is an anchor that is written in HTML.
	htmlAnchor = regexp.MustCompile(`(?i)<[a-z][^<>]*\s(?:id|name)\s*=\s*["']?([^"'\s<>]+)`)
	// givenAnchor is one that a heading gives itself, as in "# Limits {#limits}".
	givenAnchor = regexp.MustCompile(`\{\s*#([^}\s]+)[^}]*\}`)
	// nestedHeading is a heading in a list or a quotation.
	nestedHeading = regexp.MustCompile(`^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)]))+[ \t]*#{1,6}[ \t]+(.+)$`)
)

// Anchors returns the names of places in the document, in lower case: those that GitHub
// gives to headings, and those that the text gives. Where a document may be shown in
// another way, it has rather one name too many.
func (d *Document) Anchors() map[string]bool {
	anchors := map[string]bool{"top": true}
	times := map[string]int{}
	add := func(heading string) {
		if given := givenAnchor.FindStringSubmatch(heading); given != nil {
			anchors[strings.ToLower(given[1])] = true
		}
		name := HeadingAnchor(heading)
		if n := times[name]; n > 0 {
			anchors[name+"-"+strconv.Itoa(n)] = true
		} else {
			anchors[name] = true
		}
		times[name]++
	}
	for _, heading := range d.outline.headings {
		add(heading.text)
	}
	for _, line := range d.outline.lines[d.outline.body:] {
		if nested := nestedHeading.FindStringSubmatch(line); nested != nil {
			add(nested[1])
		}
		for _, found := range htmlAnchor.FindAllStringSubmatch(line, -1) {
			anchors[strings.ToLower(found[1])] = true
		}
	}
	return anchors
}

// HeadingAnchor returns the name of a heading's text as GitHub makes it: letters, digits,
// "_" and "-" stay, spaces become "-". The source is TableOfContentsFilter of GitHub's
// html-pipeline.
func HeadingAnchor(text string) string {
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
