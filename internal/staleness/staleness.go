// Package staleness finds out which documents may no longer hold, since the places in the
// repository that they cite have changed. It knows places, files and git's history; it
// must not know what documents say, nor the database.
//
// A place is compared with what it was in the commit in which the document last said
// something else of its file, or had another date. Other edits confirm nothing. What is not
// committed yet was written just now, and is not stale.
package staleness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/gitlog"
)

// Document names the places that a document cites.
type Document struct {
	// Path is relative to the repository.
	Path   string
	Places []document.Place
}

// Finding is a place that is not as it was.
type Finding struct {
	State State
	// Document and Place are indexes of the documents given, and of the document's Places.
	Document, Place int
	// Now is where the lines are now, if State is Moved.
	Now document.Place
}

// Checker finds stale documents of a checkout. What it has read of git's history it keeps
// until HEAD moves. It is not safe for concurrent use.
type Checker struct {
	root string

	commit  string
	touched map[string][]gitlog.Version // as [gitlog.Folder.Touched] says of commit
	cited   map[citation]cited
	renamed map[string]map[string]string
	// before has the lines of files that were cited, nil of those that are too large to be compared.
	before map[string][]string
	err    error
}

// NewChecker returns a Checker of the repository at root, an absolute path.
func NewChecker(root string) *Checker { return &Checker{root: root} }

// Check returns what is to be said of the places of documents, in their order; those that
// are the same are left out. unasked says why git could not be asked: nothing is known
// then.
func (c *Checker) Check(ctx context.Context, documents []Document) (found []Finding, unasked, err error) {
	if !slices.ContainsFunc(documents, func(d Document) bool { return len(d.Places) > 0 }) {
		return nil, nil, nil
	}
	root, err := contain.Open(c.root)
	if err != nil {
		return nil, nil, fmt.Errorf("open the repository: %w", err)
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	folder, err := gitlog.Open(c.root)
	if err == nil {
		err = c.readHistory(ctx, folder)
	}
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err, nil
	}
	present := &presentFiles{root: root, files: map[string]presentFile{}}
	if err := c.readVersions(ctx, folder, documents, present); err != nil {
		return nil, err, nil
	}
	for i, d := range documents {
		text := strings.Join(present.lines(d.Path), "\n")
		for j, place := range d.Places {
			if found := c.cited[citation{d.Path, place}]; found.commit == "" || found.said != about(text, place) {
				continue // not committed yet
			}
			if state, now := c.judge(d, place, present); state != Same {
				found = append(found, Finding{State: state, Document: i, Place: j, Now: now})
			}
		}
	}
	return found, nil, nil
}

// errShallow is about a clone as CI makes it.
var errShallow = errors.New("this clone has only the newest commits; fetch the whole history, " +
	"as actions/checkout does with fetch-depth: 0")

// readHistory asks git which commit last changed each file, unless it has said so of the
// commit that is checked out. A history that could not be read is not asked for again
// before HEAD moves: it would take as long.
func (c *Checker) readHistory(ctx context.Context, folder gitlog.Folder) error {
	commit, err := folder.Head(ctx)
	if err != nil {
		return err
	}
	if commit == c.commit {
		return c.err
	}
	shallow, err := folder.Shallow(ctx)
	if err == nil && shallow {
		err = errShallow
	}
	var touched map[string][]gitlog.Version
	if err == nil {
		touched, err = folder.Touched(ctx, commit)
	}
	if ctx.Err() == nil {
		c.commit, c.touched, c.cited, c.err = commit, touched, map[citation]cited{}, err
		c.renamed, c.before = map[string]map[string]string{}, map[string][]string{}
	}
	return err
}

// readVersions asks git for the places as they were, where these are not known.
func (c *Checker) readVersions(
	ctx context.Context, folder gitlog.Folder, documents []Document, present *presentFiles,
) error {
	if err := c.readCited(ctx, folder, documents); err != nil {
		return err
	}
	var differing []gitlog.Object
	for _, d := range documents {
		for _, place := range d.Places {
			found := c.cited[citation{d.Path, place}]
			object, now := found.object, present.file(place.Path)
			if object.ID == "" || object.Folder || now.is(object.ID) {
				continue
			}
			if _, known := c.before[object.ID]; !known {
				c.before[object.ID] = nil
				differing = append(differing, object)
			}
			if now.exists || c.renamed[found.commit] != nil {
				continue
			}
			renamed, err := folder.Renamed(ctx, found.commit, c.commit)
			if err != nil {
				return err
			}
			c.renamed[found.commit] = renamed
		}
	}
	return folder.Contents(ctx, differing, func(object gitlog.Object, content []byte) {
		c.before[object.ID] = linesOf(content)
	})
}

// judge says what became of a place of a document.
func (c *Checker) judge(d Document, place document.Place, present *presentFiles) (State, document.Place) {
	cited := c.cited[citation{d.Path, place}]
	object, now := cited.object, present.file(place.Path)
	before := c.before[object.ID]
	switch {
	case now.tooLarge:
		return Unknown, place
	case now.exists && (object.ID == "" || object.Folder || now.unread) || now.is(object.ID):
		return Same, place // written before its place was, or a folder, or not changed
	case object.ID == "", now.exists && before == nil:
		return Unknown, place
	case now.exists:
		return judge(place, before, present.lines(place.Path))
	}
	moved := place
	moved.Path = c.renamed[cited.commit][place.Path]
	if now = present.file(moved.Path); moved.Path == "" || !now.exists {
		return Gone, place
	}
	if before == nil && !now.is(object.ID) {
		return Unknown, place
	}
	state, moved := judge(moved, before, present.lines(moved.Path))
	if now.is(object.ID) || state == Same {
		return Moved, moved
	}
	return state, moved
}
