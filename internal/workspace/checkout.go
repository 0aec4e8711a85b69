package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/compound-docs/compound-docs/internal/history"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

// LastKey returns the key of a project's tenant on the checked-out branch. Outside git it takes the branch
// with which the checkout was last used, or "main".
func LastKey(ctx context.Context, x *index.Index, p *project.Project) (catalog.TenantKey, error) {
	head, err := project.Head(p.Root)
	if err != nil {
		return catalog.TenantKey{}, err
	}
	key := keyOf(p, head.Branch)
	if head.InRepository {
		return key, nil
	}
	last, err := x.LastBranch(ctx, key.Project, key.PathHash)
	key.Branch = cmp.Or(last, "main")
	return key, err
}

// keyAt returns the key of a project's tenant on the checked-out branch. It uses the given branch outside git, and if
// git's files cannot be read.
func keyAt(p *project.Project, branch string) catalog.TenantKey {
	head, _ := project.Head(p.Root) // without a branch after an error
	return keyOf(p, cmp.Or(head.Branch, branch))
}

func keyOf(p *project.Project, branch string) catalog.TenantKey {
	return catalog.TenantKey{Project: p.Config.ProjectName, Branch: branch, PathHash: project.PathHash(p.Root)}
}

func (p *Project) moved() bool {
	return keyAt(p.Definition, p.Tenant.Key.Branch).Branch != p.Tenant.Key.Branch
}

// maxLockAge is the age at which the server starts to ignore git's lock. A lock that old is from a git that crashed.
const maxLockAge = 10 * time.Minute

// gitBusyError means that git holds its index lock.
type gitBusyError struct {
	lock  string
	since time.Time
}

func (e *gitBusyError) Error() string {
	return "git is changing the files; if no git runs here, remove " + e.lock
}

// ready returns an error while the files on disk may belong to another branch. A switch of branches changes the
// files first, under git's index lock, and HEAD last.
func (p *Project) ready() error {
	head, err := project.Head(p.Definition.Root)
	if err != nil {
		return err
	}
	if head.InRepository && head.Branch != p.Tenant.Key.Branch {
		return fmt.Errorf("branch %q was checked out", head.Branch)
	}
	lock, since, err := head.Lock()
	if err != nil {
		return err
	}
	if !since.IsZero() && time.Since(since) < maxLockAge {
		return &gitBusyError{lock: lock, since: since}
	}
	return nil
}

// checkedOutBranch returns the checked-out branch of the repository at root, or an error if the caller gives another
// branch. The caller may write NAME, refs/heads/NAME or HEAD. Outside git, any name is right.
func checkedOutBranch(root, branch string) (string, error) {
	branch = strings.TrimPrefix(strings.TrimSpace(branch), "refs/heads/")
	if branch == "" {
		return "", apierror.Refuse("branch_name", "is empty; give the name that `git branch --show-current` prints")
	}
	head, err := project.Head(root)
	if err != nil {
		return "", err
	}
	if !head.InRepository || branch == head.Branch {
		return branch, nil
	}
	if branch == "HEAD" {
		return head.Branch, nil
	}
	return "", apierror.Refuse("branch_name",
		"is %q, but the files of %s on disk are those of %q; give %q, or run `git switch %s` first",
		branch, filepath.Base(root), head.Branch, head.Branch, branch).With("current_branch", head.Branch)
}

// StateOf reports whether a tenant's branch still exists in the repository at root. It returns [index.Unknown] if root
// has no checkout of the project, because another machine may have registered the path. It returns [index.Alive] if
// git's files cannot be read, so that callers delete nothing by mistake.
func StateOf(ctx context.Context, key catalog.TenantKey, root string) index.CheckoutState {
	if !filepath.IsAbs(root) { // a machine with another operating system registered it
		return index.Unknown
	}
	name, err := project.NameAt(root)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return index.Unknown
	case err == nil && name != key.Project: // the project was renamed, or the checkout is on another machine
		return index.Unknown
	}
	head, err := project.Head(root)
	if err != nil || !head.InRepository || head.Branch == key.Branch {
		return index.Alive
	}
	folder, err := history.Open(root)
	if err != nil {
		return index.Alive
	}
	has, err := folder.HasBranch(ctx, key.Branch)
	if err != nil || has {
		return index.Alive
	}
	return index.Gone
}
