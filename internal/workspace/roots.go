package workspace

import (
	"context"
	"slices"

	"github.com/compound-docs/compound-docs/internal/project"
)

// SetClientFolders tells the workspace which folders the client works in, the most important first. Call it before each
// call that needs a project. It costs nothing while the folders stay the same.
//
// If the client leaves the active project's repository, for example for another worktree, the next call activates the
// project of the new folder. A project that was never in the client's folders was activated on purpose and stays
// active.
func (w *Workspace) SetClientFolders(ctx context.Context, folders []string) {
	w.mu.Lock()
	same := slices.Equal(folders, w.clientFolders)
	w.mu.Unlock()
	if same {
		return
	}
	var roots []string
	for _, folder := range folders {
		root, err := project.FindRoot(folder)
		if err != nil {
			continue // the folder has no project
		}
		roots = append(roots, root)
	}
	if w.beginSwitch(ctx) != nil {
		return // ctx has ended
	}
	defer w.endSwitch()
	at, isActive := w.Root(), w.current() != nil
	w.mu.Lock()
	before := w.clientRoots
	w.clientFolders, w.clientRoots = folders, roots
	w.mu.Unlock()
	switch {
	case len(roots) == 0 || slices.Contains(roots, at):
		return
	case at == "" || slices.Contains(before, at):
	case !isActive && before == nil && project.SameRepository(at, roots[0]):
		// The server was started for the main worktree, but the client works in another worktree.
	default:
		return
	}
	w.mu.Lock()
	w.projectDir = roots[0]
	w.mu.Unlock()
	w.setActive(nil)
}

// Root returns the root of the active project. If no project is active, it returns the root of the project that the
// next call activates, or "".
func (w *Workspace) Root() string {
	if active := w.current(); active != nil {
		return active.Definition.Root
	}
	dir := w.ownDir()
	if dir == "" {
		return ""
	}
	root, err := project.FindRoot(dir)
	if err != nil {
		return dir
	}
	return root
}
