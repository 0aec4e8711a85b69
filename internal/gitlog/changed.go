package gitlog

import (
	"bytes"
	"context"
	"io"
	"path"
)

// Change is the last change of a path in a history.
type Change struct {
	// Date is when it was made, as its author's clock had it, such as 2026-01-02.
	Date string
	// Gone says that the file was removed, or moved to the path MovedTo.
	Gone    bool
	MovedTo string
}

// Changed returns the last changes of the folder's files by the commits since a date, such
// as 2026-01-02, that the history of a commit has. Paths are relative to the folder. A
// folder in it has the latest change of its files.
func (f Folder) Changed(ctx context.Context, commit, since string) (map[string]Change, error) {
	last := map[string]Change{}
	note := func(name string, c Change) {
		// Commits do not come in the order of their authors' dates.
		if known, seen := last[name]; !seen {
			last[name] = c
		} else if known.Date < c.Date {
			known.Date = c.Date
			last[name] = known
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if last[dir].Date >= c.Date {
				break
			}
			last[dir] = Change{Date: c.Date}
		}
	}
	err := f.changes(ctx, commit, "AMDRT", func(c change) {
		note(c.path, Change{Date: c.date, Gone: c.gone})
		if c.from != "" {
			note(c.from, Change{Date: c.date, Gone: true, MovedTo: c.path})
		}
	}, "--since="+since+"T00:00:00")
	return last, err
}

// Shallow reports whether the checkout has only the newest commits of its history. Then
// its oldest commit seems to add every file.
func (f Folder) Shallow(ctx context.Context) (shallow bool, err error) {
	err = f.run(ctx, func(output io.Reader) error {
		text, err := io.ReadAll(output)
		shallow = bytes.HasPrefix(text, []byte("true"))
		return err
	}, "rev-parse", "--is-shallow-repository")
	return shallow, err
}
