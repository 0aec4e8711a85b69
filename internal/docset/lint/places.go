package lint

import (
	"context"
	"fmt"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/history"
	"github.com/compound-docs/compound-docs/rag/index"
)

// checkPlaces finds cited places that have changed, moved or disappeared since the documents were written. If git
// cannot tell, the report gets a note.
func (e *examination) checkPlaces(ctx context.Context) error {
	changes, unknown := history.NewPlaceChecker(e.project.Root).Check(ctx, CitingDocuments(e.set))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if unknown != nil {
		e.report.Notes = append(e.report.Notes, "cited places were not checked: "+unknown.Error())
	}
	for _, c := range changes {
		d := e.set.Documents[c.Document]
		place := d.Places[c.Place]
		line := place.Line
		if place.Field >= 0 {
			line = d.LineOfField(fmt.Sprintf("%s[%d]", index.FilesField, place.Field))
		}
		switch c.State {
		case history.Changed:
			e.add(d, line, Warning, "place-changed", fmt.Sprintf(
				"%s has changed since the document was written; see whether the document still holds, and correct it or its citation", place))
		case history.Gone:
			e.add(d, line, Warning, "place-gone", fmt.Sprintf("%s is gone since the document was written", place))
		case history.Moved:
			severity := Notice
			if c.Now.Path != place.Path {
				severity = Warning
			}
			e.add(d, line, severity, "place-moved", fmt.Sprintf("%s is now %s", place, c.Now))
		case history.Unknown:
			if place.Field >= 0 { // a place in the text may belong to another program
				e.add(d, line, Notice, "place-unknown", fmt.Sprintf(
					"%s cannot be compared: it was not there when the document was written, or the file is too large or hard to find", place))
			}
		case history.Same:
		}
	}
	return nil
}

// CitingDocuments returns the places that each document of the set cites, in the order of set.Documents.
func CitingDocuments(set *docset.Set) []history.CitingDocument {
	documents := make([]history.CitingDocument, len(set.Documents))
	for i, d := range set.Documents {
		documents[i].Path = d.Path
		for _, place := range d.Places {
			documents[i].Places = append(documents[i].Places, place.Place)
		}
	}
	return documents
}
