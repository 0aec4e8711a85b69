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

// SyncResult is what a [Sync] came to, in documents.
type SyncResult struct {
	Added, Updated, Removed, Unchanged int
	// Failed are the files on disk that could not be indexed, by path.
	Failed []document.Failure
}

// Documents is how many of the folder's files the index holds.
func (s SyncResult) Documents() int { return s.Added + s.Updated + s.Unchanged }

// Sync makes the index hold what the folder holds, once. Documents whose paths
// do not begin with the folder's prefix are left alone. report, if not nil, is
// told how many of the changed files have been handled. An error means that the
// work is not finished; done again it goes on from there.
func Sync(ctx context.Context, folder Folder, indexer Indexer, report func(done, total int)) (SyncResult, error) {
	tally := &tally{Indexer: indexer, prefix: folder.Prefix}
	steady := func() error { return nil }
	walked, err := reconcile(ctx, folder, tally, steady, func(p progress) {
		if report != nil {
			report(p.done, p.total)
		}
	})
	if err != nil {
		return SyncResult{}, fmt.Errorf("sync %s: %w", folder.Dir, err)
	}
	return tally.synced(folder, walked), nil
}

// Holds reports whether the folder has a file that matches, be it readable or not,
// or a folder that cannot be looked into.
func (f Folder) Holds(ctx context.Context) (found bool, err error) {
	root, err := f.open()
	if err != nil {
		return false, fmt.Errorf("open folder: %w", err)
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	err = f.walk(ctx, root, func(entry) { found = true }, func(entry, error) { found = true })
	return found, err
}

// tally is the part of an index that is a folder's, and counts what becomes of it.
type tally struct {
	Indexer
	prefix string

	mu     sync.Mutex
	known  map[string]document.Stamp
	counts SyncResult
	// kept are the known documents that nothing was done with.
	kept map[string]struct{}
}

func (t *tally) Known(ctx context.Context) (map[string]document.Stamp, error) {
	known, err := t.Indexer.Known(ctx)
	if t.prefix != "" {
		maps.DeleteFunc(known, func(indexed string, _ document.Stamp) bool { return !strings.HasPrefix(indexed, t.prefix+"/") })
	}
	t.known, t.kept = maps.Clone(known), map[string]struct{}{}
	for indexed := range known {
		t.kept[indexed] = struct{}{}
	}
	return known, err
}

func (t *tally) Index(ctx context.Context, files []document.File) ([]document.Failure, error) {
	failures, err := t.Indexer.Index(ctx, files)
	if err != nil {
		return nil, err
	}
	failed := map[string]bool{}
	for _, failure := range failures {
		failed[failure.Path] = true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, file := range files {
		delete(t.kept, file.Path)
		_, known := t.known[file.Path]
		switch {
		case failed[file.Path]:
		case known:
			t.counts.Updated++
		default:
			t.counts.Added++
		}
	}
	return failures, nil
}

func (t *tally) Remove(ctx context.Context, paths []string) error {
	t.mu.Lock()
	for _, indexed := range paths {
		if _, ok := t.kept[indexed]; ok {
			t.counts.Removed++
			delete(t.kept, indexed)
		}
	}
	t.mu.Unlock()
	return t.Indexer.Remove(ctx, paths)
}

func (t *tally) synced(folder Folder, walked progress) SyncResult {
	synced := t.counts
	synced.Failed = walked.failed
	for _, name := range walked.changing {
		synced.Failed = append(synced.Failed, document.Failure{Path: path.Join(folder.Prefix, name), Err: errChanged})
	}
	for _, failure := range synced.Failed {
		delete(t.kept, failure.Path)
	}
	synced.Unchanged = len(t.kept)
	slices.SortFunc(synced.Failed, func(a, b document.Failure) int { return cmp.Compare(a.Path, b.Path) })
	return synced
}
