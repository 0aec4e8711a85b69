package lint

import (
	"context"
	"fmt"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/staleness"
	"github.com/compound-docs/compound-docs/rag/index"
)

// checkFiles finds documents whose files are gone, or were changed after the document's
// date: what they say may no longer be so. Where git cannot say, the report says so.
func (e *examination) checkFiles(ctx context.Context) error {
	var documents []*docset.Document
	var about []staleness.Document
	for _, d := range e.set.Documents {
		if len(d.Files) > 0 {
			documents = append(documents, d)
			about = append(about, staleness.Document{Path: d.Path, Date: d.Date, Files: d.Files})
		}
	}
	found, unasked, err := staleness.NewChecker(e.project.Root).Check(ctx, about)
	if err != nil {
		return err
	}
	if unasked != nil {
		e.report.Notes = append(e.report.Notes, "whether the files of documents were changed was not checked: "+unasked.Error())
	}
	for _, f := range found {
		d := documents[f.Document]
		severity, check, message := Warning, "files-gone", f.What
		switch f.Kind {
		case staleness.Changed:
			check = "files-changed"
			message += fmt.Sprintf(", after the document's date, %s; if the document still holds, renew its date", d.Date)
		case staleness.Unknown:
			severity, check = Notice, "files-unknown"
		case staleness.Gone:
		}
		e.add(d, d.LineOfField(fmt.Sprintf("%s[%d]", index.FilesField, f.File)), severity, check, message)
	}
	return nil
}
