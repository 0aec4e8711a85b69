package lint

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
	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/gitlog"
)

// filesField is the field of the front matter that names the files that a document is
// about.
const filesField = "files_involved"

// involved is a file that a document names.
type involved struct {
	document *docset.Document
	field    string // such as files_involved[0]
	given    string
	path     string // in the repository
}

// checkFiles finds documents whose files are gone, or were changed after the document's
// date: what they say may no longer be so.
func (e *examination) checkFiles(ctx context.Context) error {
	files, oldest := e.filesInvolved()
	if len(files) == 0 {
		return nil
	}
	root, err := contain.Open(e.project.Root)
	if err != nil {
		return fmt.Errorf("open the repository: %w", err)
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	changes, err := e.changes(ctx, oldest)
	if err != nil {
		return err
	}
	for _, f := range files {
		change, known := changes[f.path]
		if severity, check, message := f.judge(change, known, docset.Exists(root, f.path)); message != "" {
			e.add(f.document, f.document.LineOfField(f.field), severity, check, message)
		}
	}
	return nil
}

// judge returns what there is to say of a file, and an empty message for nothing. known
// says that git has a change of it.
func (f involved) judge(change gitlog.Change, known, exists bool) (severity Severity, check, message string) {
	switch {
	case exists && known && dated(f.document) && change.Date > f.document.Date:
		return Warning, "files-changed", fmt.Sprintf(
			"%s was changed on %s, after the document's date, %s; if the document still holds, renew its date",
			f.given, change.Date, f.document.Date)
	case exists:
		return "", "", ""
	case !known:
		return Notice, "files-unknown",
			f.given + " is not there, nor does git know that it was since the document's date"
	case change.MovedTo != "":
		return Warning, "files-gone", fmt.Sprintf("%s was moved to %s on %s", f.given, change.MovedTo, change.Date)
	case change.Gone:
		return Warning, "files-gone", fmt.Sprintf("%s was removed on %s", f.given, change.Date)
	default:
		return Warning, "files-gone", f.given + " is gone"
	}
}

// lineSuffix is the line or the lines behind the name of a file, as in pool.go:12-20.
var lineSuffix = regexp.MustCompile(`:\d+([-:]\d+)?$`)

// filesInvolved returns the files that documents name, and the date of the oldest of these
// documents.
func (e *examination) filesInvolved() (files []involved, oldest string) {
	for _, d := range e.set.Documents {
		list, _ := d.FrontMatter[filesField].([]any)
		for i, item := range list {
			given, _ := item.(string)
			name := lineSuffix.ReplaceAllString(strings.TrimSpace(given), "")
			if strings.ContainsAny(name, "*?[{") { // of a pattern the folder that it begins with
				name, _ = doublestar.SplitPattern(name)
			}
			name = strings.TrimPrefix(path.Clean("/"+name), "/")
			if name == "" || strings.ContainsRune(name, 0) {
				continue
			}
			files = append(files, involved{document: d, field: fmt.Sprintf("%s[%d]", filesField, i), given: given, path: name})
			if dated(d) && (oldest == "" || d.Date < oldest) {
				oldest = d.Date
			}
		}
	}
	return files, cmp.Or(oldest, "1970-01-01")
}

func dated(d *docset.Document) bool {
	_, err := time.Parse(time.DateOnly, d.Date)
	return err == nil
}

// changes asks git for the changes of files. Where git cannot say, there are none, and the
// report says so.
func (e *examination) changes(ctx context.Context, since string) (map[string]gitlog.Change, error) {
	changes, err := changesOf(ctx, e.project.Root, since)
	if err != nil {
		changes = map[string]gitlog.Change{}
		e.report.Notes = append(e.report.Notes, "whether the files of documents were changed was not checked: "+err.Error())
	}
	return changes, context.Cause(ctx)
}

func changesOf(ctx context.Context, root, since string) (map[string]gitlog.Change, error) {
	folder, err := gitlog.Open(root)
	if err != nil {
		return nil, err
	}
	commit, err := folder.Head(ctx)
	if err != nil {
		return nil, err
	}
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
