package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/document"
)

// CitingDocument names the places that a document cites.
type CitingDocument struct {
	Path   string // relative to the repository
	Places []document.Place
}

// PlaceChange is what became of a cited place.
type PlaceChange struct {
	State           State
	Document, Place int            // indexes of the documents given to Check, and of its Places
	Now             document.Place // where the lines are now, if State is Moved
}

// PlaceChecker finds stale documents of a checkout. It keeps what it has read of git's history until HEAD
// moves. It is not safe for concurrent use.
type PlaceChecker struct {
	root string

	commit  string                       // HEAD when the rest was read
	err     error                        // why the history could not be read
	touched map[string][]Version         // as [Folder.Touched] returns it
	cited   map[citation]citedVersion    // as the documents cited it
	renamed map[string]map[string]string // new paths of files by old ones, since a commit; nil if git takes too long
	before  map[string][]string          // lines of cited files by object; nil if the file is too large
}

// NewPlaceChecker returns a PlaceChecker of the repository at root, an absolute path.
func NewPlaceChecker(root string) *PlaceChecker { return &PlaceChecker{root: root} }

// Check returns the places of documents that are not the same any more, in their order. unknown says
// why git could not be asked.
func (c *PlaceChecker) Check(ctx context.Context, documents []CitingDocument) (changes []PlaceChange, unknown, err error) {
	if !slices.ContainsFunc(documents, func(d CitingDocument) bool { return len(d.Places) > 0 }) {
		return nil, nil, nil
	}
	root, err := contain.Open(c.root)
	if err != nil {
		return nil, nil, fmt.Errorf("open the repository: %w", err)
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	present := &presentFiles{root: root, files: map[string]presentFile{}}
	unknown = c.askGit(ctx, documents, present)
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if unknown != nil {
		return nil, unknown, nil
	}
	for i, d := range documents {
		text := strings.Join(present.lines(d.Path), "\n")
		for j, place := range d.Places {
			if ctx.Err() != nil {
				return nil, nil, context.Cause(ctx)
			}
			if cited := c.cited[citation{d.Path, place}]; cited.commit == "" || cited.said != about(text, place) {
				continue // not committed yet
			}
			if state, now := c.judge(d, place, present); state != Same {
				changes = append(changes, PlaceChange{State: state, Document: i, Place: j, Now: now})
			}
		}
	}
	return changes, nil, nil
}

// askGit reads what git knows of the documents and of the cited places that are not present as they were.
func (c *PlaceChecker) askGit(ctx context.Context, documents []CitingDocument, present *presentFiles) error {
	folder, err := Open(c.root)
	if err != nil {
		return err
	}
	if err := c.readHistory(ctx, folder); err != nil {
		return err
	}
	return c.readVersions(ctx, folder, documents, present)
}

// errShallow is for clones of CI.
var errShallow = errors.New("this clone has only the newest commits; fetch the whole history, " +
	"as actions/checkout does with fetch-depth: 0")

// readHistory asks git for the versions of each document, once for each HEAD. It does not try again after
// a failure, which would take as long.
func (c *PlaceChecker) readHistory(ctx context.Context, folder Folder) error {
	commit, err := folder.Head(ctx)
	if err != nil {
		return err
	}
	if commit == c.commit {
		return c.err
	}
	touched, err := touchedIn(ctx, folder, commit)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.commit, c.touched, c.cited, c.err = commit, touched, map[citation]citedVersion{}, err
	c.renamed, c.before = map[string]map[string]string{}, map[string][]string{}
	return err
}

// touchedIn is [Folder.Touched] of a history that is whole.
func touchedIn(ctx context.Context, folder Folder, commit string) (map[string][]Version, error) {
	shallow, err := folder.Shallow(ctx)
	if err != nil {
		return nil, err
	}
	if shallow {
		return nil, errShallow
	}
	return folder.Touched(ctx, commit)
}

// maxRenameTime bounds the search for renames since all commits in which files that are gone were cited.
const maxRenameTime = 3 * time.Second

// readVersions asks git for the cited files as they were, if they are not known yet.
func (c *PlaceChecker) readVersions(ctx context.Context, folder Folder, documents []CitingDocument, present *presentFiles) error {
	if err := c.readCited(ctx, folder, documents); err != nil {
		return err
	}
	searching, cancel := context.WithTimeout(ctx, maxRenameTime)
	defer cancel()
	var differing []Object
	for _, d := range documents {
		for _, place := range d.Places {
			cited := c.cited[citation{d.Path, place}]
			object, now := cited.object, present.file(place.Path)
			if object.ID == "" || object.Folder || now.is(object.ID) {
				continue
			}
			if _, known := c.before[object.ID]; !known {
				c.before[object.ID] = nil
				differing = append(differing, object)
			}
			if _, asked := c.renamed[cited.commit]; asked || now.exists {
				continue
			}
			renamed, err := folder.Renamed(searching, cited.commit, c.commit)
			if err != nil && (ctx.Err() != nil || searching.Err() == nil) {
				return err
			}
			c.renamed[cited.commit] = renamed
		}
	}
	return folder.Contents(ctx, differing, func(object Object, content []byte) {
		c.before[object.ID] = linesOf(content)
	})
}

func (c *PlaceChecker) judge(d CitingDocument, place document.Place, present *presentFiles) (State, document.Place) {
	cited := c.cited[citation{d.Path, place}]
	object, now := cited.object, present.file(place.Path)
	before := c.before[object.ID]
	switch {
	case now.tooLarge:
		return Unknown, place
	case now.exists && (object.ID == "" || object.Folder || now.unread) || now.is(object.ID):
		return Same, place // the document is older than the place; or a folder; or not changed
	case object.ID == "", now.exists && before == nil, !now.exists && c.renamed[cited.commit] == nil:
		return Unknown, place
	case now.exists:
		return judge(place, before, present.lines(place.Path))
	}
	moved := place
	moved.Path = c.renamed[cited.commit][place.Path]
	now = present.file(moved.Path)
	if moved.Path == "" || !now.exists {
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
