package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// environment is what measurements run on.
type environment struct {
	// quick asks for sizes that a few minutes suffice for.
	quick bool
	// databaseURL is of a server on which databases may be created.
	databaseURL, ollamaHost, ollamaModels string
	// program is the server's binary, and hello that of the smallest server.
	program, hello string
	// dir is a temporary folder.
	dir    string
	logger *slog.Logger
	// say tells what is being done.
	say func(format string, args ...any)

	// corpus is made by the first measurement that needs it, and so is grown.
	corpus *corpus
	grown  *grownIndex
	// curves are what the picture shows.
	curves []curve
}

// newEnvironment expects the repository's root for a working folder, the server
// built in it, and what test/testenv/withservices provides.
func newEnvironment(ctx context.Context, quick bool, progress io.Writer) (_ *environment, err error) {
	began := time.Now()
	e := &environment{
		quick:        quick,
		databaseURL:  os.Getenv(testenv.EnvDatabaseURL),
		ollamaHost:   os.Getenv(testenv.EnvOllamaHost),
		ollamaModels: os.Getenv(testenv.EnvOllamaModels),
		logger:       slog.New(slog.NewTextHandler(progress, &slog.HandlerOptions{Level: slog.LevelWarn})),
		say: func(format string, args ...any) {
			fmt.Fprintf(progress, "bench: %5.0fs: %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, args...))
		},
	}
	if e.databaseURL == "" || e.ollamaHost == "" {
		return nil, errors.New("run it as make bench, which provides PostgreSQL and Ollama")
	}
	if e.program, err = filepath.Abs("bin/compound-docs"); err != nil {
		return nil, err
	}
	if e.dir, err = os.MkdirTemp("", "cdocs-bench-"); err != nil {
		return nil, err
	}
	e.hello = filepath.Join(e.dir, "hello")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", e.hello, "./test/bench/hello")
	if text, err := build.CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("build hello: %w\n%s", err, text), os.RemoveAll(e.dir))
	}
	return e, nil
}

func (e *environment) close(ctx context.Context) (err error) {
	if e.corpus != nil {
		err = e.corpus.close(ctx)
	}
	if e.grown != nil {
		err = errors.Join(err, e.grown.close(ctx))
	}
	return errors.Join(err, os.RemoveAll(e.dir))
}

// size chooses between the size of a quick and of a full run.
func (e *environment) size(quick, full int) int {
	if e.quick {
		return quick
	}
	return full
}

// folder makes a new folder.
func (e *environment) folder(name string) (string, error) { return os.MkdirTemp(e.dir, name+"-") }

// database is a migrated database of its own.
type database struct {
	*db.Database

	url    string
	pool   *pgxpool.Pool
	remove func(context.Context) error
}

// newDatabase creates a database; the caller drops it.
func (e *environment) newDatabase(ctx context.Context) (*database, error) {
	url, remove, err := testenv.NewDatabase(ctx, e.databaseURL)
	if err != nil {
		return nil, err
	}
	d := &database{Database: db.NewDatabase(url, e.logger), url: url, remove: remove}
	if d.pool, err = d.Pool(ctx); err != nil {
		return nil, errors.Join(err, d.drop(ctx))
	}
	return d, nil
}

// drop removes the database, whoever is still connected.
func (d *database) drop(ctx context.Context) error {
	d.Close()
	return d.remove(context.WithoutCancel(ctx))
}

// withDatabase does something with a database that is dropped afterwards.
func (e *environment) withDatabase(ctx context.Context, do func(*database) error) error {
	d, err := e.newDatabase(ctx)
	if err != nil {
		return err
	}
	return errors.Join(do(d), d.drop(ctx))
}

// settle has the statistics and visibility that autovacuum would have made in
// time, and writes out what is dirty.
func (d *database) settle(ctx context.Context) error {
	for _, statement := range []string{"VACUUM (ANALYZE)", "CHECKPOINT"} {
		if _, err := d.pool.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// withoutHNSW does f while the passages have no HNSW index, and makes both again
// afterwards as they were: that takes a fraction of the time that inserting into
// them does. It is for measurements that a load only prepares.
func (d *database) withoutHNSW(ctx context.Context, f func() error) error {
	rows, err := d.pool.Query(ctx, `SELECT indexdef FROM pg_indexes
		WHERE indexname IN ('passages_compounding_embedding', 'passages_compounding_promoted')`)
	if err != nil {
		return err
	}
	definitions, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("read the definitions of the HNSW indexes: %w", err)
	}
	if _, err := d.pool.Exec(ctx, "DROP INDEX passages_compounding_embedding, passages_compounding_promoted"); err != nil {
		return err
	}
	if err := f(); err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, d.pool, func(tx pgx.Tx) error {
		var passages int
		if err := tx.QueryRow(ctx, "SELECT count(*) FROM passages_compounding").Scan(&passages); err != nil {
			return err
		}
		// With less memory than the whole graph needs it would become slow.
		const bytesPerPassage = 4 << 10
		for _, statement := range append([]string{
			fmt.Sprintf("SET LOCAL maintenance_work_mem = '%dMB'", 64+passages*bytesPerPassage>>20),
			"SET LOCAL max_parallel_maintenance_workers = 2",
		}, definitions...) {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	})
}

// scan reads one row.
func (d *database) scan(ctx context.Context, query string, into ...any) error {
	return d.pool.QueryRow(ctx, query).Scan(into...)
}
