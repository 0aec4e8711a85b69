package lint

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/compound-docs/compound-docs/internal/docset"
)

// checkLinks finds broken links, and documents without a link to or from another document.
func (e *examination) checkLinks() {
	linked := map[*docset.Document]bool{}
	for _, d := range e.set.Documents {
		for _, target := range d.Targets {
			if target.Document != nil {
				linked[d], linked[target.Document] = true, true
			}
		}
	}
	for _, d := range e.set.Documents {
		if d.Err != nil {
			continue
		}
		if !linked[d] {
			e.add(d, 1, Notice, "orphan", "no document links to it, and it links to none")
		}
		told := map[string]bool{}
		for _, target := range d.Targets {
			if target.Missing && !told[target.Path] {
				told[target.Path] = true
				e.addBroken(d, target)
			}
		}
	}
}

// addBroken adds a finding for a broken link. The finding is only a warning if the link is a picture, a number or a
// wikilink. The number may mean a decision elsewhere. The wikilink may be a text without a link.
func (e *examination) addBroken(d *docset.Document, target docset.Target) {
	folder, number, isNumber := strings.Cut(target.Path, "#")
	named := e.set.Numbered(d.Path, target.Path)
	switch {
	case target.Relation != "" && len(named) > 1:
		e.add(d, statusLine(d), Error, "ambiguous-number",
			named[0].Path+" and "+named[1].Path+" have the number "+number+"; name the document by its path")
	case target.Relation != "" && isNumber && (folder == "" || strings.HasSuffix(folder, "/")):
		e.add(d, statusLine(d), Warning, "broken-link",
			"there is no decision "+number+" in "+cmp.Or(folder, "the folder")+"; name the document by its path")
	case target.Wiki:
		e.add(d, d.LineOf(target.Path), Warning, "broken-link", "there is no "+target.Path+" in any folder of the documents")
	case isImage.MatchString(target.Path):
		e.add(d, d.LineOf(target.Path), Warning, "broken-link", "there is no picture "+target.Path)
	default:
		e.add(d, d.LineOf(target.Path), Error, "broken-link", "there is no "+target.Path)
	}
}

var isImage = regexp.MustCompile(`(?i)\.(?:png|jpe?g|gif|svg|webp|avif|bmp|ico)$`)
