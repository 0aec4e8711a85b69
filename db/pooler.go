package db

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
)

// checkPooler returns an [*Error] if a pooler gives each transaction of the connection a
// session of its own: a migration needs one that lasts, for the lock that lets only one
// server migrate. All else works through such a pooler. first is the process that has
// served the connection so far.
func checkPooler(ctx context.Context, config *pgx.ConnConfig, conn *pgx.Conn, first uint32) error {
	const op = "migrate"
	// A pooler answers the start of a connection with a number of its own.
	if first == conn.PgConn().PID() {
		return nil
	}
	other, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return Wrap(op, err)
	}
	defer other.Close(ctx) //nolint:errcheck // nothing hangs on it
	// In its transaction the other connection has a session that nobody else has. It is
	// most likely the one that was used last.
	if _, err := other.Exec(ctx, "BEGIN"); err != nil {
		return Wrap(op, err)
	}
	second, err := backend(ctx, other)
	if err != nil {
		return Wrap(op, err)
	}
	again, err := backend(ctx, conn)
	if err != nil {
		return Wrap(op, err)
	}
	if second != first && again == first {
		return nil
	}
	return &Error{
		Op: op, Kind: KindSetup,
		Hint: "migrate once past the pooler: CDOCS_DATABASE_URL=" + directURL(ctx, config, conn) +
			" compound-docs cleanup --dry-run; servers may then use the pooler again",
		Err: errors.New("the tables are missing or of an earlier release, and the connection pooler between this server and " +
			"PostgreSQL gives each transaction another session"),
	}
}

// directURL is PostgreSQL's own address, as far as PostgreSQL knows it.
func directURL(ctx context.Context, config *pgx.ConnConfig, conn *pgx.Conn) string {
	address, unknown := "", "HOST:5432"
	err := conn.QueryRow(ctx, "SELECT coalesce(host(inet_server_addr()) || ':' || inet_server_port(), '')",
		pgx.QueryExecModeSimpleProtocol).Scan(&address)
	if err != nil || address == "" || strings.Count(address, ":") > 1 {
		address = unknown
	}
	return (&url.URL{Scheme: "postgres", User: url.User(config.User), Host: address, Path: config.Database}).String()
}

// backend returns the number of the process that serves the connection. The statement is
// not prepared, because a pooler may lose that.
func backend(ctx context.Context, conn *pgx.Conn) (pid uint32, err error) {
	err = conn.QueryRow(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&pid)
	return pid, err //nolint:wrapcheck // checkPooler does
}
