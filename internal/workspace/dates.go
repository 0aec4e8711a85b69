package workspace

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/compound-docs/compound-docs/internal/history"
	"github.com/compound-docs/compound-docs/internal/project"
)

// commitDates knows when documents were first committed. It asks git when a date is needed and HEAD has
// moved. Safe for concurrent use.
type commitDates struct {
	project *project.Project
	logger  *slog.Logger

	mu     sync.Mutex
	commit string            // HEAD when dates was read
	dates  map[string]string // by the files' paths in the folder
}

// FirstCommits returns the dates of the documents' first commits, as far as git knows them.
func FirstCommits(ctx context.Context, p *project.Project, paths []string) map[string]string {
	dates := &commitDates{project: p, logger: slog.New(slog.DiscardHandler)}
	return dates.Dates(ctx, paths)
}

// Dates returns the dates of the paths' first commits, as far as git knows them.
func (c *commitDates) Dates(ctx context.Context, paths []string) map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	folder := docsFolder(c.project)
	if err := c.read(ctx, folder.Dir); err != nil && ctx.Err() == nil && !errors.Is(err, history.ErrNone) {
		c.logger.WarnContext(ctx, "git does not know how old the documents are; the times of the files are used", "error", err)
	}
	dates := map[string]string{}
	for _, path := range paths {
		name, _ := folder.Name(path)
		if date, ok := c.dates[name]; ok {
			dates[path] = date
		}
	}
	return dates
}

// read brings dates up to date with HEAD. It does not read an unreadable history again before HEAD moves.
func (c *commitDates) read(ctx context.Context, dir string) error {
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
