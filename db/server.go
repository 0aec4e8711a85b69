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

	"github.com/compound-docs/compound-docs/internal/pgversion"
	"github.com/compound-docs/compound-docs/sql/schema"
)

// Version has the releases of PostgreSQL and pgvector on a server, and the encoding of a database.
type Version struct {
	PostgreSQL string
	Pgvector   string // release that is installed or can be installed with CREATE EXTENSION; "" for none
	Encoding   string
}

// ServerVersion connects to a database and reads its Version. It creates nothing. The error is an [*Error].
func ServerVersion(ctx context.Context, url string) (version Version, err error) {
	err = visit(ctx, "look at database", url, func(ctx context.Context, conn *pgx.Conn) error {
		version, _, err = readVersion(ctx, conn)
		return err
	})
	return version, err
}

// readVersion returns the Version, and the number of the PostgreSQL process that serves the connection. It does not
// prepare the statement, because a pooler may lose prepared statements.
func readVersion(ctx context.Context, conn *pgx.Conn) (version Version, backend uint32, err error) {
	err = conn.QueryRow(ctx, `
		SELECT split_part(current_setting('server_version'), ' ', 1), coalesce(installed_version, default_version, ''),
			current_setting('server_encoding'), pg_backend_pid()
		FROM (VALUES ('vector')) AS wanted (extension) LEFT JOIN pg_available_extensions ON name = extension`,
		pgx.QueryExecModeSimpleProtocol,
	).Scan(&version.PostgreSQL, &version.Pgvector, &version.Encoding, &backend)
	return version, backend, Wrap("read PostgreSQL's version", err)
}

// Check returns an [*Error] if the index does not work with the server.
func (v Version) Check() error {
	const op = "open database"
	switch {
	case !pgversion.AtLeast(v.PostgreSQL, pgversion.OldestPostgreSQL):
		return setupError(op, "use PostgreSQL "+pgversion.OldestPostgreSQL+" or newer",
			fmt.Errorf("PostgreSQL %s is too old", v.PostgreSQL))
	case v.Pgvector == "":
		return setupError(op, fmt.Sprintf("install pgvector for PostgreSQL %s on the database server "+
			"(Debian: apt install postgresql-%d-pgvector; Homebrew: brew install pgvector; "+
			"Docker: use the image pgvector/pgvector:0.8.7-pg17)", v.PostgreSQL, pgversion.Major(v.PostgreSQL)),
			errors.New("the server has no pgvector extension"))
	case !pgversion.AtLeast(v.Pgvector, pgversion.OldestPgvector):
		return setupError(op, "install pgvector "+pgversion.OldestPgvector+" or newer, then run ALTER EXTENSION vector UPDATE",
			fmt.Errorf("pgvector %s is too old", v.Pgvector))
	case v.Encoding != "UTF8":
		return setupError(op, "name another database in CDOCS_DATABASE_URL, which compound-docs up makes, or: "+
			"CREATE DATABASE name"+withUTF8, fmt.Errorf("the database's encoding %s lacks letters that documents may have", v.Encoding))
	}
	return nil
}

// Concern returns a problem that does not stop the index from working, and its remedy. Both are "" if there is none.
func (v Version) Concern() (problem, remedy string) {
	if pgversion.AtLeast(v.Pgvector, pgversion.SoundPgvector) {
		return "", ""
	}
	return fmt.Sprintf("pgvector %s may damage the index of vectors, or refuse a write, while PostgreSQL vacuums it", v.Pgvector),
		fmt.Sprintf("install pgvector %s or newer, as from https://apt.postgresql.org, restart PostgreSQL, "+
			"and run in the database ALTER EXTENSION vector UPDATE, and then REINDEX TABLE embeddings", pgversion.SoundPgvector)
}

// visit calls f with a new connection to a database, and closes the connection. It migrates nothing.
func visit(ctx context.Context, op, url string, f func(ctx context.Context, conn *pgx.Conn) error) error {
	config, err := poolConfig(url)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return Wrap(op, err)
	}
	return Wrap(op, errors.Join(f(ctx, conn), conn.Close(ctx)))
}

// Schema says which migrations a database has.
type Schema struct {
	Applied, Latest int64  // newest migrations: Applied of the database, or 0; Latest of this program
	Lacks           string // a column that the database should have and lacks, or ""
}

// ReadSchema connects to a database and reads its Schema. It creates nothing.
func ReadSchema(ctx context.Context, url string) (Schema, error) {
	latest, err := latestMigration(schema.FS)
	if err != nil {
		return Schema{}, err
	}
	s := Schema{Latest: latest}
	err = visit(ctx, "look at the schema", url, func(ctx context.Context, conn *pgx.Conn) error {
		s.Applied, err = appliedMigration(ctx, conn)
		if err != nil || s.Applied < latest {
			return err
		}
		return conn.QueryRow(ctx, `
			SELECT coalesce(min(name), '') FROM regexp_split_to_table($1, '\s+') AS name
			WHERE name <> '' AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass(split_part(name, '.', 1))
				AND attname = split_part(name, '.', 2) AND NOT attisdropped)`,
			pgx.QueryExecModeSimpleProtocol, schema.Columns).Scan(&s.Lacks)
	})
	return s, err
}

// breakingStep divides the numbers of migrations into compatible ranges. A program that knows migration 1 works with a
// database at migration 2 to 999, but not at 1000.
const breakingStep = 1000

// Compatible reports whether a program works with a database. latest is the newest migration of the program, and
// applied the newest migration of the database.
func Compatible(applied, latest int64) bool { return applied/breakingStep <= latest/breakingStep }

// appliedMigration returns the newest migration of the database, or 0.
func appliedMigration(ctx context.Context, conn *pgx.Conn) (applied int64, err error) {
	err = conn.QueryRow(ctx, "SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied",
		pgx.QueryExecModeSimpleProtocol).Scan(&applied)
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok && pgErr.Code == undefinedTable {
		return 0, nil
	}
	return applied, err //nolint:wrapcheck // the callers wrap it
}

// The SQLSTATEs of a table and of a type that do not exist.
const (
	undefinedTable  = "42P01"
	undefinedObject = "42704"
)

// latestMigration returns the highest number of the migrations. Each file name begins with the number.
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
