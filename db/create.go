package db

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// CreateMissing creates the database of an address if the server does not have it, and reports whether it
// did.
func CreateMissing(ctx context.Context, address string) (created bool, err error) {
	err = visit(ctx, "look at database", address, func(context.Context, *pgx.Conn) error { return nil })
	if missing, ok := errors.AsType[*Error](err); !ok || missing.SQLState != databaseMissing {
		return false, err
	}
	parsed, err := parse(address)
	if err != nil {
		return false, err
	}
	return true, createDatabase(ctx, parsed.ConnConfig)
}

// mendIndex returns the statement that rebuilds an invalid index, or drops it.
func mendIndex(name string) string {
	if isIndex(name) {
		return "REINDEX INDEX CONCURRENTLY " + name
	}
	return "DROP INDEX CONCURRENTLY " + name
}

// isIndex reports whether an index belongs to the schema. A failed REINDEX CONCURRENTLY leaves others.
func isIndex(name string) bool {
	return !strings.Contains(name, "_ccnew") && !strings.Contains(name, "_ccold")
}

// createDatabase connects to the database postgres, which every server has, and creates another one.
func createDatabase(ctx context.Context, config *pgx.ConnConfig) error {
	name := pgx.Identifier{config.Database}.Sanitize()
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

// duplicateDatabase is the SQLSTATE of a database that already exists.
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
