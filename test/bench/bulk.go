package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/watch"
)

// bulk compares the first sync of a project, its vectors made in this process,
// with COPY of the same rows into the same tables with the same indexes. What is
// above 1 is the walk, parsing, and what it takes to be there whole or not at all.
func bulk(ctx context.Context, e *environment) ([]Row, error) {
	documents := e.size(1000, 5000)
	repo, err := e.newRepository("bulk", documents, 1, 1)
	if err != nil {
		return nil, err
	}
	models := &embedder{space: newSpace(500, 1)}
	e.say("sync.bulk: %d documents", documents)

	var rows []table
	sync := func(ctx context.Context, _ int) (took time.Duration, err error) {
		target, err := e.newDatabase(ctx)
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, target.drop(ctx)) }()
		began := time.Now()
		if err := syncOnce(ctx, e.library(target.Database, models), repo, "main"); err != nil {
			return 0, err
		}
		took = time.Since(began)
		if rows == nil {
			rows, err = readTables(ctx, target)
		}
		return took, err
	}
	load := func(ctx context.Context, _ int) (took time.Duration, err error) {
		target, err := e.newDatabase(ctx)
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, target.drop(ctx)) }()
		began := time.Now()
		if err := copyTables(ctx, target, rows); err != nil {
			return 0, err
		}
		return time.Since(began), nil
	}
	compared, err := alternate(ctx, 0, e.size(1, 3), sync, load)
	if err != nil {
		return nil, err
	}
	return []Row{{
		Name: "sync.bulk.ratio", Value: compared.ratio(), Unit: "ratio", Target: atMost(2),
		Note: fmt.Sprintf("%d documents of one passage, vectors made in process; %v", documents, compared),
	}}, nil
}

// syncOnce makes the index hold the repository as a first activation does.
func syncOnce(ctx context.Context, library *rag.Library, repo *repository, branch string) error {
	loaded, err := project.Load(repo.config())
	if err != nil {
		return err
	}
	key := rag.TenantKey{Project: loaded.Config.ProjectName, Branch: branch, PathHash: project.PathHash(loaded.Root)}
	tenant, err := library.Tenant(ctx, key, loaded.Root)
	if err != nil {
		return err
	}
	folder := watch.Folder{
		Dir: filepath.Join(loaded.Root, loaded.DocsDir()), Inside: loaded.Root, Prefix: loaded.DocsDir(),
		Match: func(name string) bool { return strings.EqualFold(path.Ext(name), ".md") },
	}
	synced, err := watch.Sync(ctx, folder, library.Indexer(tenant, rag.Compounding, loaded), nil)
	if err == nil && synced.Added != repo.documents {
		err = fmt.Errorf("sync %s: %+v, want %d documents", repo.root, synced, repo.documents)
	}
	return err
}

// table is what one table holds.
type table struct {
	name    string
	columns []string
	rows    [][]any
}

// readTables reads all rows of the index.
func readTables(ctx context.Context, from *database) ([]table, error) {
	tables := []table{
		{name: "embedding_models"},
		{name: "projects"},
		{name: "tenants"},
		{name: "documents"},
		{name: "document_links"},
		{name: "document_chunks"},
		{name: "passages"},
	}
	for i := range tables {
		t := &tables[i]
		rows, err := from.pool.Query(ctx, `
			SELECT attname::text FROM pg_attribute
			WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
			ORDER BY attnum`, t.name)
		if err != nil {
			return nil, err
		}
		if t.columns, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
			return nil, err
		}
		if rows, err = from.pool.Query(ctx, "SELECT "+strings.Join(t.columns, ", ")+" FROM "+t.name); err != nil {
			return nil, err
		}
		t.rows, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]any, error) { return row.Values() })
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", t.name, err)
		}
	}
	return tables, nil
}

// copyTables writes each table over as many connections as there are processors.
func copyTables(ctx context.Context, into *database, tables []table) error {
	for _, t := range tables {
		group, ctx := errgroup.WithContext(ctx)
		for rows := range slices.Chunk(t.rows, len(t.rows)/runtime.NumCPU()+1) {
			group.Go(func() error {
				_, err := into.pool.CopyFrom(ctx, pgx.Identifier{t.name}, t.columns, pgx.CopyFromRows(rows))
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return fmt.Errorf("copy %s: %w", t.name, err)
		}
	}
	return nil
}
