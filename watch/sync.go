package watch

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/compound-docs/compound-docs/internal/document"
)

// SyncResult counts the documents of a [Sync].
type SyncResult struct {
	Added, Updated, Removed, Unchanged int
	// Failed are the files on disk that could not be indexed, by path.
	Failed []document.Failure
}

// Documents is how many of the folder's files the index holds.
func (s SyncResult) Documents() int { return s.Added + s.Updated + s.Unchanged }

// Sync makes the index hold what the folder holds, once. Documents whose paths
// do not begin with the folder's prefix are left alone. report, if not nil, is
// called with the number of changed files that have been handled, and of all.
// After an error the work is not finished; another Sync continues it.
func Sync(ctx context.Context, folder Folder, indexer Indexer, report func(done, total int)) (SyncResult, error) {
	counted := &countingIndexer{Indexer: indexer, prefix: folder.Prefix}
	ready := func() error { return nil }
	walked, err := reconcile(ctx, folder, counted, ready, func(p progress) {
		if report != nil {
			report(p.done, p.total)
		}
	})
	if err != nil {
		return SyncResult{}, fmt.Errorf("sync %s: %w", folder.Dir, err)
	}
	return counted.result(folder, walked), nil
}

// Holds reports whether the folder has a file that matches, readable or not, or a
// folder that cannot be looked into.
func (f Folder) Holds(ctx context.Context) (found bool, err error) {
	root, err := f.Open()
	if err != nil {
		return false, fmt.Errorf("open folder: %w", err)
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	err = f.walk(ctx, root, visitor{found: func(entry) { found = true }, skipped: func(entry, error) { found = true }})
	return found, err
}

// countingIndexer counts what a reconciliation does. It hides the documents of the
// index whose paths do not begin with the prefix.
type countingIndexer struct {
	Indexer
	prefix string

	mu     sync.Mutex
	known  map[string]document.Stamp
	counts SyncResult
	// kept are the known documents that were neither indexed nor removed.
	kept map[string]struct{}
}

func (c *countingIndexer) Known(ctx context.Context) (map[string]document.Stamp, error) {
	known, err := c.Indexer.Known(ctx)
	if c.prefix != "" {
		maps.DeleteFunc(known, func(indexed string, _ document.Stamp) bool { return !strings.HasPrefix(indexed, c.prefix+"/") })
	}
	c.known, c.kept = maps.Clone(known), map[string]struct{}{}
	for indexed := range known {
		c.kept[indexed] = struct{}{}
	}
	return known, err
}

func (c *countingIndexer) Index(ctx context.Context, files []document.File) ([]document.Failure, error) {
	failures, err := c.Indexer.Index(ctx, files)
	if err != nil {
		return nil, err
	}
	failed := map[string]bool{}
	for _, failure := range failures {
		failed[failure.Path] = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, file := range files {
		delete(c.kept, file.Path)
		_, known := c.known[file.Path]
		switch {
		case failed[file.Path]:
		case known:
			c.counts.Updated++
		default:
			c.counts.Added++
		}
	}
	return failures, nil
}

func (c *countingIndexer) Remove(ctx context.Context, paths []string) error {
	c.mu.Lock()
	for _, indexed := range paths {
		if _, ok := c.kept[indexed]; ok {
			c.counts.Removed++
			delete(c.kept, indexed)
		}
	}
	c.mu.Unlock()
	return c.Indexer.Remove(ctx, paths)
}

func (c *countingIndexer) result(folder Folder, walked progress) SyncResult {
	result := c.counts
	result.Failed = walked.failed
	for _, name := range walked.changing {
		result.Failed = append(result.Failed, document.Failure{Path: path.Join(folder.Prefix, name), Err: errChanged})
	}
	for _, failure := range result.Failed {
		delete(c.kept, failure.Path)
	}
	result.Unchanged = len(c.kept)
	slices.SortFunc(result.Failed, func(a, b document.Failure) int { return cmp.Compare(a.Path, b.Path) })
	return result
}
