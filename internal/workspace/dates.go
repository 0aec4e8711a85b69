package workspace

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/compound-docs/compound-docs/internal/history"
	"github.com/compound-docs/compound-docs/internal/project"
)

// commitDates knows when documents were first committed. It asks git only if a date is needed and HEAD has moved since
// the last time. Safe for concurrent use.
type commitDates struct {
	project  *project.Project
	logger   *slog.Logger
	distrust atomic.Pointer[history.UntrustedError] // git's message if git does not trust the checkout
	told     atomic.Bool                            // GitNote has returned the message

	mu     sync.Mutex
	commit string            // HEAD when dates was read
	dates  map[string]string // dates of the first commits, by path in the folder
}

// FirstCommits returns, by path, the date of each document's first commit, if git knows the date.
func FirstCommits(ctx context.Context, p *project.Project, paths []string) map[string]string {
	dates := &commitDates{project: p, logger: slog.New(slog.DiscardHandler)}
	return dates.Dates(ctx, paths)
}

// GitNote returns git's message if git does not trust the checkout. The server gets the message when it asks git for
// dates. The first call after this returns the message, and all other calls return "".
func (p *Project) GitNote() string {
	untrusted := p.dates.distrust.Load()
	if untrusted == nil || p.dates.told.Swap(true) {
		return ""
	}
	return untrusted.Error()
}

// Dates returns, by path, the date of each document's first commit, if git knows the date. If git does not trust the
// checkout, all dates are "".
func (c *commitDates) Dates(ctx context.Context, paths []string) map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	folder, dates := docsFolder(c.project), map[string]string{}
	err := c.update(ctx, folder.Dir)
	untrusted, distrusts := errors.AsType[*history.UntrustedError](err)
	switch {
	case distrusts: // the times of the files mean nothing: a container may just have copied the files
		c.distrust.Store(untrusted)
		c.logger.WarnContext(ctx, "git does not know how old the documents are", "error", err)
		for _, path := range paths {
			dates[path] = ""
		}
		return dates
	case err != nil && ctx.Err() == nil && !errors.Is(err, history.ErrNone):
		c.logger.WarnContext(ctx, "git does not know how old the documents are; the times of the files are used", "error", err)
	}
	for _, path := range paths {
		name, _ := folder.Name(path)
		if date, ok := c.dates[name]; ok {
			dates[path] = date
		}
	}
	return dates
}

// update reads the dates again if HEAD has moved. After a failure it does not try again before HEAD moves.
func (c *commitDates) update(ctx context.Context, dir string) error {
	folder, err := history.Open(dir)
	if err != nil {
		return err
	}
	commit, err := folder.Head(ctx)
	if err != nil || commit == c.commit {
		return err
	}
	dates, err := folder.Added(ctx, commit, c.project.DocumentPaths()...)
	if ctx.Err() != nil {
		return err
	}
	c.commit, c.dates = commit, dates
	return err
}
