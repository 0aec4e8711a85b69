// Package workspace keeps the state of one server process: the active project, its
// branch, and how far its index is behind the files. It composes project, watch
// and rag. It must not know MCP or SQL.
package workspace

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

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
	index    *index.Index
	searcher *rag.Searcher
	answerer *answer.Answerer
	settings project.Settings
	logger   *slog.Logger
	once     bool // see Once

	running sync.WaitGroup
	life    context.Context //nolint:containedctx // of what runs in the background; Close ends it
	end     context.CancelFunc

	// switching holds a token while one call may change active, and last.
	switching chan struct{}
	// last is the project that was started last: the next one begins when it has ended.
	last *Project

	mu     sync.Mutex
	active *Project
	// projectDir is activated by the next call that needs a project, if none is active;
	// "" for none.
	projectDir string
	// clientFolders are those that the client works in, as it last named them, and
	// clientRoots the repositories that they belong to.
	clientFolders, clientRoots []string
}

// New returns a workspace in which no project is active. projectDir, if not "", is
// the repository that the first call in need of a project activates.
func New(
	x *index.Index, searcher *rag.Searcher, answerer *answer.Answerer, settings project.Settings, projectDir string,
	logger *slog.Logger,
) *Workspace {
	s := &Workspace{
		index: x, searcher: searcher, answerer: answerer, settings: settings, projectDir: projectDir, logger: logger,
		switching: make(chan struct{}, 1),
	}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// Once makes it a workspace for a process that ends soon: it brings the text of a project up
// to date when that becomes active, embeds nothing, and follows no file. Call it before the
// workspace is first used.
func (w *Workspace) Once() { w.once = true }

// Searcher returns what finds documents.
func (w *Workspace) Searcher() *rag.Searcher { return w.searcher }

// Answerer returns what answers questions.
func (w *Workspace) Answerer() *answer.Answerer { return w.answerer }

// Handbook returns the present edition of the handbook.
func (w *Workspace) Handbook(ctx context.Context) (index.HandbookEdition, error) {
	return w.index.HandbookEdition(ctx)
}

// HandbookSections returns the sections that documents of the handbook are in, sorted.
func (w *Workspace) HandbookSections(ctx context.Context, edition index.HandbookEdition) ([]string, error) {
	documents, err := w.index.CountByType(ctx, edition.Scope())
	return slices.Sorted(maps.Keys(documents)), err
}

// Active returns the active project. If none is active, it activates the project
// that the server was started for. It fails with PROJECT_NOT_ACTIVATED if there is
// none, or if that was deleted from the index. If another branch was checked out,
// it switches to that branch first, so that no answer comes from another branch's
// files. It does the same for a config that was edited. After an activation or a switch it
// waits for the sync, for a limited time.
func (w *Workspace) Active(ctx context.Context) (*Project, error) {
	active := w.current()
	if w.index.Used() && active != nil {
		active.lookAgain(ctx)
	}
	if active != nil && !active.deleted.Load() && !active.moved() && !active.reconfigured() {
		if seen := active.seen.Load(); seen != nil && !seen.leading {
			signal(active.wake) // it sees during the call how far the server is that indexes
		}
		return active, nil
	}
	active, err := w.refresh(ctx, active)
	if err != nil {
		return nil, err
	}
	active.WaitForAnswer(ctx, nil)
	return active, nil
}

// refresh activates the project again if its branch or its config is another one by now, or
// another server has activated it after a deletion, unless another call has done so.
// outdated is the active project, nil for none.
func (w *Workspace) refresh(ctx context.Context, outdated *Project) (*Project, error) {
	if err := w.beginSwitch(ctx); err != nil {
		return nil, err
	}
	defer w.endSwitch()
	switch active := w.current(); {
	case active != outdated && active != nil:
		return active, nil
	case active == nil:
		return w.activateOwn(ctx)
	}
	p, err := w.load(outdated.Definition.ConfigPath)
	if err != nil {
		p = outdated.Definition
	}
	key, register := keyAt(p, outdated.Tenant.Key.Branch), w.index.Tenant
	switch {
	case outdated.deleted.Load():
		register = w.rejoin
	case key == outdated.Tenant.Key && p.Same(outdated.Definition):
		return outdated, nil
	case key == outdated.Tenant.Key:
		register = w.rejoin // a new config must not undo a deletion
	}
	active, err := w.replace(ctx, p, key, register)
	if errors.Is(err, db.ErrTenantGone) {
		outdated.deleted.Store(true)
		return nil, deletedError(outdated)
	}
	return active, err
}

// beginSwitch waits until the caller may change the active project: another call may wait for the
// database.
func (w *Workspace) beginSwitch(ctx context.Context) error {
	select {
	case w.switching <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (w *Workspace) endSwitch() { <-w.switching }

// activateOwn activates the project that the server was started for.
func (w *Workspace) activateOwn(ctx context.Context) (*Project, error) {
	if err := w.hasProject(); err != nil {
		return nil, err
	}
	p, key, err := w.checkedOut(ctx, w.ownDir())
	if err != nil {
		return nil, err
	}
	return w.replace(ctx, p, key, w.index.Tenant)
}

func notActivated(reason string) *apierror.Error {
	message := "no project is active; call activate_project with the absolute path of the repository's " +
		".csharp-compounding-docs/config.json and the name of its current branch"
	if reason != "" {
		message += " (automatic activation failed: " + reason + ")"
	}
	return apierror.Errorf(apierror.ProjectNotActivated, "%s", message).With("requiredTool", "activate_project")
}

// Activate makes the project at configPath the active one and starts its sync.
// branch must be the branch that is checked out. If the project is active already,
// its folders are walked again. If it was deleted from the index, it is indexed
// again.
func (w *Workspace) Activate(ctx context.Context, configPath, branch string) (*Project, error) {
	w.index.Used()
	if err := w.beginSwitch(ctx); err != nil {
		return nil, err
	}
	defer w.endSwitch()
	p, err := w.load(configPath)
	if err != nil {
		return nil, err
	}
	if err := checkBranch(p.Root, branch); err != nil {
		return nil, err
	}
	active, key := w.current(), keyOf(p, branch)
	if active == nil || active.Tenant.Key != key || !active.Definition.Same(p) {
		return w.replace(ctx, p, key, w.index.Tenant)
	}
	// Another server may have deleted it a moment ago.
	tenant, err := w.index.Tenant(ctx, key, p.Root)
	if err != nil {
		return nil, fmt.Errorf("activate project: %w", err)
	}
	if !tenant.Same(active.Tenant) {
		return w.replace(ctx, p, key, w.index.Tenant)
	}
	for _, tree := range active.trees {
		tree.mirror.Rescan()
	}
	signal(active.wake)
	return active, nil
}

func (w *Workspace) load(configPath string) (*project.Project, error) {
	return project.Load(configPath, w.settings.ExternalDocsAllowed...)
}

// replace registers the tenant and makes it active. If that fails, the project
// before it stays active.
func (w *Workspace) replace(
	ctx context.Context, p *project.Project, key catalog.TenantKey,
	register func(ctx context.Context, key catalog.TenantKey, root string) (*catalog.Tenant, error),
) (*Project, error) {
	tenant, err := register(ctx, key, p.Root)
	if err != nil {
		return nil, fmt.Errorf("activate project: %w", err)
	}
	next := w.newProject(p, tenant)
	if w.once {
		w.setActive(next)
		w.keepStale(next)
		next.syncAtOnce(ctx)
	} else {
		w.start(next)
	}
	return next, nil
}

// start makes a project the active one, and follows it.
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

// ownDir returns the repository that the next call in need of a project activates, if
// none is active; "" for none.
func (w *Workspace) ownDir() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.projectDir
}

func (w *Workspace) current() *Project {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.active
}

// Close ends the active project's sync and waits for its end. The workspace must
// not be used afterwards. Close may be called again.
func (w *Workspace) Close() {
	w.end()
	w.running.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active = nil
}
