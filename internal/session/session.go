// Package session holds what one server process is about: the project that is
// active, the branch it is on, and how far its index is behind the files. It
// composes project, watch and rag; it must not know MCP or SQL.
package session

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/compound-docs/compound-docs/project"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/watch"
)

// Session is the state of a server. Safe for concurrent use.
type Session struct {
	library  *rag.Library
	settings project.Settings
	// projectDir is activated by the first call that needs a project; "" for none.
	projectDir string
	logger     *slog.Logger

	// switching lets one activation at a time change active.
	switching sync.Mutex
	mu        sync.Mutex
	active    *Active
}

// New returns a session in which no project is active. projectDir, if not "",
// is the repository that the first call which needs one activates.
func New(library *rag.Library, settings project.Settings, projectDir string, logger *slog.Logger) *Session {
	return &Session{library: library, settings: settings, projectDir: projectDir, logger: logger}
}

// Library returns the index.
func (s *Session) Library() *rag.Library { return s.library }

// Active returns the active project. With none it activates the one that the
// server was started for, and else fails with PROJECT_NOT_ACTIVATED.
func (s *Session) Active(ctx context.Context) (*Active, error) {
	if active := s.current(); active != nil {
		return active, nil
	}
	if s.projectDir == "" {
		return nil, notActivated("")
	}
	s.switching.Lock()
	defer s.switching.Unlock()
	if active := s.current(); active != nil {
		return active, nil
	}
	p, err := s.load(s.projectDir)
	if err != nil {
		return nil, notActivated(err.Error())
	}
	head, err := project.Head(p.Root)
	if err != nil {
		return nil, err
	}
	return s.replace(ctx, p, branchOf(head))
}

func notActivated(reason string) *rag.Error {
	message := "no project is active; call activate_project with the absolute path of the repository's " +
		".csharp-compounding-docs/config.json and the name of its current branch"
	if reason != "" {
		message += " (the server was started for a project, but: " + reason + ")"
	}
	return rag.Errorf(rag.ProjectNotActivated, "%s", message).With("required_tool", "activate_project")
}

// branchOf names the tenant's branch; a folder outside git is its own.
func branchOf(head project.GitHead) string {
	if !head.InRepository {
		return "main"
	}
	return head.Branch
}

// Activate makes the project at configPath the active one and starts its sync.
// branch must be the checked-out one, since that is what the files are.
func (s *Session) Activate(ctx context.Context, configPath, branch string) (*Active, error) {
	s.switching.Lock()
	defer s.switching.Unlock()
	p, err := s.load(configPath)
	if err != nil {
		return nil, err
	}
	if err := checkBranch(p.Root, branch); err != nil {
		return nil, err
	}
	return s.replace(ctx, p, branch)
}

func (s *Session) load(configPath string) (*project.Project, error) {
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

// replace registers the tenant and only then lets go of the project before it:
// a failed activation leaves the old one active.
func (s *Session) replace(ctx context.Context, p *project.Project, branch string) (*Active, error) {
	key := rag.TenantKey{Project: p.Config.ProjectName, Branch: branch, PathHash: project.PathHash(p.Root)}
	tenant, err := s.library.Tenant(ctx, key, p.Root)
	if err != nil {
		return nil, fmt.Errorf("activate project: %w", err)
	}
	config := watch.Config{Debounce: time.Duration(s.settings.FileWatcher.DebounceMS) * time.Millisecond}
	next := newActive(s.library, p, tenant, config, s.logger)
	s.mu.Lock()
	previous := s.active
	s.active = next
	s.mu.Unlock()
	if previous != nil {
		previous.stop()
	}
	next.start()
	return next, nil
}

// Delete removes a selection from the index. If the active project's own tenant
// is in it, the project is no longer active afterwards: its files would be
// indexed again at once.
func (s *Session) Delete(ctx context.Context, selection rag.Selection) (rag.Contents, error) {
	s.switching.Lock()
	defer s.switching.Unlock()
	if active := s.current(); active != nil && selection.Matches(active.Tenant.Key) {
		s.mu.Lock()
		s.active = nil
		s.mu.Unlock()
		active.stop()
	}
	return s.library.Delete(ctx, selection)
}

func (s *Session) current() *Active {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.active
}

// Close ends the active project's sync and waits for it.
func (s *Session) Close() {
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
