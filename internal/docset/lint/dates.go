package lint

import (
	"context"
	"fmt"
	"time"

	"github.com/compound-docs/compound-docs/internal/history"
	"github.com/compound-docs/compound-docs/internal/project"
)

// checkDates finds documents that were changed more than a year after their date: a reader takes them for older than
// they are, and a search for earlier than others on their subject. It does nothing without a history that git can read:
// checkPlaces says why.
func (e *examination) checkDates(ctx context.Context) error {
	changed := LastChanges(ctx, e.project)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, d := range e.set.Documents {
		date, err := time.Parse(time.DateOnly, d.Date)
		if err != nil {
			continue // it has none
		}
		if date.AddDate(1, 0, 0).Format(time.DateOnly) < changed[d.Path] {
			e.add(d, d.LineOfField("date"), Notice, "old-date", fmt.Sprintf(
				"its date is %s, and it was last changed on %s; set `date` if what it says was changed", d.Date, changed[d.Path]))
		}
	}
	return nil
}

// LastChanges returns when files were last changed after they were added, by their paths. It is empty without a history
// that git can read.
func LastChanges(ctx context.Context, p *project.Project) map[string]string {
	folder, err := history.Open(p.Root)
	if err != nil {
		return nil
	}
	head, err := folder.Head(ctx)
	if err != nil {
		return nil
	}
	changed, _ := folder.Changed(ctx, head, p.DocumentsRoot()) // up to an error
	return changed
}
