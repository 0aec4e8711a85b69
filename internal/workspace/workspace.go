// Package workspace keeps the state of one server process: the active project, its branch, and how far its index is
// behind the files. It composes the packages project, watch and rag. It must not know MCP or SQL.
package workspace

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/answer"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

// Workspace is the state of a server. Safe for concurrent use.
type Workspace struct {
	// Searcher and Answerer serve all projects. Settings belong to the user. None of these three fields changes.
	Searcher *rag.Searcher
	Answerer *answer.Answerer
	Settings project.Settings

	index  *index.Index
	logger *slog.Logger
	once   bool // see Once
	asIs   bool // see AsIs

	running sync.WaitGroup
	life    context.Context //nolint:containedctx // context of all background work; Close ends it
	end     context.CancelFunc

	switching chan struct{} // holds a token while a call changes active and last
	last      *Project      // the project that was started last; the next project waits for its end

	mu            sync.Mutex
	active        *Project
	projectDir    string   // repository to activate at the next call that needs a project, or ""
	clientFolders []string // folders that the client works in
	clientRoots   []string // repositories of clientFolders
}

// New returns a workspace without an active project. The first call that needs a project activates the repository at
// projectDir, except if projectDir is "".
func New(
	x *index.Index, searcher *rag.Searcher, answerer *answer.Answerer, settings project.Settings, projectDir string,
	logger *slog.Logger,
) *Workspace {
	w := &Workspace{
		index: x, Searcher: searcher, Answerer: answerer, Settings: settings, projectDir: projectDir, logger: logger,
		switching: make(chan struct{}, 1),
	}
	w.life, w.end = context.WithCancel(context.Background())
	return w
}

// Once prepares the workspace for a process that ends soon. An activation then updates the text of the index, embeds
// nothing, and follows no file. Call Once before the first use.
func (w *Workspace) Once() { w.once = true }

// AsIs makes an activation leave the index as it is, except an index that was never written. Call AsIs after Once and
// before the first use.
func (w *Workspace) AsIs() { w.asIs = true }

// Handbook returns the present edition of the handbook, or the zero value if the handbook was never filled.
func (w *Workspace) Handbook(ctx context.Context) (index.HandbookEdition, error) {
	return w.index.HandbookEdition(ctx)
}

// HandbookSections returns the sections of the handbook, sorted.
func (w *Workspace) HandbookSections(ctx context.Context, edition index.HandbookEdition) ([]string, error) {
	documents, err := w.index.CountByType(ctx, edition.Scope())
	return slices.Sorted(maps.Keys(documents)), err
}

// Active returns the active project. If no project is active, it activates the project that the server was started for.
// If another branch was checked out or the config was edited, it first activates the project again, so that no answer
// comes from another branch's files. After an activation it waits a limited time for the sync. The error is
// PROJECT_NOT_ACTIVATED if the server knows no project, or if the project's index was deleted.
func (w *Workspace) Active(ctx context.Context) (*Project, error) {
	active := w.current()
	if w.index.Used() && active != nil {
		active.lookAgain(ctx)
	}
	if active != nil && !active.deleted.Load() && !active.moved() {
		latest := active.latest.Load()
		if latest != nil && !latest.leading {
			signal(active.wake) // so that a look reads the other server's status during the call
		}
		if latest == nil || latest.config == active.configStamp() {
			return active, nil
		}
	}
	active, err := w.refresh(ctx, active)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, firstWait+callTime)
	defer cancel()
	active.WaitForAnswer(limited, nil)
	return active, nil
}

// refresh activates the project again if its branch or config has changed, or if another server has activated it after
// a deletion. outdated is the project that the caller found active, or nil. If another call has already replaced this
// project, refresh returns the new project. If no project is active, refresh activates the project at ownDir.
func (w *Workspace) refresh(ctx context.Context, outdated *Project) (*Project, error) {
	if err := w.beginSwitch(ctx); err != nil {
		return nil, err
	}
	defer w.endSwitch()
	switch active := w.current(); {
	case active != outdated && active != nil:
		return active, nil
	case active == nil:
		if err := w.hasProject(); err != nil {
			return nil, err
		}
		p, key, err := w.checkedOut(ctx, w.ownDir())
		if err != nil {
			return nil, err
		}
		return w.register(ctx, p, key)
	}
	p, err := w.Settings.Load(outdated.Definition.ConfigPath)
	if err != nil {
		p = outdated.Definition
	}
	key, deleted := keyAt(p, outdated.Tenant.Key.Branch), outdated.deleted.Load()
	if key != outdated.Tenant.Key && !deleted {
		return w.register(ctx, p, key)
	}
	if !deleted && p.Same(outdated.Definition) {
		return outdated, nil
	}
	// Somebody may have deleted the index of this branch. Only activate_project undoes a deletion.
	tenant, err := w.index.Rejoin(ctx, key)
	if errors.Is(err, db.ErrTenantGone) {
		outdated.deleted.Store(true)
		return nil, deletedError(outdated)
	}
	if err != nil {
		return nil, fmt.Errorf("activate project: %w", err)
	}
	return w.replace(ctx, p, tenant), nil
}

// beginSwitch waits until the caller may change the active project. Afterwards the caller must call endSwitch.
// beginSwitch fails if ctx ends first, because another call may change the project and wait for the database.
func (w *Workspace) beginSwitch(ctx context.Context) error {
	select {
	case w.switching <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (w *Workspace) endSwitch() { <-w.switching }

func errNotActivated() *apierror.Error {
	activate := apierror.Call{Tool: "activate_project", How: "with the absolute path of the repository's " +
		project.ConfigDir + "/" + project.ConfigFile + " and the name of its current branch"}
	return apierror.Errorf(apierror.ProjectNotActivated, "no project is active; %s", activate).With("requiredTool", activate.Tool)
}

// Activate makes the project at configPath active and starts its sync. branch must be checked out. If the project is
// already active, Activate walks its folders again. If its index was deleted, Activate undoes the deletion.
func (w *Workspace) Activate(ctx context.Context, configPath, branch string) (*Project, error) {
	w.index.Used()
	if err := w.beginSwitch(ctx); err != nil {
		return nil, err
	}
	defer w.endSwitch()
	p, err := w.Settings.Load(configPath)
	if err != nil {
		return nil, err
	}
	branch, err = checkedOutBranch(p.Root, branch)
	if err != nil {
		return nil, err
	}
	tenant, err := w.index.Tenant(ctx, keyOf(p, branch), p.Root)
	if err != nil {
		return nil, fmt.Errorf("activate project: %w", err)
	}
	active := w.current()
	if active == nil || !tenant.Same(active.Tenant) || !active.Definition.Same(p) {
		return w.replace(ctx, p, tenant), nil
	}
	for _, tree := range active.trees {
		tree.mirror.Rescan()
	}
	signal(active.wake)
	return active, nil
}

// register makes a project active. If the index does not know the branch yet, register adds the branch. If the branch
// was deleted from the index, register undoes the deletion.
func (w *Workspace) register(ctx context.Context, p *project.Project, key catalog.TenantKey) (*Project, error) {
	tenant, err := w.index.Tenant(ctx, key, p.Root)
	if err != nil {
		return nil, fmt.Errorf("activate project: %w", err)
	}
	return w.replace(ctx, p, tenant), nil
}

// replace makes p the active project.
func (w *Workspace) replace(ctx context.Context, p *project.Project, tenant *catalog.Tenant) *Project {
	next := w.newProject(p, tenant)
	if w.once {
		w.setActive(next)
		if w.asIs && tenant.Written {
			status := IndexStatus{Synced: time.Now(), Failed: []Failed{}} // so that no answer calls the index outdated
			next.latest.Store(&snapshot{published: status, config: next.configStamp()})
		} else {
			next.syncAtOnce(ctx)
		}
	} else {
		w.start(next)
	}
	return next
}

func (w *Workspace) start(next *Project) {
	w.setActive(next)
	previous := w.last
	w.last = next
	w.running.Go(func() { w.run(next, previous) })
}

func (w *Workspace) setActive(next *Project) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.active != nil {
		w.active.cancel()
	}
	w.active = next
}

// ownDir returns the repository to activate at the next call that needs a project, or "".
func (w *Workspace) ownDir() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.projectDir
}

// Current returns the name and the root of the active project. Both are "" if no project is active.
func (w *Workspace) Current() (name, root string) {
	if active := w.current(); active != nil {
		return active.Tenant.Key.Project, active.Definition.Root
	}
	return "", ""
}

func (w *Workspace) current() *Project {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.active
}

// Close ends all background work and waits for its end. The workspace cannot be used afterwards. Close may be called
// again.
func (w *Workspace) Close() {
	w.end()
	w.running.Wait()
	w.setActive(nil)
}
