package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/compound-docs/compound-docs/sql/schema"
)

// breakingStep divides the numbers of migrations: 2 to 999 leave the servers that know
// number 1 alone working, and 1000 does not.
const breakingStep = 1000

// Compatible reports whether a program whose newest migration is latest works with a
// database whose newest one is applied.
func Compatible(applied, latest int64) bool { return applied/breakingStep <= latest/breakingStep }

// checkCompatible returns an [*Error] if a newer release has changed the schema so that
// this one cannot use it.
func checkCompatible(applied, latest int64) error {
	if Compatible(applied, latest) {
		return nil
	}
	return &Error{
		Op: "open database", Kind: KindSetup, Hint: "install the newest compound-docs, and start the server again",
		Err: fmt.Errorf("a newer compound-docs has changed the database so that this one cannot use it "+
			"(it has migration %d, and this program knows %d)", applied, latest),
	}
}

// SchemaVersion returns the newest migration that a database has, 0 for none, and the
// newest that this program has. It creates nothing. Errors are [*Error].
func SchemaVersion(ctx context.Context, url string) (applied, latest int64, err error) {
	if latest, err = latestMigration(schema.FS); err != nil {
		return 0, 0, err
	}
	const op = "read the schema's version"
	err = visit(ctx, op, url, func(ctx context.Context, conn *pgx.Conn) error {
		applied, err = appliedMigration(ctx, conn)
		return Wrap(op, err)
	})
	return applied, latest, err
}

// appliedMigration returns the newest migration that the database has, 0 for none.
func appliedMigration(ctx context.Context, conn *pgx.Conn) (applied int64, err error) {
	err = conn.QueryRow(ctx, "SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied",
		pgx.QueryExecModeSimpleProtocol).Scan(&applied)
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok && pgErr.Code == undefinedTable {
		return 0, nil
	}
	return applied, err //nolint:wrapcheck // the callers do
}

// The SQLSTATEs of a table and of a type that do not exist.
const (
	undefinedTable  = "42P01"
	undefinedObject = "42704"
)

// latestMigration reads the number that the name of a migration begins with.
func latestMigration(migrations fs.FS) (latest int64, err error) {
	names, err := fs.Glob(migrations, "*.sql")
	if err != nil {
		return 0, fmt.Errorf("list the migrations: %w", err)
	}
	for _, name := range names {
		number, _, _ := strings.Cut(name, "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read the number of migration %s: %w", name, err)
		}
		latest = max(latest, version)
	}
	return latest, nil
}
