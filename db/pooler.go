package db

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// checkPooler returns an [*Error] if a pooler gives each transaction of the connection a
// session of its own: advisory locks, settings and prepared statements would get lost. A
// pooler that keeps the session for a connection does no harm. first is the process that
// has served the connection so far.
func checkPooler(ctx context.Context, config *pgx.ConnConfig, conn *pgx.Conn, first uint32) error {
	const op = "open database"
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
		Hint: "set the pooler to session mode (PgBouncer: pool_mode = session), " +
			"or put PostgreSQL's own address into CDOCS_DATABASE_URL",
		Err: errors.New("a connection pooler between this server and PostgreSQL gives each transaction another session"),
	}
}

// backend returns the number of the process that serves the connection. The statement is
// not prepared, because a pooler may lose that.
func backend(ctx context.Context, conn *pgx.Conn) (pid uint32, err error) {
	err = conn.QueryRow(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&pid)
	return pid, err //nolint:wrapcheck // checkPooler does
}
