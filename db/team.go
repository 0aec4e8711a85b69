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
	// Unverified means that it is, and that nobody has checked whose machine that is.
	Readable, Unverified bool
	// Windows are how many servers are connected now, by the version of their program, ""
	// for one that does not say it.
	Windows map[string]int
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
		remote = remote && !address.IP.IsLoopback()
		secured := conn.Config().TLSConfig
		team.Readable = remote && !encrypted
		team.Unverified = remote && encrypted && secured.InsecureSkipVerify && secured.VerifyPeerCertificate == nil
		if team.Windows, err = windows(ctx, conn); err != nil || !migrated {
			return err
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

// windows counts the servers that are connected to the database by their version.
func windows(ctx context.Context, conn *pgx.Conn) (map[string]int, error) {
	rows, err := conn.Query(ctx, `
		SELECT split_part(application_name, ' ', 3), count(DISTINCT split_part(application_name, ' ', 2))::integer
		FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'compound-docs %@%'
		GROUP BY 1`, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return nil, err //nolint:wrapcheck // visit does
	}
	byVersion := map[string]int{}
	var version string
	var count int
	_, err = pgx.ForEachRow(rows, []any{&version, &count}, func() error {
		byVersion[version] = count
		return nil
	})
	return byVersion, err //nolint:wrapcheck // visit does
}
