package history

import (
	"context"
	"errors"
	"fmt"
	"maps"
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

// PlaceChange says how a cited place has changed.
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
}

// NewPlaceChecker returns a PlaceChecker of the repository at root, an absolute path.
func NewPlaceChecker(root string) *PlaceChecker { return &PlaceChecker{root: root} }

// cite is a cited place, and the file as it was when the document last changed what it says of the place.
type cite struct {
	PlaceChange

	before Version
}

// Check returns the cited places that are no longer the same, in the order of documents. The error says why git's history
// could not be read.
func (c *PlaceChecker) Check(ctx context.Context, documents []CitingDocument) ([]PlaceChange, error) {
	if !slices.ContainsFunc(documents, func(d CitingDocument) bool { return len(d.Places) > 0 }) {
		return nil, nil
	}
	root, err := contain.Open(c.root)
	if err != nil {
		return nil, fmt.Errorf("open the repository: %w", err)
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	folder, err := Open(c.root)
	if err != nil {
		return nil, err
	}
	if err := c.readHistory(ctx, folder); err != nil {
		return nil, err
	}
	if err := c.readCited(ctx, folder, documents); err != nil {
		return nil, err
	}
	cites := c.committed(root, documents)
	if err := compare(ctx, folder, root, cites); err != nil {
		return nil, err
	}
	if err := c.follow(ctx, folder, root, cites); err != nil {
		return nil, err
	}
	var changes []PlaceChange
	for _, cite := range cites {
		if cite.State != Same {
			changes = append(changes, cite.PlaceChange)
		}
	}
	return changes, nil
}

// committed returns the places of documents whose lines about them are committed.
func (c *PlaceChecker) committed(root *contain.Root, documents []CitingDocument) []*cite {
	var cites []*cite
	for i, d := range documents {
		read, _ := root.Read(d.Path, contain.MaxDocument) // a document that is gone has no text
		text := string(read.Content)
		for j, place := range d.Places {
			cited := c.cited[citation{d.Path, place}]
			if cited.commit == "" || cited.said != about(text, place) {
				continue
			}
			cites = append(cites, &cite{
				PlaceChange: PlaceChange{Document: i, Place: j, Now: place},
				before:      Version{Commit: cited.commit, Path: strings.TrimSuffix(place.Path, "/")},
			})
		}
	}
	return cites
}

// errShallow is for clones of CI.
var errShallow = errors.New("this clone has only the newest commits; run: git fetch --unshallow, " +
	"or use actions/checkout with fetch-depth: 0")

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
	var touched map[string][]Version
	shallow, err := folder.Shallow(ctx)
	switch {
	case err != nil:
	case shallow:
		err = errShallow
	default:
		touched, err = folder.Touched(ctx, commit)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.commit, c.touched, c.cited, c.err = commit, touched, map[citation]citedVersion{}, err
	c.renamed = map[string]map[string]string{}
	return err
}

// maxRenameTime bounds the search for all renames of missing files together.
const maxRenameTime = 3 * time.Second

// MovedPaths returns the new paths of cited files and folders by the paths that documents cite, from the result of
// Check.
func MovedPaths(documents []CitingDocument, changes []PlaceChange) map[string]string {
	moved := map[string]string{}
	for _, c := range changes {
		if cited := documents[c.Document].Places[c.Place].Path; c.Now.Path != cited {
			moved[cited] = c.Now.Path
		}
	}
	return moved
}

// movedTo returns the new path of a file, or of a folder, whose name ends with "/". It returns "" if nothing moved. A
// folder has moved to where its first file has moved.
func movedTo(renamed map[string]string, name string) string {
	if !strings.HasSuffix(name, "/") {
		return renamed[name]
	}
	for _, from := range slices.Sorted(maps.Keys(renamed)) {
		inside, isInside := strings.CutPrefix(from, name)
		folder, isAlike := strings.CutSuffix(renamed[from], inside)
		if isInside && isAlike && strings.HasSuffix(folder, "/") {
			return folder
		}
	}
	return ""
}

// follow compares the places of files that are gone with the files that they were moved to.
func (c *PlaceChecker) follow(ctx context.Context, folder Folder, root *contain.Root, cites []*cite) error {
	searching, cancel := context.WithTimeout(ctx, maxRenameTime)
	defer cancel()
	var moved []*cite
	for _, cite := range cites {
		if cite.State != Gone {
			continue
		}
		commit := cite.before.Commit
		if _, asked := c.renamed[commit]; !asked {
			renamed, err := folder.Renamed(searching, commit, c.commit)
			if err != nil && (ctx.Err() != nil || searching.Err() == nil) {
				return err
			}
			c.renamed[commit] = renamed
		}
		if c.renamed[commit] == nil {
			cite.State = Unknown
		} else if to := movedTo(c.renamed[commit], cite.Now.Path); to != "" {
			cite.Now.Path = to
			moved = append(moved, cite)
		}
	}
	if err := compare(ctx, folder, root, moved); err != nil {
		return err
	}
	for _, cite := range moved {
		if cite.State == Same {
			cite.State = Moved
		}
	}
	return nil
}
