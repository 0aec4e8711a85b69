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
	Document, Place int            // index in the documents given to Check, and index in Places of the document
	Now             document.Place // the place with the file's present path, and with the present lines if State is Moved
}

// PlaceChecker finds stale documents of a checkout. It keeps what it has read of git's history until HEAD
// moves. It is not safe for concurrent use.
type PlaceChecker struct {
	root string

	commit  string                       // HEAD when the other fields were read
	err     error                        // why the history could not be read
	touched map[string][]Version         // result of [Folder.Touched]
	cited   map[citation]citedVersion    // see [PlaceChecker.readCited]
	renamed map[string]map[string]string // result of [Folder.Renamed] by earlier commit; nil if git takes too long
}

// NewPlaceChecker returns a PlaceChecker of the repository at root, an absolute path.
func NewPlaceChecker(root string) *PlaceChecker { return &PlaceChecker{root: root} }

// cite is a cited place. original is the place's file in the commit of the place's citedVersion.
type cite struct {
	PlaceChange

	original Version
}

// Check returns the cited places that are not [Same], in the order of documents. It fails without a readable history.
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

// committed returns the cited places, without places on which the document's present statement is uncommitted.
func (c *PlaceChecker) committed(root *contain.Root, documents []CitingDocument) []*cite {
	var cites []*cite
	for i, d := range documents {
		read, _ := root.Read(d.Path, contain.MaxDocument) // a document that is gone has no text
		text := string(read.Content)
		for j, place := range d.Places {
			cited := c.cited[citation{d.Path, place}]
			if cited.commit == "" || cited.statement != statementOn(text, place) {
				continue
			}
			cites = append(cites, &cite{
				PlaceChange: PlaceChange{Document: i, Place: j, Now: place},
				original:    Version{Commit: cited.commit, Path: strings.TrimSuffix(place.Path, "/")},
			})
		}
	}
	return cites
}

// errShallow means that old commits are missing. Clones for CI usually have only the newest commit.
var errShallow = errors.New("this clone has only the newest commits; run: git fetch --unshallow, " +
	"or use actions/checkout with fetch-depth: 0")

// readHistory asks git for the versions of each document, once for each HEAD. After a failure it does not try again for
// the same HEAD, because a second try would take as long as the first.
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

// maxRenameTime bounds the time in which [PlaceChecker.follow] asks git for the new paths of all missing files.
const maxRenameTime = 3 * time.Second

// MovedPaths maps cited paths to the new paths of moved files and folders. changes is Check's result for documents.
func MovedPaths(documents []CitingDocument, changes []PlaceChange) map[string]string {
	moved := map[string]string{}
	for _, c := range changes {
		if cited := documents[c.Document].Places[c.Place].Path; c.Now.Path != cited {
			moved[cited] = c.Now.Path
		}
	}
	return moved
}

// movedTo returns the new path of a file, or "" if the file has not moved. renamed has new paths by old paths. A name
// that ends with "/" is a folder. The first file that was moved together with the folder shows the folder's new path.
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

// follow asks git where missing files are now, and compares the places that cite them with the moved files.
func (c *PlaceChecker) follow(ctx context.Context, folder Folder, root *contain.Root, cites []*cite) error {
	searching, cancel := context.WithTimeout(ctx, maxRenameTime)
	defer cancel()
	var moved []*cite
	for _, cite := range cites {
		if cite.State != Gone {
			continue
		}
		commit := cite.original.Commit
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
