package workspace

import (
	"context"
	"slices"
	"time"

	"github.com/compound-docs/compound-docs/internal/panics"
	"github.com/compound-docs/compound-docs/internal/project"
)

// checkoutPoll is how often branch and config are checked between calls. Every call
// checks the branch itself.
const checkoutPoll = time.Second

// idlePoll is how often the config is looked at while nobody uses the workspace: that takes
// some milliseconds of processor time, and there may be a hundred windows.
const idlePoll = 5 * time.Second

// usedPatience bounds the wait of a call for what has happened in a pause: the database may
// be away, which the call itself then says.
const usedPatience = 2 * time.Second

// every calls f once an interval until the workspace is closed. name says in the
// log what f does.
func (w *Workspace) every(interval time.Duration, name string, f func(ctx context.Context)) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-w.life.Done():
			return
		case <-ticker.C:
		}
		panics.Restart(w.life, w.logger, name, func() { f(w.life) })
	}
}

// followProject makes the active project follow its branch, its config and its
// schemas.
func (w *Workspace) followProject(ctx context.Context) {
	active := w.current()
	if active == nil || w.index.Idle() && !active.moved() && time.Since(w.followed) < idlePoll {
		return
	}
	w.followed = time.Now()
	if _, err := w.refresh(ctx, active); err != nil && ctx.Err() == nil {
		w.logger.WarnContext(ctx, "follow the project", "error", err)
	}
}

// followIndex makes the workspace follow what other servers do with its project in
// the index: deletions and activations. While nobody uses it, it asks only if the project
// cannot be indexed because it was deleted; the next call asks in any case.
func (w *Workspace) followIndex(ctx context.Context) {
	if active := w.current(); w.index.Idle() && (active == nil || !active.deleted()) {
		return
	}
	w.askIndex(ctx)
}

func (w *Workspace) askIndex(ctx context.Context) {
	if err := w.compareWithIndex(ctx); err != nil && ctx.Err() == nil {
		w.logger.DebugContext(ctx, "follow the index", "error", err)
	}
}

// used notes that somebody uses the workspace. After a pause it looks at what other servers
// did with the project.
func (w *Workspace) used(ctx context.Context) {
	if !w.index.Used() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, usedPatience)
	defer cancel()
	w.askIndex(ctx)
}

// Follow tells the workspace which folders the client works in, the first one before the
// others. Call it before each call that needs a project: it costs nothing as long as they
// are the same.
//
// When the client has left the repository of the active project, as it does when it
// enters another worktree, the next call activates the one that it has gone to. A project
// that the client was not in, because another one was activated on purpose, stays.
func (w *Workspace) Follow(folders []string) {
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
	w.switching.Lock()
	defer w.switching.Unlock()
	at, certain := w.whereabouts()
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
	left := w.active
	w.active, w.deleted, w.projectDir = nil, nil, roots[0]
	w.mu.Unlock()
	if left != nil {
		left.stop()
	}
}

// whereabouts returns the root of the repository that calls are answered from, "" for
// none. It is certain if that was activated already.
func (w *Workspace) whereabouts() (root string, certain bool) {
	if active := w.current(); active != nil {
		return active.Definition.Root, true
	}
	if why := w.deletion(); why != nil {
		return why.project.Root, true
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
