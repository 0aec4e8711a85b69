package db

import (
	"context"
	"log/slog"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Open migrates the database at url and returns a pool, which the caller closes.
func Open(ctx context.Context, url string, logger *slog.Logger) (*pgxpool.Pool, error) {
	pool, err := newPool(ctx, url)
	if err != nil {
		return nil, err
	}
	if err := migrated(ctx, pool, logger); err != nil {
		pool.Close()
		return nil, err
	}
	return pool, nil
}
