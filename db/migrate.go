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

// migrationLockTries bounds the wait for another server that migrates. There is one try a second.
const migrationLockTries = 120

// migrator brings a schema up to date.
//
// A migration that waits for the lock of a table makes new readers wait too. So it waits only a moment, lets the
// readers pass, and tries again.
type migrator struct {
	schema   fs.FS
	lockWait time.Duration // how long a statement waits for a lock, and a search behind it too
	within   time.Duration // limit for all tries together
	logger   *slog.Logger
}

func newMigrator(logger *slog.Logger) *migrator {
	return &migrator{schema: schema.FS, lockWait: time.Second, within: time.Minute, logger: logger}
}

// migrate applies the missing migrations. It uses new connections: those of the pool need the vector type, which the
// first migration makes.
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

// try applies the missing migrations. A migration is one transaction, if its statements allow that. A session lock
// makes sure that only one of several starting servers migrates.
func (m *migrator) try(ctx context.Context, config *pgx.ConnConfig) error {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, migrationLockTries))
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	// Each try has a new connection, without the settings of a failed one.
	sqlDB := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, fmt.Sprintf("SET lock_timeout = %d", m.lockWait.Milliseconds()))
		return err //nolint:wrapcheck // goose does
	}))
	defer sqlDB.Close() //nolint:errcheck // nothing hangs on it
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

// isLockTimeout reports whether other sessions had the lock. On Citus two sessions may each have a part of it, which is
// a deadlock.
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

// checkPooler returns an [*Error] if a pooler gives each transaction another session. The lock of a migration needs a
// lasting session; everything else works through such a pooler. first is the process that has served the connection so
// far.
func checkPooler(ctx context.Context, conn *pgx.Conn, first uint32) error {
	const op = "migrate"
	// Without a pooler the connection knows the right process. A pooler makes up a number.
	if first == conn.PgConn().PID() {
		return nil
	}
	other, err := pgx.ConnectConfig(ctx, conn.Config())
	if err != nil {
		return Wrap(op, err)
	}
	defer other.Close(ctx) //nolint:errcheck // nothing hangs on it
	// A transaction on the other connection takes a session of the pooler, most likely the one that was used last.
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
	return setupError(op, "migrate once past the pooler: name PostgreSQL's own host and port in CDOCS_DATABASE_URL, and run "+
		"compound-docs up; servers may then use the pooler again",
		errors.New("the tables are missing or of an earlier release, and the connection pooler between this server and "+
			"PostgreSQL gives each transaction another session"))
}

// backend returns the number of the process that serves the connection. It does not prepare the statement, because a
// pooler may lose prepared statements.
func backend(ctx context.Context, conn *pgx.Conn) (pid uint32, err error) {
	err = conn.QueryRow(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&pid)
	return pid, err //nolint:wrapcheck // checkPooler does
}
