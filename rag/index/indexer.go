package index

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/panics"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/said"
)

// Indexer writes the documents of one collection of a tenant. Searches by words find a document as soon as it is
// written; a [Queue] makes its vectors later. Safe for concurrent use. However, two calls must not write the same file
// at the same time with the default Source.
type Indexer struct {
	index      *Index
	tenant     *catalog.Tenant
	collection catalog.Collection
	schema     Schema
	growth     growth

	// Set the fields below before the first call.

	// Source finds, just before a write, the files that have changed since they were read. The default finds no file.
	Source Files
	// Dates, if not nil, returns dates such as 2026-01-02, by path, for documents without a date in their front matter. A
	// document that is not in the result gets the date of its file's last change.
	Dates func(ctx context.Context, paths []string) map[string]string
	// Cues, if not nil, returns keys for a document, made from its triggers and the paths that it cites. The keys are
	// stored with the document. With the keys of a command or an edit, [Index.CitedPlaces] finds the documents about it.
	Cues func(triggers []said.Trigger, cited []string) []string
	// OnWritten is called after each change of the index.
	OnWritten func()
	// Owns, if not nil, reports whether a document belongs to this indexer. Several indexers may share a collection.
	Owns func(path string) bool
	// Again makes a sync index all files again. It also replaces passages that somebody has altered in the database.
	Again bool
}

// Indexer returns the indexer of a collection. A nil schema takes any markdown.
func (x *Index) Indexer(tenant *catalog.Tenant, collection catalog.Collection, schema Schema) *Indexer {
	return &Indexer{
		index: x, tenant: tenant, collection: collection, schema: schema, Source: asRead{}, OnWritten: func() {},
	}
}

// Known returns the stamps of the indexed files, by path. A sync compares each stamp with the file, and indexes the
// file again if they differ. A file must also be indexed again if the rules of its folder have changed, or if a version
// of the program with another format indexed it. Then Known returns a stamp that no file can have.
func (x *Indexer) Known(ctx context.Context) (map[string]document.Stamp, error) {
	rows, err := db.ReadOne(ctx, x.index.db, "read stamps", (*db.Queries).DocumentStamps, db.DocumentStampsParams{
		ProjectID: x.tenant.ProjectID, TenantID: x.tenant.ID, Collection: x.collection,
	})
	known := make(map[string]document.Stamp, len(rows))
	for _, row := range rows {
		if x.Owns != nil && !x.Owns(row.RelativePath) {
			continue
		}
		schema := ""
		if x.schema != nil {
			docType, _ := x.schema.Rules(row.RelativePath)
			schema = docType.SchemaHash
		}
		stamp := document.Stamp{Size: -1}
		if !x.Again && row.SchemaHash == catalog.SchemaStamp(schema) {
			stamp = document.Stamp{
				Size: row.FileSize, ModTime: row.FileMtime, ChangeTime: row.FileCtime, Inode: uint64(row.FileInode),
				Hash: document.Hash(row.ContentHash),
			}
		}
		known[row.RelativePath] = stamp
	}
	return known, err
}

// Touch stores new stamps, by path, for files whose bytes have not changed.
func (x *Indexer) Touch(ctx context.Context, stamps map[string]document.Stamp) error {
	params := db.DocumentTouchManyParams{
		ProjectID: x.tenant.ProjectID, TenantID: x.tenant.ID, Collection: x.collection,
	}
	for path, stamp := range stamps {
		params.RelativePaths = append(params.RelativePaths, path)
		params.ContentHashes = append(params.ContentHashes, stamp.Hash[:])
		params.FileSizes = append(params.FileSizes, stamp.Size)
		params.FileMtimes = append(params.FileMtimes, stamp.ModTime.Truncate(time.Microsecond))
		params.FileCtimes = append(params.FileCtimes, stamp.ChangeTime.Truncate(time.Microsecond))
		params.FileInodes = append(params.FileInodes, int64(stamp.Inode))
	}
	return x.write(ctx, "update stamps", func(q *db.Queries) error {
		if err := x.tenant.IncrementVersion(ctx, q); err != nil {
			return err
		}
		return q.DocumentTouchMany(ctx, params)
	})
}

// write runs f in a transaction that begins with [lockPassagesShared], and calls OnWritten after the commit.
func (x *Indexer) write(ctx context.Context, op string, f func(q *db.Queries) error) error {
	err := x.index.db.Write(ctx, op, func(q *db.Queries) error {
		if err := lockPassagesShared(ctx, q, x.tenant.ProjectID); err != nil {
			return err
		}
		return f(q)
	})
	if err != nil {
		return err
	}
	x.OnWritten()
	return nil
}

// Index puts files into the index, each whole or not at all. A text that several checkouts of the project have is
// stored once. The failures name the files that were not indexed. If a file has changed since it was read
// ([document.ErrChanged]), its earlier version stays in the index. If a file cannot be a document, makes this program
// panic or is refused by the database, Index removes the earlier version, because no answer may come from text that is
// gone. After an error, only some of the files may be in the index: call Index again.
func (x *Indexer) Index(ctx context.Context, files []document.File) ([]document.Failure, error) {
	refuse := func(file document.File, reason error) ([]document.Failure, error) {
		err := x.removeRefused(ctx, map[string]document.Stamp{file.Path: file.Stamp})
		return []document.Failure{{Path: file.Path, Err: reason}}, err
	}
	return isolate(ctx, x.index.logger, files, x.indexBatch, refuse)
}

// isolate returns the results of f for all items. If f panics or the database refuses the data, isolate calls f with
// each item alone, to find the items that are the cause. For an item that has such a failure even alone, it takes the
// results of refuse. At any other error isolate stops.
func isolate[Item, Result any](
	ctx context.Context, logger *slog.Logger, items []Item,
	f func(ctx context.Context, items []Item) ([]Result, error), refuse func(item Item, reason error) ([]Result, error),
) ([]Result, error) {
	var results []Result
	err := panics.Catch(func() error {
		var err error
		results, err = f(ctx, items)
		return err
	})
	bug, isBug := errors.AsType[*panics.Error](err)
	if !isBug && !db.IsKind(err, db.KindData) {
		return results, err
	}
	if len(items) == 1 {
		if isBug {
			logger.ErrorContext(ctx, "a bug stopped the indexing", "panic", bug.Value, "stack", string(bug.Stack))
		}
		return refuse(items[0], err)
	}
	results = nil
	for i := range items {
		more, err := isolate(ctx, logger, items[i:i+1], f, refuse)
		if err != nil {
			return nil, err
		}
		results = append(results, more...)
	}
	return results, nil
}

// largeBatch is the size in bytes from which a batch of files counts as large. Large batches take turns, because a file
// takes approximately fifty times its size in memory until it is written. A small batch never waits.
const largeBatch = 256 << 10

func (x *Indexer) indexBatch(ctx context.Context, files []document.File) ([]document.Failure, error) {
	size := 0
	for _, file := range files {
		size += len(file.Content)
	}
	if size >= largeBatch {
		if err := x.index.largeBatches.Acquire(ctx, 1); err != nil {
			return nil, fmt.Errorf("wait to index %d large files: %w", len(files), err)
		}
		defer x.index.largeBatches.Release(1)
	}
	var failures []document.Failure
	var documents []Dissection
	refused := map[string]document.Stamp{}
	for _, file := range files {
		doc, err := Dissect(file, x.collection, x.schema)
		if err != nil {
			failures = append(failures, document.Failure{Path: file.Path, Err: err})
			refused[file.Path] = file.Stamp
			continue
		}
		if doc.Replaced > 0 {
			x.index.logger.WarnContext(ctx, "bytes that are not UTF-8 were replaced by \ufffd; save the file as UTF-8 text",
				"path", doc.path, "line", doc.Replaced)
		}
		if doc.NotFrontMatter != nil {
			x.index.logger.InfoContext(ctx, "what looks like front matter is indexed as text",
				"path", doc.path, "reason", doc.NotFrontMatter)
		}
		documents = append(documents, doc)
	}
	// All servers insert shared rows in this order, so that no two of them deadlock.
	slices.SortFunc(documents, func(a, b Dissection) int { return strings.Compare(a.path, b.path) })
	if err := x.removeRefused(ctx, refused); err != nil {
		return nil, err
	}
	changed, err := x.writeDocuments(ctx, documents, x.missingDates(ctx, documents))
	for _, path := range changed {
		failures = append(failures, document.Failure{Path: path, Err: document.ErrChanged})
	}
	return failures, err
}

// missingDates returns dates, by path, for the documents of a lenient project that have no date.
func (x *Indexer) missingDates(ctx context.Context, documents []Dissection) map[string]string {
	dates := map[string]string{}
	for _, doc := range documents {
		if doc.undated && !doc.stamp.ModTime.IsZero() {
			dates[doc.path] = doc.stamp.ModTime.Format(time.DateOnly)
		}
	}
	if len(dates) > 0 && x.Dates != nil {
		maps.Copy(dates, x.Dates(ctx, slices.Collect(maps.Keys(dates))))
	}
	return dates
}

// Files looks at the files on disk again. A writer calls it inside the transaction, while the other writers of the
// tenant wait. So if two writers have read different versions of a file, the older version does not stay in the index.
// If a file changes after this look, the file system reports the change, and another write follows after the commit.
type Files interface {
	// Changed returns the paths whose files no longer have the bytes of the stamp.
	Changed(stamps map[string]document.Stamp) []string
	// Present returns the paths at which there is a document, or something that cannot be read.
	Present(paths []string) []string
}

// asRead is the default of [Indexer.Source]. It looks at no file, and says that no file has changed or is there again.
type asRead struct{}

func (asRead) Changed(map[string]document.Stamp) []string { return nil }
func (asRead) Present([]string) []string                  { return nil }

// Remove removes the documents whose files are gone. The passages stay for other checkouts.
func (x *Indexer) Remove(ctx context.Context, paths []string) error {
	return x.remove(ctx, paths, x.Source.Present)
}

// removeRefused removes the earlier versions of files that cannot be indexed. If a file has changed since it was read,
// its earlier version stays.
func (x *Indexer) removeRefused(ctx context.Context, refused map[string]document.Stamp) error {
	return x.remove(ctx, slices.Collect(maps.Keys(refused)), func([]string) []string { return x.Source.Changed(refused) })
}

// remove removes the documents at paths, except the documents at the results of keep. It calls keep in the transaction.
func (x *Indexer) remove(ctx context.Context, paths []string, keep func(paths []string) []string) error {
	// No path in the index is invalid UTF-8, and PostgreSQL refuses a query with such a path.
	paths = slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return !utf8.ValidString(path) })
	if len(paths) == 0 {
		return nil
	}
	return x.write(ctx, "remove documents", func(q *db.Queries) error {
		if err := x.tenant.IncrementVersion(ctx, q); err != nil {
			return err
		}
		kept := keep(paths)
		if err := q.DocumentDeleteByPaths(ctx, db.DocumentDeleteByPathsParams{
			ProjectID: x.tenant.ProjectID, TenantID: x.tenant.ID, Collection: x.collection,
			RelativePaths: slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return slices.Contains(kept, path) }),
		}); err != nil {
			return err
		}
		return x.settle(ctx, q, nil)
	})
}
