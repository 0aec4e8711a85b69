package staleness

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/gitlog"
)

// Written is the commit that last changed a document. The zero value is that of a document
// that was never committed.
type Written struct {
	gitlog.Commit

	object string // git's name of the bytes in the commit that is checked out
}

// Provenance says who wrote a document last and in which commit, and whether that commit has
// content, what the document holds now.
func (w Written) Provenance(content []byte) string {
	if w.ID == "" {
		return "not committed"
	}
	const short = 12
	text := fmt.Sprintf("%s, %s, commit %s", w.Author, w.Date, w.ID[:min(len(w.ID), short)])
	if !slices.Contains(namesOf(content), w.object) {
		text += "; changes since are not committed"
	}
	return text
}

// Written returns the commits that last changed the documents at a path or below it, by
// their paths. A Checker is always asked for the same path. The map is not changed later.
func (c *Checker) Written(ctx context.Context, below string) (map[string]Written, error) {
	folder, err := gitlog.Open(c.root)
	if err == nil {
		err = c.readHistory(ctx, folder)
	}
	if err != nil || c.written != nil {
		return c.written, err
	}
	var paths []string
	var versions []gitlog.Version
	for name := range c.touched {
		if name == below || strings.HasPrefix(name, path.Clean(below)+"/") {
			paths, versions = append(paths, name), append(versions, gitlog.Version{Commit: c.commit, Path: name})
		}
	}
	objects, err := folder.Objects(ctx, versions)
	if err != nil {
		return nil, err
	}
	written := make(map[string]Written, len(paths))
	for i, object := range objects {
		if object.ID != "" { // else the commit has removed it
			written[paths[i]] = Written{Commit: c.touched[paths[i]][0].Commit, object: object.ID}
		}
	}
	c.written = written
	return written, nil
}
