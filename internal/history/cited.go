package history

import (
	"context"
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

// citedVersion is a place as a document cited it.
type citedVersion struct {
	said   string // the document's lines about the file, see about
	commit string // in which the document last changed them; "" before the first
	object Object // the file in that commit
}

// about returns the parts of a document that name the file of a place, and its date. A part is a line,
// or an item between commas.
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

// readCited asks git for the cited versions that are not known yet.
func (c *PlaceChecker) readCited(ctx context.Context, folder Folder, documents []CitingDocument) error {
	var versions, there []Version
	asked := slices.DeleteFunc(slices.Clone(documents), func(d CitingDocument) bool {
		return !slices.ContainsFunc(d.Places, func(p document.Place) bool { return c.cited[citation{d.Path, p}].commit == "" })
	})
	for _, d := range asked {
		versions = append(versions, c.touched[d.Path]...)
	}
	objects, err := folder.Objects(ctx, versions)
	if err != nil {
		return err
	}
	texts := map[string]string{}
	files := slices.DeleteFunc(slices.Clone(objects), func(o Object) bool { return o.ID == "" || o.Folder })
	err = folder.Contents(ctx, files, func(o Object, content []byte) { texts[o.ID] = string(content) })
	if err != nil {
		return err
	}
	var citations []citation
	var cited []citedVersion
	for _, d := range asked {
		former := objects[:len(c.touched[d.Path])]
		objects = objects[len(former):]
		if len(former) == 0 {
			continue // not committed yet
		}
		for _, place := range d.Places {
			at, said := 0, about(texts[former[0].ID], place)
			for at+1 < len(former) && about(texts[former[at+1].ID], place) == said {
				at++
			}
			commit := c.touched[d.Path][at].Commit
			citations, cited = append(citations, citation{d.Path, place}), append(cited, citedVersion{said: said, commit: commit})
			there = append(there, Version{Commit: commit, Path: strings.TrimSuffix(place.Path, "/")})
		}
	}
	citedObjects, err := folder.Objects(ctx, there)
	if err != nil {
		return err
	}
	for i, object := range citedObjects {
		cited[i].object = object
		c.cited[citations[i]] = cited[i]
	}
	return nil
}
