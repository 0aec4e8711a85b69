package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/internal/panics"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/watch"
)

// supervision is how often branch and config are looked at between calls. Every
// call looks at the branch itself.
const supervision = time.Second

// every calls f once an interval until the workspace is closed. name says in the
// log what f does.
func (s *Workspace) every(interval time.Duration, name string, f func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-s.closed
		cancel()
	}()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		panics.Restart(ctx, s.logger, name, func() { f(ctx) })
	}
}

// followProject makes the active project follow its branch, its config and its
// schemas.
func (s *Workspace) followProject(ctx context.Context) {
	active := s.current()
	if active == nil || !active.outdated() {
		return
	}
	if _, err := s.refresh(ctx, active); err != nil && ctx.Err() == nil {
		active.forgetConfig()
		s.logger.WarnContext(ctx, "follow the project", "error", err)
	}
}

// moved reports that another branch was checked out.
func (a *Project) moved() bool {
	head, err := project.Head(a.Definition.Root)
	return err == nil && head.InRepository && head.Branch != a.Tenant.Key.Branch
}

// outdated reports that the project must be activated again: on another branch, or
// with another config.
func (a *Project) outdated() bool {
	return a.moved() || a.reconfigured()
}

// reconfigured reports that the config or a schema has changed since it was last
// asked.
func (a *Project) reconfigured() bool {
	stamp := stampConfig(a.Definition)
	a.mu.Lock()
	unchanged := stamp == a.stamp
	a.stamp = stamp
	a.mu.Unlock()
	return !unchanged
}

// forgetConfig makes the project outdated until a config is in force again.
func (a *Project) forgetConfig() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stamp = ""
}

func (a *Project) setConfigProblem(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.configProblem = err
}

// configStamp tells one state of the config and its schemas from another.
type configStamp string

func stampConfig(p *project.Project) configStamp {
	var stamp strings.Builder
	stamp.WriteString(stampFile(p.ConfigPath))
	for _, docType := range p.DocTypes() {
		if docType.Custom && docType.Schema != "" {
			stamp.WriteString(stampFile(filepath.Join(p.Root, p.DocsDir(), filepath.FromSlash(docType.Schema))))
		}
	}
	if external, ok := p.External(); ok {
		stamp.WriteString(docsTarget(p))
		if info, err := os.Stat(external.Dir); err != nil || !info.IsDir() {
			stamp.WriteString("external folder missing")
		}
	}
	return configStamp(stamp.String())
}

func stampFile(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return path + ": missing\n"
	}
	return fmt.Sprintf("%s: %+v\n", path, watch.StampOf(info))
}

// maxLockAge is how old git's index lock may be: one that a crashed git left
// behind must not stop the index for good.
const maxLockAge = 10 * time.Minute

// gitBusyError says that git holds its index lock.
type gitBusyError struct{ since time.Time }

func (*gitBusyError) Error() string { return "git is changing the files" }

// ready returns an error while the files on disk may not be those of the tenant's
// branch: git changes the files first, under its index lock, and HEAD last.
func (a *Project) ready() error {
	head, err := project.Head(a.Definition.Root)
	if err != nil {
		return err
	}
	if !head.InRepository {
		return nil
	}
	if head.Branch != a.Tenant.Key.Branch {
		return fmt.Errorf("branch %q was checked out", head.Branch)
	}
	info, err := os.Stat(filepath.Join(filepath.Dir(head.HeadFile), "index.lock"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if time.Since(info.ModTime()) < maxLockAge {
		return &gitBusyError{since: info.ModTime()}
	}
	return nil
}
