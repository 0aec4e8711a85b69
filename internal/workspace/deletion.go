package workspace

import (
	"context"
	"fmt"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

// deletedError says that no project is active because p was deleted from the index. Every call returns this error until
// a server of the checkout activates p.
func deletedError(p *Project) *apierror.Error {
	e := errNotActivated()
	e.Err = fmt.Errorf("the index of project %q on branch %q was deleted with delete_documents, or with its database; "+
		"the files are untouched, "+
		"and stay out of the index until activate_project is called with config_path %q and the checked-out branch",
		p.Tenant.Key.Project, p.Tenant.Key.Branch, p.Definition.ConfigPath)
	return e.With("config_path", p.Definition.ConfigPath)
}

// Delete removes a selection of projects from the index. If the active project is selected, no project is active
// afterwards, because otherwise the server would index the project's files again at once. Other servers notice the
// deletion and stop indexing too.
//
// Delete fails with PROJECT_NOT_ACTIVATED if the server has no active project and was started without a project.
func (w *Workspace) Delete(ctx context.Context, selection index.Selection) (index.Contents, error) {
	if err := w.beginSwitch(ctx); err != nil {
		return index.Contents{}, err
	}
	defer w.endSwitch()
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
	p, key, err := w.checkedOut(ctx, w.ownDir())
	if err != nil || !selection.Matches(key) {
		return contents, nil // the next call reports the error
	}
	deleted := w.newProject(p, &catalog.Tenant{Key: key}) // so that the next call does not activate the project
	deleted.deleted.Store(true)
	w.start(deleted)
	return contents, nil
}

// Contents counts what [Workspace.Delete] would remove. It fails with PROJECT_NOT_ACTIVATED like Delete.
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
		return errNotActivated()
	}
	if _, err := w.Settings.Load(dir); err != nil {
		refused := apierror.AsError(err) // activate_project would return this error too
		refused.Code = apierror.ProjectNotActivated
		return refused
	}
	return nil
}

// checkedOut returns the project of a config, and the key of its tenant on the checked-out branch.
func (w *Workspace) checkedOut(ctx context.Context, configPath string) (*project.Project, catalog.TenantKey, error) {
	p, err := w.Settings.Load(configPath)
	if err != nil {
		return nil, catalog.TenantKey{}, err
	}
	key, err := LastKey(ctx, w.index, p)
	return p, key, err
}
