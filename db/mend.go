package db

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/compound-docs/compound-docs/internal/pgversion"
)

// Mend makes a database usable as far as its server and its role let it: it makes the database
// if there is none of the name, updates a pgvector with known faults to that of the server's
// packages, and builds indexes again that are not valid. It says what it has done.
func Mend(ctx context.Context, address string) (done []string, err error) {
	const op = "mend the database"
	parsed, err := parse(address)
	if err != nil {
		return nil, err
	}
	config := parsed.ConnConfig
	conn, err := pgx.ConnectConfig(ctx, config)
	if IsDatabaseMissing(Wrap(op, err)) {
		name := pgx.Identifier{config.Database}.Sanitize()
		if err := createDatabase(ctx, config.Copy(), name); err != nil {
			return nil, err
		}
		done = append(done, "made the database "+name)
		conn, err = pgx.ConnectConfig(ctx, config)
	}
	if err != nil {
		return done, Wrap(op, err)
	}
	defer func() { err = errors.Join(err, Wrap(op, conn.Close(ctx))) }()
	version, _, err := readVersion(ctx, conn)
	if err != nil {
		return done, err
	}
	var statements []string
	if version.Newer() && !pgversion.AtLeast(version.Pgvector, pgversion.SoundPgvector) {
		statements = append(statements, "ALTER EXTENSION vector UPDATE", "REINDEX TABLE CONCURRENTLY embeddings")
	}
	invalid, err := invalidIndexes(ctx, conn)
	if err != nil {
		return done, Wrap(op, err)
	}
	for _, name := range invalid {
		statements = append(statements, mendIndex(name))
	}
	for _, statement := range statements {
		_, err := conn.Exec(ctx, statement)
		err = Wrap(op, err)
		switch {
		case IsDenied(err) || schemaMissing(err): // for its owner to do; nothing to do
		case err != nil:
			return done, err
		default:
			done = append(done, statement)
		}
	}
	return done, nil
}

// mendIndex is the statement after which no index of this name is invalid.
func mendIndex(name string) string {
	if isIndex(name) {
		return "REINDEX INDEX CONCURRENTLY " + name
	}
	return "DROP INDEX CONCURRENTLY " + name
}

// isIndex reports whether an index is one of the schema's, and not what a REINDEX CONCURRENTLY
// that failed has left.
func isIndex(name string) bool {
	return !strings.Contains(name, "_ccnew") && !strings.Contains(name, "_ccold")
}

// createDatabase makes a database, from the one that every server has.
func createDatabase(ctx context.Context, config *pgx.ConnConfig, name string) error {
	op := "make the database " + name
	config.Database = "postgres"
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return Wrap(op, err)
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+name)
	if taken, ok := errors.AsType[*pgconn.PgError](err); ok && taken.Code == duplicateDatabase {
		err = nil
	}
	return Wrap(op, errors.Join(err, conn.Close(ctx)))
}

// duplicateDatabase is the SQLSTATE of a database that another process has just made.
const duplicateDatabase = "42P04"

// invalidIndexes returns the names of indexes as in [Schema].
func invalidIndexes(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	rows, err := conn.Query(ctx, `
		SELECT indexrelid::regclass::text FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
		WHERE NOT indisvalid AND relkind = 'i' AND relnamespace = to_regnamespace(current_schema())
			AND NOT EXISTS (SELECT FROM pg_stat_progress_create_index AS made WHERE made.index_relid = indexrelid)
		ORDER BY 1`, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return nil, fmt.Errorf("look for invalid indexes: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string]) //nolint:wrapcheck // the callers do
}
