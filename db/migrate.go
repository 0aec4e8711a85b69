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

// migrationLockTries bounds the wait for another server that migrates: one try a second.
const migrationLockTries = 120

// migrator brings a schema up to date.
//
// A migration that waits for the lock of a table makes new readers wait. So it waits for a moment only,
// lets the readers pass, and tries again.
type migrator struct {
	schema   fs.FS
	lockWait time.Duration // of a statement, and so of a search behind it
	within   time.Duration // for all tries to get the locks
	logger   *slog.Logger
}

func newMigrator(logger *slog.Logger) *migrator {
	return &migrator{schema: schema.FS, lockWait: time.Second, within: time.Minute, logger: logger}
}

// migrate uses new connections, because the pool's need the vector type, which the first migration makes.
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

// try applies the missing migrations. A migration is one transaction, except those that cannot be. A
// session lock lets one of several starting servers do it.
func (m *migrator) try(ctx context.Context, config *pgx.ConnConfig) error {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, migrationLockTries))
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	// Each try has a new connection, without settings of a failed one.
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

// isLockTimeout reports that others had the lock. On Citus they may have parts of it, which is a deadlock.
func isLockTimeout(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pgErr.Code == lockNotAvailable || pgErr.Code == deadlock)
}

// inspect looks at the server and creates nothing. It reports whether the schema has all migrations.
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
	if err := checkCompatible(applied, latest); err != nil || applied >= latest {
		return true, err
	}
	return false, checkPooler(ctx, conn, backend)
}

// checkPooler returns an [*Error] if a pooler gives each transaction another session: the lock of a
// migration needs one that lasts. Everything else works through such a pooler. first is the process that
// has served the connection so far.
func checkPooler(ctx context.Context, conn *pgx.Conn, first uint32) error {
	const op = "migrate"
	// A pooler makes up the number of the process.
	if first == conn.PgConn().PID() {
		return nil
	}
	other, err := pgx.ConnectConfig(ctx, conn.Config())
	if err != nil {
		return Wrap(op, err)
	}
	defer other.Close(ctx) //nolint:errcheck // nothing hangs on it
	// In a transaction the other connection takes a session, most likely the last one used.
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

// backend returns the number of the process that serves the connection. A pooler may lose a prepared
// statement.
func backend(ctx context.Context, conn *pgx.Conn) (pid uint32, err error) {
	err = conn.QueryRow(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&pid)
	return pid, err //nolint:wrapcheck // checkPooler does
}
