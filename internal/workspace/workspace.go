// Package workspace keeps the state of one server process: the active project, its
// branch, and how far its index is behind the files. It composes project, watch
// and rag. It must not know MCP or SQL.
package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/index"
)

// Workspace is the state of a server. Safe for concurrent use.
type Workspace struct {
	index    *index.Index
	searcher *rag.Searcher
	settings project.Settings
	// projectDir is activated by the first call that needs a project; "" for none.
	projectDir string
	logger     *slog.Logger

	// switching is held by the one call that may change active.
	switching sync.Mutex
	following sync.Once
	running   sync.WaitGroup
	closing   sync.Once
	closed    chan struct{}

	mu     sync.Mutex
	active *Project
	// deleted, if not nil, is why no project is active.
	deleted *deletion
	// outsideGit are the branch names with which folders outside git were
	// activated, by root. The index forgets them in a deletion.
	outsideGit map[string]string
}

// New returns a workspace in which no project is active. projectDir, if not "", is
// the repository that the first call in need of a project activates.
func New(
	x *index.Index, searcher *rag.Searcher, settings project.Settings, projectDir string, logger *slog.Logger,
) *Workspace {
	s := &Workspace{
		index: x, searcher: searcher, settings: settings, projectDir: projectDir, logger: logger, closed: make(chan struct{}),
		outsideGit: map[string]string{},
	}
	searcher.OnUnembedded(s.prefer)
	return s
}

// prefer has passages that were found by their words embedded before others.
func (s *Workspace) prefer(tenant *rag.Tenant, _ rag.Collection, hashes []uuid.UUID) {
	if active := s.current(); active != nil && active.Tenant.Same(tenant) {
		active.queue.Prefer(hashes)
	}
}

// Searcher returns what reads the index.
func (s *Workspace) Searcher() *rag.Searcher { return s.searcher }

// Active returns the active project. If none is active, it activates the project
// that the server was started for. It fails with PROJECT_NOT_ACTIVATED if there is
// none, or if that was deleted from the index. If another branch was checked out,
// it switches to that branch first, so that no answer comes from another branch's
// files. After an activation or a switch it waits for the sync, for a limited time.
func (s *Workspace) Active(ctx context.Context) (*Project, error) {
	active := s.current()
	if active != nil && !active.moved() {
		return active, nil
	}
	active, err := s.refresh(ctx, active)
	if err != nil {
		return nil, err
	}
	waitCtx, cancel := context.WithTimeout(ctx, SyncWait)
	defer cancel()
	active.WaitSynced(waitCtx, nil)
	return active, nil
}

// refresh activates the project again with its present branch and config, unless
// another call has done so. outdated is the active project, nil for none.
func (s *Workspace) refresh(ctx context.Context, outdated *Project) (*Project, error) {
	s.switching.Lock()
	defer s.switching.Unlock()
	switch active := s.current(); {
	case active != outdated && active != nil:
		return active, nil
	case active == nil && s.deletion() != nil:
		return s.resume(ctx, s.deletion())
	case active == nil:
		return s.activateOwn(ctx)
	}
	p, problem := s.load(outdated.Definition.ConfigPath)
	if problem != nil {
		outdated.setConfigProblem(problem)
		if !outdated.moved() {
			return outdated, nil
		}
		p = outdated.Definition
	}
	head, err := project.Head(p.Root)
	if err != nil {
		return nil, err
	}
	branch := outdated.Tenant.Key.Branch
	if head.InRepository {
		branch = head.Branch
	}
	key, register := keyOf(p, branch), s.index.Tenant
	if key == outdated.Tenant.Key {
		register = s.rejoin // a new config must not undo a deletion
	}
	active, err := s.replace(ctx, p, key, register)
	if errors.Is(err, db.ErrTenantGone) {
		why := &deletion{project: outdated.Definition, key: key}
		s.drop(outdated, why)
		return nil, why.error()
	}
	if err == nil {
		active.setConfigProblem(problem)
	}
	return active, err
}

// activateOwn activates the project that the server was started for.
func (s *Workspace) activateOwn(ctx context.Context) (*Project, error) {
	if s.projectDir == "" {
		return nil, notActivated("")
	}
	p, err := s.load(s.projectDir)
	if err != nil {
		return nil, notActivated(err.Error())
	}
	head, err := project.Head(p.Root)
	if err != nil {
		return nil, err
	}
	branch, err := s.branchOf(ctx, p, head)
	if err != nil {
		return nil, err
	}
	return s.replace(ctx, p, keyOf(p, branch), s.index.Tenant)
}

func notActivated(reason string) *rag.Error {
	message := "no project is active; call activate_project with the absolute path of the repository's " +
		".csharp-compounding-docs/config.json and the name of its current branch"
	if reason != "" {
		message += " (the server was started for a project, but: " + reason + ")"
	}
	return rag.Errorf(rag.ProjectNotActivated, "%s", message).With("requiredTool", "activate_project")
}

// branchOf returns the name of the tenant's branch. A folder outside git keeps the
// name with which it was last activated, and is "main" before that.
func (s *Workspace) branchOf(ctx context.Context, p *project.Project, head project.GitHead) (string, error) {
	if head.InRepository {
		return head.Branch, nil
	}
	s.mu.Lock()
	given, known := s.outsideGit[p.Root]
	s.mu.Unlock()
	if known {
		return given, nil
	}
	branch, err := s.index.LastBranch(ctx, p.Config.ProjectName, project.PathHash(p.Root))
	return cmp.Or(branch, "main"), err
}

// Activate makes the project at configPath the active one and starts its sync.
// branch must be the branch that is checked out. If the project is active already,
// its folders are walked again. If it was deleted from the index, it is indexed
// again.
func (s *Workspace) Activate(ctx context.Context, configPath, branch string) (*Project, error) {
	s.switching.Lock()
	defer s.switching.Unlock()
	p, err := s.load(configPath)
	if err != nil {
		return nil, err
	}
	if err := checkBranch(p.Root, branch); err != nil {
		return nil, err
	}
	active, key := s.current(), keyOf(p, branch)
	if active == nil || active.Definition.ConfigPath != p.ConfigPath || active.Tenant.Key != key || active.outdated() {
		return s.replace(ctx, p, key, s.index.Tenant)
	}
	// Another server may have deleted it a moment ago.
	tenant, err := s.index.Tenant(ctx, key, p.Root)
	if err != nil {
		return nil, fmt.Errorf("activate project: %w", err)
	}
	if !tenant.Same(active.Tenant) {
		return s.replace(ctx, p, key, s.index.Tenant)
	}
	active.rescan()
	return active, nil
}

func (s *Workspace) load(configPath string) (*project.Project, error) {
	return project.Load(configPath, s.settings.ExternalDocsAllowed...)
}

// keyOf returns the key of the project's tenant on a branch.
func keyOf(p *project.Project, branch string) rag.TenantKey {
	return rag.TenantKey{Project: p.Config.ProjectName, Branch: branch, PathHash: project.PathHash(p.Root)}
}

// replace registers the tenant and makes it active. If that fails, the project
// before it stays active.
func (s *Workspace) replace(
	ctx context.Context, p *project.Project, key rag.TenantKey,
	register func(ctx context.Context, key rag.TenantKey, root string) (*rag.Tenant, error),
) (*Project, error) {
	// This comes first, because the config may change meanwhile.
	stamp := stampConfig(p)
	tenant, err := register(ctx, key, p.Root)
	if err != nil {
		return nil, fmt.Errorf("activate project: %w", err)
	}
	debounce := time.Duration(s.settings.FileWatcher.DebounceMS) * time.Millisecond
	next := newProject(s.index, s.searcher, p, tenant, debounce, s.logger)
	next.stamp = stamp
	s.mu.Lock()
	previous := s.active
	s.active, s.deleted = next, nil
	s.outsideGit[p.Root] = key.Branch
	s.mu.Unlock()
	if previous != nil {
		previous.stop()
	}
	next.start()
	s.following.Do(func() {
		s.running.Go(func() { s.every(checkoutPoll, "follow the project", s.followProject) })
		s.running.Go(func() { s.every(indexPoll, "follow the index", s.followIndex) })
	})
	return next, nil
}

func (s *Workspace) current() *Project {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.active
}

// Close ends the active project's sync and waits for its end. The workspace must
// not be used afterwards. Close may be called again.
func (s *Workspace) Close() {
	s.closing.Do(func() { close(s.closed) })
	s.running.Wait()
	s.switching.Lock()
	defer s.switching.Unlock()
	s.mu.Lock()
	active := s.active
	s.active = nil
	s.mu.Unlock()
	if active != nil {
		active.stop()
	}
}
