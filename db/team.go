package db

import (
	"context"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
)

// Team says how a database serves many servers.
type Team struct {
	// Connections are those that the PostgreSQL server has now, this one among them, and
	// MaxConnections how many it takes of roles that are no superusers.
	Connections, MaxConnections int
	// Pooled means that a pooler is between.
	Pooled bool
	// Readable means that the connection is not encrypted, and leads to another machine.
	Readable bool
	// Unswept is for how long, at most, nobody has looked for a project's passages that no
	// document uses; 0 without tables.
	Unswept time.Duration
}

// ReadTeam connects to a database, and creates nothing. Errors are [*Error].
func ReadTeam(ctx context.Context, url string, migrated bool) (team Team, err error) {
	const op = "look at connections"
	err = visit(ctx, op, url, func(ctx context.Context, conn *pgx.Conn) error {
		var backend uint32
		var encrypted bool
		err := conn.QueryRow(ctx, `
			SELECT (SELECT sum(numbackends) FROM pg_stat_database)::integer,
				current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer,
				pg_backend_pid(), coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false)`,
			pgx.QueryExecModeSimpleProtocol,
		).Scan(&team.Connections, &team.MaxConnections, &backend, &encrypted)
		if err != nil {
			return err //nolint:wrapcheck // visit does
		}
		team.Pooled = backend != conn.PgConn().PID()
		address, remote := conn.PgConn().Conn().RemoteAddr().(*net.TCPAddr)
		team.Readable = remote && !address.IP.IsLoopback() && !encrypted
		if !migrated {
			return nil
		}
		var seconds float64
		err = conn.QueryRow(ctx, `
			SELECT coalesce(max(extract(epoch FROM now() - swept)), 0)::float8
			FROM (SELECT coalesce(max(swept_at), min(first_seen)) AS swept FROM tenants GROUP BY project_id) AS projects`,
			pgx.QueryExecModeSimpleProtocol).Scan(&seconds)
		team.Unswept = time.Duration(seconds * float64(time.Second))
		return err //nolint:wrapcheck // visit does
	})
	return team, err
}
