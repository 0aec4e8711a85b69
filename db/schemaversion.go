package db

import (
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/sql/schema"
)

// SchemaVersion returns the newest migration that a database has, 0 for none, and the
// newest that this program has. It creates nothing. Errors are [*Error].
func SchemaVersion(ctx context.Context, url string) (applied, latest int64, err error) {
	if latest, err = latestMigration(); err != nil {
		return 0, 0, err
	}
	const op = "read the schema's version"
	err = visit(ctx, op, url, func(ctx context.Context, conn *pgx.Conn) error {
		const table = "goose_db_version"
		var there bool
		err := conn.QueryRow(ctx, "SELECT to_regclass('"+table+"') IS NOT NULL").Scan(&there)
		if err == nil && there {
			err = conn.QueryRow(ctx, "SELECT coalesce(max(version_id), 0) FROM "+table+" WHERE is_applied").Scan(&applied)
		}
		return Wrap(op, err)
	})
	return applied, latest, err
}

// latestMigration reads the number that the name of a migration begins with.
func latestMigration() (latest int64, err error) {
	names, err := fs.Glob(schema.FS, "*.sql")
	if err != nil {
		return 0, fmt.Errorf("list the migrations: %w", err)
	}
	for _, name := range names {
		number, _, _ := strings.Cut(name, "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read the number of migration %s: %w", name, err)
		}
		latest = max(latest, version)
	}
	return latest, nil
}
