package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/compound-docs/compound-docs/sql/schema"
)

// migrationLockTries limits how often a server tries to get the lock, once a second, while another server migrates.
const migrationLockTries = 120

// migrator brings a schema up to date.
//
// A migration that waits for the lock of a table makes new readers of that table wait too. So the migrator waits only
// for lockWait, lets the readers pass, and tries again.
type migrator struct {
	schema   fs.FS
	lockWait time.Duration // how long a statement, and searches behind it, wait for a lock
	within   time.Duration // limit for all tries together
	logger   *slog.Logger
}

func newMigrator(logger *slog.Logger) *migrator {
	return &migrator{schema: schema.FS, lockWait: time.Second, within: time.Minute, logger: logger}
}

// migrate applies the missing migrations. It uses new connections, because connections of the pool need the vector
// type, which the first migration makes.
func (m *migrator) migrate(ctx context.Context, config *pgx.ConnConfig) error {
	delays := backoff.NewExponentialBackOff()
	delays.MaxInterval = m.within / 4
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := m.try(ctx, config)
		if err != nil && !isLockTimeout(err) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	},
		backoff.WithBackOff(delays),
		backoff.WithMaxElapsedTime(m.within),
		backoff.WithNotify(func(_ error, delay time.Duration) {
			m.logger.WarnContext(ctx, "a migration waits for a lock and lets others pass", "next_try_in", delay)
		}))
	if isLockTimeout(err) {
		return &Error{
			Op: "migrate", Kind: KindSetup, SQLState: lockNotAvailable, Err: err,
			Hint: fmt.Sprintf("a migration of the schema needs a lock that another session has held for more than %s: find it with "+
				"SELECT pid, state, xact_start, query FROM pg_stat_activity ORDER BY xact_start, "+
				"end its transaction, and try again", m.within),
		}
	}
	if ctxErr := context.Cause(ctx); ctxErr != nil && err != nil && !errors.As(err, new(*Error)) {
		return ctxErr
	}
	return err
}

// try applies the missing migrations once. A migration is one transaction, if its statements allow that. A session lock
// makes sure that only one of several starting servers migrates.
func (m *migrator) try(ctx context.Context, config *pgx.ConnConfig) error {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, migrationLockTries))
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	// A new connection for each try has none of the settings of a failed try.
	sqlDB := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, fmt.Sprintf("SET lock_timeout = %d", m.lockWait.Milliseconds()))
		return err //nolint:wrapcheck // goose wraps it
	}))
	defer sqlDB.Close() //nolint:errcheck // an error changes nothing
	provider, err := goose.NewProvider(goose.DialectPostgres, sqlDB, m.schema,
		goose.WithSessionLocker(locker), goose.WithDisableGlobalRegistry(true), goose.WithSlog(m.logger))
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	results, err := provider.Up(ctx)
	if partial, ok := errors.AsType[*goose.PartialError](err); ok {
		results = partial.Applied
	}
	for _, result := range results {
		m.logger.InfoContext(ctx, "migrated", "version", result.Source.Version, "duration", result.Duration)
	}
	return Wrap("migrate", err)
}

// The SQLSTATEs of a lock_timeout and of a deadlock.
const (
	lockNotAvailable = "55P03"
	deadlock         = "40P01"
)

// isLockTimeout reports whether other sessions held a lock. On Citus two sessions may each hold a part of a lock, which
// PostgreSQL reports as a deadlock.
func isLockTimeout(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pgErr.Code == lockNotAvailable || pgErr.Code == deadlock)
}

// inspect checks the server and reports whether the schema has all migrations. It creates nothing.
func (m *migrator) inspect(ctx context.Context, conn *pgx.Conn) (done bool, err error) {
	latest, err := latestMigration(m.schema)
	if err != nil {
		return false, err
	}
	version, backend, err := readVersion(ctx, conn)
	if err != nil {
		return false, err
	}
	if err := version.Check(); err != nil {
		return false, err
	}
	applied, err := appliedMigration(ctx, conn)
	if err != nil {
		return false, err
	}
	if !Compatible(applied, latest) {
		return false, setupError("open database", "install the newest compound-docs, and start the server again",
			fmt.Errorf("a newer compound-docs has changed the database so that this one cannot use it "+
				"(it has migration %d, and this program knows %d)", applied, latest))
	}
	if applied >= latest {
		return true, nil
	}
	return false, checkPooler(ctx, conn, backend)
}

// checkPooler returns an [*Error] if a pooler such as PgBouncer gives each transaction another session. Only migrations
// need one session, for their lock. firstPID is the number of the process that has served conn so far.
func checkPooler(ctx context.Context, conn *pgx.Conn, firstPID uint32) error {
	const op = "migrate"
	// PID is the process number from the handshake. Without a pooler it is the real number, but a pooler invents one.
	if firstPID == conn.PgConn().PID() {
		return nil
	}
	other, err := pgx.ConnectConfig(ctx, conn.Config())
	if err != nil {
		return Wrap(op, err)
	}
	defer other.Close(ctx) //nolint:errcheck // an error changes nothing
	// This transaction most likely takes the session that conn used last, so that a pooler gives conn another session.
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
	if second != firstPID && again == firstPID {
		return nil
	}
	return setupError(op, "migrate once past the pooler: name PostgreSQL's own host and port in CDOCS_DATABASE_URL, and run "+
		"compound-docs up; servers may then use the pooler again",
		errors.New("the tables are missing or of an earlier release, and the connection pooler between this server and "+
			"PostgreSQL gives each transaction another session"))
}

// backend returns the number of the PostgreSQL process that serves a connection. It does not prepare the statement,
// because a pooler may lose prepared statements.
func backend(ctx context.Context, conn *pgx.Conn) (pid uint32, err error) {
	err = conn.QueryRow(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&pid)
	return pid, err //nolint:wrapcheck // checkPooler wraps it
}
