package history

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/document"
)

// citation is a place that a document cites.
type citation struct {
	document string // path
	place    document.Place
}

// citedVersion says when a document last changed what it says about a place, which is a file or lines of a file that the
// document cites.
type citedVersion struct {
	statement string // the document's text about the place, see [statementOn]
	commit    string // commit in which the document last changed the statement
}

// statementOn returns what a document says about a place: the parts of its text that name the place's file, and the
// part with the document's date. A part is a line, or a piece of a line between commas.
func statementOn(text string, place document.Place) string {
	var said strings.Builder
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' || r == ',' }) {
		part = strings.Trim(part, " \t[]-")
		if strings.Contains(part, path.Base(place.Path)) || strings.HasPrefix(part, "date:") {
			said.WriteString(part + "\n")
		}
	}
	return said.String()
}

// readCited asks git when each document last changed its text about each place, and keeps the answers in c.cited. It
// does not ask about documents that are not committed yet, or whose places are all in c.cited.
func (c *PlaceChecker) readCited(ctx context.Context, folder Folder, documents []CitingDocument) error {
	var versions []Version
	var versionOf []CitingDocument
	for _, d := range documents {
		isNew := func(p document.Place) bool { return c.cited[citation{d.Path, p}].commit == "" }
		if slices.ContainsFunc(d.Places, isNew) {
			versions = append(versions, c.touched[d.Path]...)
			versionOf = append(versionOf, slices.Repeat([]CitingDocument{d}, len(c.touched[d.Path]))...)
		}
	}
	cited := map[citation]citedVersion{}
	changed := map[citation]bool{} // an earlier version has another text about the place
	err := folder.Contents(ctx, versions, func(i int, content Content) {
		for _, place := range versionOf[i].Places {
			key, said := citation{versionOf[i].Path, place}, statementOn(string(content.Text), place)
			last, known := cited[key]
			changed[key] = changed[key] || known && said != last.statement
			if !changed[key] {
				cited[key] = citedVersion{statement: said, commit: versions[i].Commit}
			}
		}
	})
	if err != nil {
		return err
	}
	maps.Copy(c.cited, cited)
	return nil
}
