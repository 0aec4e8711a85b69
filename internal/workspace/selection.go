package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/index"
)

// allCheckouts, as the path hash of a selection, names all checkouts of a project.
const allCheckouts = "all"

// Select completes a selection for [Workspace.Delete]: without a path hash it is of this
// server's checkout alone, if that is among those selected. Two repositories may have one
// project_name. message names the checkouts that the selection has, and those that it
// leaves out for this reason, or says what there is if it has none. The conditions are
// those of Delete.
func (w *Workspace) Select(ctx context.Context, selection index.Selection) (complete index.Selection, message string, err error) {
	if err := w.hasProject(); err != nil {
		return selection, "", err
	}
	checkouts, err := w.index.Checkouts(ctx, selection.Project)
	if err != nil {
		return selection, "", err
	}
	own := selection.PathHash == nil
	if !own {
		selection.PathHash = new(strings.ToLower(*selection.PathHash))
		if *selection.PathHash == allCheckouts {
			selection.PathHash = nil
		}
	}
	taken, others := split(checkouts, selection)
	var left []index.Checkout
	hash := project.PathHash(w.root())
	if own && slices.ContainsFunc(taken, func(c index.Checkout) bool { return c.Key.PathHash == hash }) {
		selection.PathHash = &hash
		taken, left = split(taken, selection)
	}
	switch {
	case len(checkouts) == 0:
		projects, err := w.index.Projects(ctx)
		return selection, fmt.Sprintf("The index has no project %s; it has %s.", selection.Project, plain.Some(projects, maxNamed)), err
	case len(taken) == 0:
		message = fmt.Sprintf("The index has no such checkout of %s; it has %s.", selection.Project, nameCheckouts(others))
	case slices.ContainsFunc(checkouts, func(c index.Checkout) bool { return c.Root != taken[0].Root }):
		message = "This is of " + nameCheckouts(taken) + "."
		if len(left) > 0 {
			message += " It leaves " + nameCheckouts(left) + `: path_hash "all" takes them too.`
		}
	}
	return selection, message, nil
}

// maxNamed bounds how many checkouts or projects a message names.
const maxNamed = 10

func split(checkouts []index.Checkout, selection index.Selection) (taken, others []index.Checkout) {
	for _, c := range checkouts {
		if selection.Matches(c.Key) {
			taken = append(taken, c)
		} else {
			others = append(others, c)
		}
	}
	return taken, others
}

func nameCheckouts(checkouts []index.Checkout) string {
	names := make([]string, len(checkouts))
	for i, c := range checkouts {
		names[i] = fmt.Sprintf("%s (branch %s, path_hash %s)", plain.Path(c.Root), plain.Line(c.Key.Branch), c.Key.PathHash)
	}
	return plain.Some(names, maxNamed)
}

// root returns the repository of the server's project, "" for none.
func (w *Workspace) root() string {
	if active := w.current(); active != nil {
		return active.Definition.Root
	}
	if deleted := w.deletion(); deleted != nil {
		return deleted.project.Root
	}
	if p, err := w.load(w.ownDir()); err == nil {
		return p.Root
	}
	return ""
}
