package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// evictTimeout is how long a connection is given to end.
const evictTimeout = 2 * time.Second

// Holder is the connection that holds a lease, as PostgreSQL shows it.
type Holder struct {
	// Process describes the process, and is "" where this role may not see it.
	Process string
	// Renewed is when the connection last ran a statement, by the database's clock;
	// [Lease] runs one every second. It is zero while one runs, and where this role may
	// not see it.
	Renewed time.Time

	name string // of the client
}

// Same reports whether it is the same holder, and has not renewed the lease since.
func (h Holder) Same(earlier Holder) bool {
	return h.name == earlier.name && h.Renewed.Equal(earlier.Renewed)
}

// LeaseHolder returns the holder of a lease, and false if the lease is free.
func (d *Database) LeaseHolder(ctx context.Context, class, id int32) (holder Holder, held bool, err error) {
	err = d.retry(ctx, "look at lease", readTimeout, func(limited context.Context, pool *pgxpool.Pool) error {
		var renewed *time.Time
		err := pool.QueryRow(limited, `
			SELECT coalesce(a.application_name, ''), CASE WHEN a.state = 'idle' THEN a.state_change END
			FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
			WHERE l.locktype = 'advisory' AND l.classid = $1 AND l.objid = $2 AND l.objsubid = 2 AND l.granted
				AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
			class, id).Scan(&holder.name, &renewed)
		held = err == nil
		if IsNoRows(err) {
			return nil
		}
		if err != nil {
			return err //nolint:wrapcheck // retry does
		}
		if renewed != nil {
			holder.Renewed = *renewed
		}
		holder.Process = describeClient(holder.name)
		return nil
	})
	return holder, held, err
}

// Evict ends all connections of the holder's pool: open transactions are rolled back,
// and locks are freed. A holder that resumes finds its lease lost. PostgreSQL allows
// this to the connections' own role and to its members.
func (d *Database) Evict(ctx context.Context, holder Holder) error {
	if holder.Process == "" {
		return errors.New("its lock is held by a program that is not compound-docs")
	}
	return d.retry(ctx, "end the connections of a suspended server", readTimeout,
		func(limited context.Context, pool *pgxpool.Pool) error {
			rows, err := pool.Query(limited, `
				SELECT pg_terminate_backend(pid, $2) FROM pg_stat_activity
				WHERE application_name = $1 AND datname = current_database() AND pid <> pg_backend_pid()`,
				holder.name, evictTimeout.Milliseconds())
			if err != nil {
				return err //nolint:wrapcheck // retry does
			}
			ended, err := pgx.CollectRows(rows, pgx.RowTo[bool])
			if err != nil {
				return err //nolint:wrapcheck // retry does
			}
			for _, ok := range ended {
				if !ok {
					return fmt.Errorf("a connection has not ended within %s", evictTimeout)
				}
			}
			return nil
		})
}
