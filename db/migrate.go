package db

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/compound-docs/compound-docs/sql/schema"
)

// How long a server waits for another that is migrating: one try a second.
const migrationLockTries = 120

// migrate brings the schema up to date on a connection of its own, because the
// pool's connections need the vector type that the first migration creates. A
// session lock lets one of several starting servers do it.
func migrate(ctx context.Context, config *pgx.ConnConfig, logger *slog.Logger) (err error) {
	if err := check(ctx, config); err != nil {
		return err
	}

	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, migrationLockTries))
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	sqlDB := stdlib.OpenDB(*config)
	defer func() {
		if closeErr := sqlDB.Close(); err == nil {
			err = Wrap("migrate", closeErr)
		}
	}()
	provider, err := goose.NewProvider(goose.DialectPostgres, sqlDB, schema.FS,
		goose.WithSessionLocker(locker), goose.WithDisableGlobalRegistry(true), goose.WithSlog(logger))
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return Wrap("migrate", err)
	}
	for _, result := range results {
		logger.InfoContext(ctx, "migrated", "version", result.Source.Version, "duration", result.Duration)
	}
	return nil
}

// check looks at the server before anything is created.
func check(ctx context.Context, config *pgx.ConnConfig) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return Wrap("open database", err)
	}
	err = checkServer(ctx, conn)
	if closeErr := conn.Close(ctx); err == nil {
		err = Wrap("open database", closeErr)
	}
	return err
}
