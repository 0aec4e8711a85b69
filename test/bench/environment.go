package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// environment holds the services and programs of a measurement.
type environment struct {
	// quick asks for sizes that a few minutes suffice for.
	quick bool
	// databaseURL is of a server on which databases may be created.
	databaseURL, ollamaHost string
	// program is the server's binary.
	program string
	// dir is a temporary folder.
	dir    string
	logger *slog.Logger
	// say tells what is being done.
	say func(format string, args ...any)

	// whole ends with the program. Its parts are the measurements.
	whole *bench
	// index is made by the first measurement that needs it.
	index *searchIndex
}

func newEnvironment(quick bool, progress io.Writer) *environment {
	began := time.Now()
	return &environment{
		quick:       quick,
		databaseURL: os.Getenv(testenv.EnvDatabaseURL),
		ollamaHost:  os.Getenv(testenv.EnvOllamaHost),
		logger:      slog.New(slog.NewTextHandler(progress, &slog.HandlerOptions{Level: slog.LevelWarn})),
		say: func(format string, args ...any) {
			fmt.Fprintf(progress, "bench: %5.0fs: %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, args...))
		},
	}
}

// prepare expects the repository's root for a working folder, the server built in
// it, and what test/testenv/withservices provides.
func (b *bench) prepare() {
	if b.databaseURL == "" || b.ollamaHost == "" {
		check(errors.New("run it as make bench, which provides PostgreSQL and Ollama"))
	}
	b.program = get(filepath.Abs("bin/compound-docs"))
	b.dir = get(os.MkdirTemp("", "cdocs-bench-"))
	b.atEnd(func() error { return os.RemoveAll(b.dir) })
}

// size chooses between the size of a quick and of a full run.
func (e *environment) size(quick, full int) int {
	if e.quick {
		return quick
	}
	return full
}

// database is a new, migrated database.
type database struct {
	*db.Database

	url  string
	pool *pgxpool.Pool
}

// newDatabase creates a database, which is dropped at the end.
func (b *bench) newDatabase(ctx context.Context) *database {
	url, drop, err := testenv.NewDatabase(ctx, b.databaseURL)
	check(err)
	d := &database{Database: db.NewDatabase(testenv.Source(url), b.logger), url: url}
	b.atEnd(func() error {
		d.Close()
		return drop(context.WithoutCancel(ctx))
	})
	d.pool = get(d.Pool(ctx))
	return d
}

// settle has the statistics and visibility that autovacuum would have made in
// time, and writes out what is dirty.
func (d *database) settle(ctx context.Context) {
	for _, statement := range []string{"VACUUM (ANALYZE)", "CHECKPOINT"} {
		get(d.pool.Exec(ctx, statement))
	}
}

// withoutHNSW does f while the vectors have no HNSW index, and makes both again
// afterwards as they were: that takes a fraction of the time that inserting into
// them does. It is for measurements that a load only prepares.
func (d *database) withoutHNSW(ctx context.Context, f func()) {
	definitions := d.texts(ctx, `SELECT indexdef FROM pg_indexes
		WHERE indexname IN ('embeddings_compounding_embedding', 'embeddings_compounding_promoted')`)
	get(d.pool.Exec(ctx, "DROP INDEX embeddings_compounding_embedding, embeddings_compounding_promoted"))
	f()
	check(pgx.BeginFunc(ctx, d.pool, func(tx pgx.Tx) error {
		var vectors int
		if err := tx.QueryRow(ctx, "SELECT count(*) FROM embeddings_compounding").Scan(&vectors); err != nil {
			return err
		}
		// With less memory than the whole graph needs it would become slow.
		const bytesPerVector = 4 << 10
		for _, statement := range append([]string{
			fmt.Sprintf("SET LOCAL maintenance_work_mem = '%dMB'", 64+vectors*bytesPerVector>>20),
			"SET LOCAL max_parallel_maintenance_workers = 2",
		}, definitions...) {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	}))
}

// tenant returns the IDs of a project and of its tenant on a branch.
func (d *database) tenant(ctx context.Context, project, branch string) (projectID, id int32) {
	check(d.pool.QueryRow(ctx, `
		SELECT t.project_id, t.id FROM tenants t JOIN projects p ON p.id = t.project_id
		WHERE p.name = $1 AND t.branch_name = $2`, project, branch).Scan(&projectID, &id))
	return projectID, id
}

// texts reads one column of text.
func (d *database) texts(ctx context.Context, query string, args ...any) []string {
	return get(pgx.CollectRows(get(d.pool.Query(ctx, query, args...)), pgx.RowTo[string]))
}
