package rag

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/db"
)

// Stamp is what the index knows of a file without its text.
type Stamp struct {
	Size int64
	// ModTime has PostgreSQL's precision, a microsecond.
	ModTime time.Time
	Hash    Hash
}

// Same reports that a file of this size and time need not be read again.
func (s Stamp) Same(size int64, modTime time.Time) bool {
	return s.Size == size && s.ModTime.Equal(modTime.Truncate(time.Microsecond))
}

// Failure is a file that could not be indexed, and why.
type Failure struct {
	Path string
	Err  error
}

// Indexer keeps one collection of a tenant. Safe for concurrent use, as long as
// no two calls are about the same file.
type Indexer struct {
	library    *Library
	tenant     *Tenant
	collection Collection
	schema     Schema
	firstSync  firstSync
}

// Indexer returns the indexer of a collection. A nil schema takes any markdown.
func (l *Library) Indexer(tenant *Tenant, collection Collection, schema Schema) *Indexer {
	return &Indexer{library: l, tenant: tenant, collection: collection, schema: schema}
}

// Known returns the stamp of every indexed file by its path. A document that
// was validated against another schema than its folder's present one has a
// stamp that no file matches. It is what a sync begins with.
func (x *Indexer) Known(ctx context.Context) (map[string]Stamp, error) {
	known := map[string]Stamp{}
	err := x.library.db.Read(ctx, "read stamps", func(q *db.Queries) error {
		rows, err := q.DocumentStamps(ctx, db.DocumentStampsParams{
			ProjectID: x.tenant.projectID, TenantID: x.tenant.id, Collection: x.collection,
		})
		for _, row := range rows {
			stamp := Stamp{Size: -1}
			if row.SchemaHash == x.schemaHash(row.RelativePath) {
				stamp = Stamp{Size: row.FileSize, ModTime: row.FileMtime, Hash: Hash(row.ContentHash)}
			}
			known[row.RelativePath] = stamp
		}
		return err
	})
	x.firstSync.begin(err == nil && len(known) == 0)
	return known, err
}

func (x *Indexer) schemaHash(path string) string {
	if x.schema == nil {
		return ""
	}
	docType, _ := x.schema.DocTypeOf(path)
	return docType.SchemaHash
}

// Touch notes the new stamps, by path, of files whose bytes are as the index has
// them.
func (x *Indexer) Touch(ctx context.Context, stamps map[string]Stamp) error {
	params := db.DocumentTouchManyParams{
		ProjectID: x.tenant.projectID, TenantID: x.tenant.id, Collection: x.collection,
	}
	for path, stamp := range stamps {
		params.RelativePaths = append(params.RelativePaths, path)
		params.ContentHashes = append(params.ContentHashes, stamp.Hash[:])
		params.FileSizes = append(params.FileSizes, stamp.Size)
		params.FileMtimes = append(params.FileMtimes, stamp.ModTime.Truncate(time.Microsecond))
	}
	return x.write(ctx, "update stamps", func(q *db.Queries) error {
		if err := x.tenant.bump(ctx, q); err != nil {
			return err
		}
		return q.DocumentTouchMany(ctx, params)
	})
}

// Remove takes documents out of the index. Their passages stay for the other
// checkouts that may have them.
func (x *Indexer) Remove(ctx context.Context, paths []string) error {
	// No index holds a path that is not text, and PostgreSQL refuses to look.
	paths = slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return !utf8.ValidString(path) })
	if len(paths) == 0 {
		return nil
	}
	return x.write(ctx, "remove documents", func(q *db.Queries) error {
		if err := x.tenant.bump(ctx, q); err != nil {
			return err
		}
		return q.DocumentDeleteByPaths(ctx, db.DocumentDeleteByPathsParams{
			ProjectID: x.tenant.projectID, TenantID: x.tenant.id, Collection: x.collection, RelativePaths: paths,
		})
	})
}

// write runs f in a transaction of the tenant, which no [Library.Delete] comes in
// between.
func (x *Indexer) write(ctx context.Context, op string, f func(q *db.Queries) error) error {
	return x.library.db.Write(ctx, op, func(q *db.Queries) error {
		if err := q.LockProjectShared(ctx, db.LockProjectSharedParams{
			Class: db.LockPassages, ProjectID: x.tenant.projectID,
		}); err != nil {
			return err
		}
		return f(q)
	})
}

// Index puts the files into the index, each whole or not at all, embedding only
// passages that no checkout of the project has yet. A file that cannot be a
// document is among the failures, and an earlier version of it leaves the
// index: an answer must not come from a text that is no longer there. An error
// means that nothing can be said of the files: the call may be made again.
func (x *Indexer) Index(ctx context.Context, files []File) ([]Failure, error) {
	model, err := x.library.registerModel(ctx, x.tenant)
	if err != nil {
		return nil, err
	}
	batch := &batch{indexer: x, model: model, vectors: map[uuid.UUID][]float32{}}
	for _, file := range files {
		release, err := x.library.beginParsing(ctx, file)
		if err != nil {
			return nil, err
		}
		doc, err := prepare(file, x.collection, x.schema, model)
		release()
		if err != nil {
			batch.fail(file.Path, err)
			continue
		}
		x.report(ctx, doc)
		batch.documents = append(batch.documents, doc)
	}
	// Two servers insert shared rows in the same order, so they cannot deadlock.
	slices.SortFunc(batch.documents, func(a, b *document) int { return strings.Compare(a.file.Path, b.file.Path) })
	if err := x.Remove(ctx, batch.failedPaths()); err != nil {
		return nil, err
	}
	if err := batch.run(ctx); err != nil {
		return nil, err
	}
	return batch.failures, nil
}
