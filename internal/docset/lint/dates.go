package lint

import (
	"context"
	"fmt"
	"time"

	"github.com/compound-docs/compound-docs/internal/history"
)

// checkDates finds documents that were changed more than a year after their date: a reader takes them for older than
// they are, and a search for earlier than others on their subject. It does nothing without a history that git can read:
// checkPlaces says why.
func (e *examination) checkDates(ctx context.Context) error {
	changed, err := e.lastChanges(ctx)
	if err != nil {
		return ctx.Err() //nolint:wrapcheck // the caller's own
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

// lastChanges returns when files were last changed after they were added.
func (e *examination) lastChanges(ctx context.Context) (map[string]string, error) {
	folder, err := history.Open(e.project.Root)
	if err != nil {
		return nil, err
	}
	head, err := folder.Head(ctx)
	if err != nil {
		return nil, err
	}
	return folder.Changed(ctx, head, e.project.DocumentsRoot())
}
