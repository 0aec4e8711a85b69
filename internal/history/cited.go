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
	document string
	place    document.Place
}

// citedVersion says when a document last changed its lines about a place.
type citedVersion struct {
	said   string // the document's lines about the file, see about
	commit string // commit in which the document last changed these lines
}

// about returns the parts of a document that name the file of a place, and the part with the document's date. A part is
// a line, or an item between commas.
func about(text string, place document.Place) string {
	var said strings.Builder
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' || r == ',' }) {
		part = strings.Trim(part, " \t[]-")
		if strings.Contains(part, path.Base(place.Path)) || strings.HasPrefix(part, "date:") {
			said.WriteString(part + "\n")
		}
	}
	return said.String()
}

// readCited asks git when documents last changed their lines about places, and keeps the answers. It leaves out places
// that are known, and documents that are not committed yet.
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
	changed := map[citation]bool{} // an earlier version says something else
	err := folder.Contents(ctx, versions, func(i int, content Content) {
		for _, place := range versionOf[i].Places {
			key, said := citation{versionOf[i].Path, place}, about(string(content.Text), place)
			last, known := cited[key]
			changed[key] = changed[key] || known && said != last.said
			if !changed[key] {
				cited[key] = citedVersion{said: said, commit: versions[i].Commit}
			}
		}
	})
	if err != nil {
		return err
	}
	maps.Copy(c.cited, cited)
	return nil
}
