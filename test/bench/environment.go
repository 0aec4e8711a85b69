package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/db"
)

// environment is what measurements run on.
type environment struct {
	// quick asks for sizes that a few minutes suffice for.
	quick bool
	// keep leaves the databases.
	keep bool
	// databaseURL is of a server on which databases may be created.
	databaseURL, ollamaHost, ollamaModels string
	// program is the server's binary, and hello that of the smallest server.
	program, hello string
	// dir is a temporary folder.
	dir    string
	logger *slog.Logger
	// say tells what is being done.
	say func(format string, args ...any)

	// corpus is made by the first measurement that needs it.
	corpus *corpus
	// curves are what the picture shows.
	curves []curve
}

// size chooses between the size of a quick and of a full run.
func (e *environment) size(quick, full int) int {
	if e.quick {
		return quick
	}
	return full
}

// folder makes a new folder.
func (e *environment) folder(name string) (string, error) {
	return os.MkdirTemp(e.dir, name+"-")
}

// database is a migrated database of its own.
type database struct {
	*db.Database

	url, name, server string
	pool              *pgxpool.Pool
	keep              bool
}

// newDatabase creates a database; the caller drops it.
func (e *environment) newDatabase(ctx context.Context) (_ *database, err error) {
	d := &database{name: "cdocs_bench_" + strings.ToLower(rand.Text()), server: e.databaseURL, keep: e.keep}
	if err := execute(ctx, d.server, "CREATE DATABASE "+d.name+" TEMPLATE template0 ENCODING 'UTF8'"); err != nil {
		return nil, err
	}
	parsed, err := url.Parse(d.server)
	if err != nil {
		return nil, errors.New("the database URL is not a URL") // err would quote its password
	}
	parsed.Path = "/" + d.name
	d.url = parsed.String()
	d.Database = db.NewDatabase(d.url, e.logger)
	if e.keep {
		e.say("database %s", d.name)
	}
	if d.pool, err = d.Pool(ctx); err != nil {
		return nil, errors.Join(err, d.drop(ctx))
	}
	return d, nil
}

// drop removes the database, whoever is still connected, unless it is to be kept.
func (d *database) drop(ctx context.Context) error {
	d.Close()
	if d.keep {
		return nil
	}
	return execute(context.WithoutCancel(ctx), d.server, "DROP DATABASE "+d.name+" WITH (FORCE)")
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

// withoutHNSW does f while the passages have no HNSW index, and makes both anew
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

// execute runs one statement on a connection of its own.
func execute(ctx context.Context, url, statement string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
}

// absolute resolves a path of the repository, whose root is the working folder.
func absolute(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err == nil {
		_, err = os.Stat(path)
	}
	return path, err
}
