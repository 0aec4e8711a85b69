// Package staleness finds documents that may no longer hold, since the files that they
// are about are gone or were changed after the document's date. It knows paths, dates and
// git's history; it must not know what documents or files say, nor the database.
package staleness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/gitlog"
)

// Document names the files that a document is about.
type Document struct {
	Path string
	// Date is such as 2026-01-02. With another one, changes of files say nothing.
	Date string
	// Files are as people write them: paths in the repository, perhaps with lines, such as
	// src/pool.go:12-20, or patterns.
	Files []string
}

// Kind says what there is to say of a file.
type Kind int

// The kinds.
const (
	// Changed was changed after the document's date.
	Changed Kind = iota
	// Gone was removed or moved.
	Gone
	// Unknown is not there, and git does not know that it was: it may be another
	// repository's.
	Unknown
)

// Finding is a file that is not as it was.
type Finding struct {
	Kind Kind
	// Document and File are indexes of the documents given, and of the document's Files.
	Document, File int
	// What says in a few words what became of the file.
	What string
}

// Checker finds stale documents of a checkout. It asks git for the history again only
// after HEAD has moved. It is not safe for concurrent use.
type Checker struct {
	root string

	// changes are those of commit since a date, and err is why there are none.
	commit, since string
	changes       map[string]gitlog.Change
	err           error
}

// NewChecker returns a Checker of the repository at root, an absolute path.
func NewChecker(root string) *Checker { return &Checker{root: root} }

// Check returns what is to be said of the files of documents, in their order. unasked says
// why git could not be asked: files are not known to have changed then.
func (c *Checker) Check(ctx context.Context, documents []Document) (found []Finding, unasked, err error) {
	files, oldest := filesOf(documents)
	if len(files) == 0 {
		return nil, nil, nil
	}
	root, err := contain.Open(c.root)
	if err != nil {
		return nil, nil, fmt.Errorf("open the repository: %w", err)
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	unasked = c.ask(ctx, oldest)
	if err := context.Cause(ctx); err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		change, known := c.changes[f.path]
		d := documents[f.document]
		if kind, what := judge(d.Files[f.file], d.Date, change, known, root.Exists(f.path)); what != "" {
			found = append(found, Finding{Kind: kind, Document: f.document, File: f.file, What: what})
		}
	}
	return found, unasked, nil
}

// judge returns what there is to say of a file, and "" for nothing. known says that git has
// a change of it.
func judge(given, date string, change gitlog.Change, known, exists bool) (kind Kind, what string) {
	switch {
	case exists && known && dated(date) && change.Date > date:
		return Changed, fmt.Sprintf("%s was changed on %s", given, change.Date)
	case exists:
		return 0, ""
	case !known:
		return Unknown, given + " is not there, nor does git know that it was since the document's date"
	case change.MovedTo != "":
		return Gone, fmt.Sprintf("%s was moved to %s on %s", given, change.MovedTo, change.Date)
	case change.Gone:
		return Gone, fmt.Sprintf("%s was removed on %s", given, change.Date)
	default:
		return Gone, given + " is gone"
	}
}

// file is one that a document names, with its path in the repository.
type file struct {
	document, file int
	path           string
}

// lineSuffix is the line or the lines behind the name of a file, as in pool.go:12-20.
var lineSuffix = regexp.MustCompile(`:\d+([-:]\d+)?$`)

// filesOf returns the files that documents name, and the date of the oldest of these
// documents.
func filesOf(documents []Document) (files []file, oldest string) {
	for i, d := range documents {
		for j, given := range d.Files {
			name := lineSuffix.ReplaceAllString(strings.TrimSpace(given), "")
			if strings.ContainsAny(name, "*?[{") { // of a pattern the folder that it begins with
				name, _ = doublestar.SplitPattern(name)
			}
			name = strings.TrimPrefix(path.Clean("/"+name), "/")
			if name == "" || strings.ContainsRune(name, 0) {
				continue
			}
			files = append(files, file{document: i, file: j, path: name})
			if dated(d.Date) && (oldest == "" || d.Date < oldest) {
				oldest = d.Date
			}
		}
	}
	return files, cmp.Or(oldest, "1970-01-01")
}

func dated(date string) bool {
	_, err := time.Parse(time.DateOnly, date)
	return err == nil
}

// ask has git say what changed since a date, unless it has said so of the commit that is
// checked out. A history that could not be read is not asked for again before HEAD moves:
// it would take as long.
func (c *Checker) ask(ctx context.Context, since string) error {
	folder, err := gitlog.Open(c.root)
	if err != nil {
		return err
	}
	commit, err := folder.Head(ctx)
	if err != nil {
		return err
	}
	if commit == c.commit && since >= c.since {
		return c.err
	}
	changes, err := changesOf(ctx, folder, commit, since)
	if ctx.Err() == nil {
		c.commit, c.since, c.changes, c.err = commit, since, changes, err
	}
	return err
}

func changesOf(ctx context.Context, folder gitlog.Folder, commit, since string) (map[string]gitlog.Change, error) {
	shallow, err := folder.Shallow(ctx)
	if err == nil && shallow {
		err = errShallow
	}
	if err != nil {
		return nil, err
	}
	return folder.Changed(ctx, commit, since)
}

// errShallow is about a clone as CI makes it.
var errShallow = errors.New("this clone has only the newest commits; fetch the whole history, " +
	"as actions/checkout does with fetch-depth: 0")
