// Package workspace holds what one server process is about: the project that is
// active, the branch it is on, and how far its index is behind the files. It
// composes project, watch and rag; it must not know MCP or SQL.
package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/index"
)

// Workspace is the state of a server. Safe for concurrent use.
type Workspace struct {
	library  *index.Index
	searcher *rag.Searcher
	settings project.Settings
	// projectDir is activated by the first call that needs a project; "" for none.
	projectDir string
	logger     *slog.Logger

	// switching lets one activation at a time change active.
	switching   sync.Mutex
	supervising sync.Once
	running     sync.WaitGroup
	closing     sync.Once
	closed      chan struct{}

	mu     sync.Mutex
	active *Project
	// deleted, if not nil, is why none is.
	deleted *deletion
	// outsideGit are the branch names that folders outside git were activated
	// with, by root: a deletion takes them from the index.
	outsideGit map[string]string
}

// New returns a session in which no project is active. projectDir, if not "",
// is the repository that the first call which needs one activates.
func New(
	library *index.Index, searcher *rag.Searcher, settings project.Settings, projectDir string, logger *slog.Logger,
) *Workspace {
	return &Workspace{
		library: library, searcher: searcher, settings: settings, projectDir: projectDir, logger: logger, closed: make(chan struct{}),
		outsideGit: map[string]string{},
	}
}

// Searcher returns what reads the index.
func (s *Workspace) Searcher() *rag.Searcher { return s.searcher }

// Active returns the active project. With none it activates the one that the
// server was started for, unless that was deleted from the index since, and else
// fails with PROJECT_NOT_ACTIVATED. If another
// branch was checked out since, the project is active on that one from here on:
// no answer comes from another branch's files. A project that this call has made
// active is given time to sync.
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

// refresh replaces the active project by itself as it is now, unless another
// call has done so. A nil outdated stands for none active.
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
	key, register := keyOf(p, branch), s.library.Tenant
	if key == outdated.Tenant.Key {
		register = s.rejoin // to follow a config is no reason to undo a deletion
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
	return s.replace(ctx, p, keyOf(p, branch), s.library.Tenant)
}

func notActivated(reason string) *rag.Error {
	message := "no project is active; call activate_project with the absolute path of the repository's " +
		".csharp-compounding-docs/config.json and the name of its current branch"
	if reason != "" {
		message += " (the server was started for a project, but: " + reason + ")"
	}
	return rag.Errorf(rag.ProjectNotActivated, "%s", message).With("requiredTool", "activate_project")
}

// branchOf names the tenant's branch. A folder outside git keeps the name that it
// was last activated with, and is "main" before.
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
	branch, err := s.library.LastBranch(ctx, p.Config.ProjectName, project.PathHash(p.Root))
	return cmp.Or(branch, "main"), err
}

// Activate makes the project at configPath the active one and starts its sync.
// branch must be the checked-out one, since that is what the files are. A project
// that is active already goes on with the sync under way, and walks its folders
// once more. One that was deleted from the index is filled again.
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
		return s.replace(ctx, p, key, s.library.Tenant)
	}
	// Another server may have deleted it a moment ago.
	tenant, err := s.library.Tenant(ctx, key, p.Root)
	if err != nil {
		return nil, fmt.Errorf("activate project: %w", err)
	}
	if !tenant.Same(active.Tenant) {
		return s.replace(ctx, p, key, s.library.Tenant)
	}
	active.rescan()
	return active, nil
}

func (s *Workspace) load(configPath string) (*project.Project, error) {
	return project.Load(configPath, s.settings.ExternalDocsAllowed...)
}

func checkBranch(root, branch string) error {
	if strings.TrimSpace(branch) == "" {
		return rag.Errorf(rag.InvalidArgument, "branch_name is empty; give the name that `git branch --show-current` prints").
			With("parameter", "branch_name")
	}
	head, err := project.Head(root)
	if err != nil {
		return err
	}
	if !head.InRepository || branch == head.Branch {
		return nil
	}
	if head.Detached {
		return rag.Errorf(rag.InvalidArgument, "branch_name is %q, but %s is on no branch (detached HEAD); give %q",
			branch, root, head.Branch).With("parameter", "branch_name").With("current_branch", head.Branch)
	}
	remedy := "there is no such branch"
	if slices.Contains(project.Branches(root), branch) {
		remedy = fmt.Sprintf("run `git switch %s` first, since the files on disk are those of %q", branch, head.Branch)
	}
	return rag.Errorf(rag.InvalidArgument, "branch_name is %q, but %s is on %q; give %q, or %s",
		branch, filepath.Base(root), head.Branch, head.Branch, remedy).
		With("parameter", "branch_name").With("current_branch", head.Branch)
}

// keyOf names the tenant that is the project's checkout on a branch.
func keyOf(p *project.Project, branch string) rag.TenantKey {
	return rag.TenantKey{Project: p.Config.ProjectName, Branch: branch, PathHash: project.PathHash(p.Root)}
}

// replace registers the tenant and only then lets go of the project before it:
// a failed activation leaves the old one active.
func (s *Workspace) replace(
	ctx context.Context, p *project.Project, key rag.TenantKey,
	register func(ctx context.Context, key rag.TenantKey, root string) (*rag.Tenant, error),
) (*Project, error) {
	// Before anything that takes time: the config may change meanwhile.
	stamp := stampConfig(p)
	tenant, err := register(ctx, key, p.Root)
	if err != nil {
		return nil, fmt.Errorf("activate project: %w", err)
	}
	debounce := time.Duration(s.settings.FileWatcher.DebounceMS) * time.Millisecond
	next := newProject(s.library, s.searcher, p, tenant, debounce, s.logger)
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
	s.supervising.Do(func() {
		s.running.Go(func() { s.every(supervision, "follow the project", s.followProject) })
		s.running.Go(func() { s.every(indexPoll, "follow the index", s.followIndex) })
	})
	return next, nil
}

func (s *Workspace) current() *Project {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.active
}

// Close ends the active project's sync and waits for it. The session is not used
// afterwards; Close may be called again.
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
