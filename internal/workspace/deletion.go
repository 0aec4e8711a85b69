package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

// deletedError is why no project is active once p was deleted from the index. It remains so
// until this server or another one of the checkout activates the project.
func deletedError(p *Project) *apierror.Error {
	e := notActivated("")
	e.Err = fmt.Errorf("the index of project %q on branch %q was deleted with delete_documents, or with its database; "+
		"the files are untouched, "+
		"and stay out of the index until activate_project is called with config_path %q and the checked-out branch",
		p.Tenant.Key.Project, p.Tenant.Key.Branch, p.Definition.ConfigPath)
	return e.With("config_path", p.Definition.ConfigPath)
}

// Delete removes a selection from the index. If the selection contains the active
// project, no project is active afterwards, since its files would be indexed again
// at once. Other servers notice the deletion and do the same.
//
// The server must have a project or be started for one, which may be deleted. It is
// not activated.
func (w *Workspace) Delete(ctx context.Context, selection index.Selection) (index.Contents, error) {
	w.switching.Lock()
	defer w.switching.Unlock()
	if err := w.hasProject(); err != nil {
		return index.Contents{}, err
	}
	contents, err := w.index.Delete(ctx, selection)
	if err != nil {
		return contents, err
	}
	if active := w.current(); active != nil {
		if selection.Matches(active.Tenant.Key) {
			active.deleted.Store(true)
			signal(active.wake)
		}
		return contents, nil
	}
	// The next call would activate it.
	if dir := w.ownDir(); dir != "" {
		if p, key, err := w.checkedOut(ctx, dir); err == nil && selection.Matches(key) {
			deleted := w.newProject(p, &catalog.Tenant{Key: key})
			deleted.deleted.Store(true)
			w.start(deleted)
		}
	}
	return contents, nil
}

// Contents returns what [Workspace.Delete] would remove, under the same conditions.
func (w *Workspace) Contents(ctx context.Context, selection index.Selection) (index.Contents, error) {
	if err := w.hasProject(); err != nil {
		return index.Contents{}, err
	}
	return w.index.Contents(ctx, selection)
}

// hasProject fails with PROJECT_NOT_ACTIVATED if the server knows no project.
func (w *Workspace) hasProject() error {
	if w.current() != nil {
		return nil
	}
	dir := w.ownDir()
	if dir == "" {
		return notActivated("")
	}
	if _, err := w.load(dir); err != nil {
		return notActivated(err.Error())
	}
	return nil
}

// checkedOut returns the project of a config, with its present branch.
func (w *Workspace) checkedOut(ctx context.Context, configPath string) (*project.Project, catalog.TenantKey, error) {
	p, err := w.load(configPath)
	if err != nil {
		return nil, catalog.TenantKey{}, err
	}
	key, err := LastKey(ctx, w.index, p)
	return p, key, err
}

// rejoin finds a tenant that is in the index. It registers none.
func (w *Workspace) rejoin(ctx context.Context, key catalog.TenantKey, _ string) (*catalog.Tenant, error) {
	return w.index.Rejoin(ctx, key)
}

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
	root, _ := w.currentRoot()
	hash := project.PathHash(root)
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
