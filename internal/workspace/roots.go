package workspace

import (
	"context"
	"slices"

	"github.com/compound-docs/compound-docs/internal/project"
)

// Follow tells the workspace which folders the client works in, the first one before the
// others. Call it before each call that needs a project: it costs nothing as long as they
// are the same.
//
// When the client has left the repository of the active project, as it does when it
// enters another worktree, the next call activates the one that it has gone to. A project
// that the client was not in, because another one was activated on purpose, stays.
func (w *Workspace) Follow(ctx context.Context, folders []string) {
	w.mu.Lock()
	same := slices.Equal(folders, w.clientFolders)
	w.mu.Unlock()
	if same {
		return
	}
	var roots []string
	for _, folder := range folders {
		if root, err := project.FindRoot(folder); err == nil {
			roots = append(roots, root)
		}
	}
	if w.beginSwitch(ctx) != nil {
		return // the call is given up
	}
	defer w.endSwitch()
	at, certain := w.currentRoot()
	w.mu.Lock()
	before := w.clientRoots
	w.clientFolders, w.clientRoots = folders, roots
	w.mu.Unlock()
	switch {
	case len(roots) == 0 || slices.Contains(roots, at):
		return
	case at == "" || slices.Contains(before, at):
	case !certain && before == nil && project.SameRepository(at, roots[0]):
		// The server was started for the main worktree, by a client that is in another.
	default:
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.active != nil {
		w.active.cancel()
	}
	w.active, w.projectDir = nil, roots[0]
}

// currentRoot returns the root of the repository that calls are answered from, "" for
// none. It is certain if that was activated already.
func (w *Workspace) currentRoot() (root string, certain bool) {
	if active := w.current(); active != nil {
		return active.Definition.Root, true
	}
	dir := w.ownDir()
	if dir == "" {
		return "", false
	}
	root, err := project.FindRoot(dir)
	if err != nil {
		return dir, false
	}
	return root, false
}
