package db

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/internal/pgversion"
)

// Version names the releases of a database server.
type Version struct {
	PostgreSQL string
	// Pgvector is the installed one, or else the one that CREATE EXTENSION would install;
	// "" if the server has none.
	Pgvector string
	// Packaged is the pgvector of the server's packages, to which the installed one can be updated.
	Packaged string
}

// Newer reports whether the extension in the database is older than the server's packages.
func (v Version) Newer() bool {
	return v.Pgvector != v.Packaged && v.Packaged != "" && pgversion.AtLeast(v.Packaged, v.Pgvector)
}

// ServerVersion connects to a database, and creates nothing. Errors are [*Error].
func ServerVersion(ctx context.Context, url string) (version Version, err error) {
	err = visit(ctx, "look at database", url, func(ctx context.Context, conn *pgx.Conn) error {
		version, _, err = readVersion(ctx, conn)
		return err
	})
	return version, err
}

// readVersion also returns the number of the process that serves the connection. The
// statement is not prepared, because a pooler may lose that.
func readVersion(ctx context.Context, conn *pgx.Conn) (version Version, backend uint32, err error) {
	err = conn.QueryRow(ctx, `
		SELECT split_part(current_setting('server_version'), ' ', 1), coalesce(installed_version, default_version, ''),
			coalesce(default_version, ''), pg_backend_pid()
		FROM (VALUES ('vector')) AS wanted (extension) LEFT JOIN pg_available_extensions ON name = extension`,
		pgx.QueryExecModeSimpleProtocol,
	).Scan(&version.PostgreSQL, &version.Pgvector, &version.Packaged, &backend)
	return version, backend, Wrap("read PostgreSQL's version", err)
}

// Check returns an [*Error] if the index does not work with the server.
func (v Version) Check() error {
	const op = "open database"
	switch {
	case !pgversion.AtLeast(v.PostgreSQL, pgversion.OldestPostgreSQL):
		return &Error{
			Op: op, Kind: KindSetup, Hint: "use PostgreSQL " + pgversion.OldestPostgreSQL + " or newer",
			Err: fmt.Errorf("PostgreSQL %s is too old", v.PostgreSQL),
		}
	case v.Pgvector == "":
		return &Error{
			Op: op, Kind: KindSetup,
			Hint: fmt.Sprintf("install pgvector for PostgreSQL %s on the database server "+
				"(Debian: apt install postgresql-%d-pgvector; Homebrew: brew install pgvector; "+
				"Docker: use the image pgvector/pgvector:0.8.7-pg17)", v.PostgreSQL, pgversion.Major(v.PostgreSQL)),
			Err: errors.New("the server has no pgvector extension"),
		}
	case !pgversion.AtLeast(v.Pgvector, pgversion.OldestPgvector):
		return &Error{
			Op: op, Kind: KindSetup,
			Hint: fmt.Sprintf("install pgvector %s or newer, then run ALTER EXTENSION vector UPDATE", pgversion.OldestPgvector),
			Err:  fmt.Errorf("pgvector %s is too old", v.Pgvector),
		}
	}
	return nil
}

// Concern returns a problem of the server that does not keep the index from working, and a
// remedy. Both are "" if there is none.
func (v Version) Concern() (problem, remedy string) {
	if pgversion.AtLeast(v.Pgvector, pgversion.SoundPgvector) {
		return "", ""
	}
	return fmt.Sprintf("pgvector %s may damage the index of vectors, or refuse a write, while PostgreSQL vacuums it", v.Pgvector),
		fmt.Sprintf("install pgvector %s or newer, as from https://apt.postgresql.org, restart PostgreSQL, "+
			"and run in the database ALTER EXTENSION vector UPDATE, and then REINDEX TABLE embeddings", pgversion.SoundPgvector)
}

// visit calls f with a connection of its own to a database that need not be this
// program's.
func visit(ctx context.Context, op, url string, f func(ctx context.Context, conn *pgx.Conn) error) error {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return errUnreadable() // pgx's message may quote the password
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return Wrap(op, err)
	}
	return Wrap(op, errors.Join(f(ctx, conn), conn.Close(ctx)))
}
