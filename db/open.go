// Package db is the index's storage: sqlc's typed queries, how a database is
// opened and migrated, and what its errors mean. It knows SQL and rows; it must
// not know files, markdown, embedding or MCP.
package db

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgvector/pgvector-go"
	pgxvec "github.com/pgvector/pgvector-go/pgx"

	"github.com/compound-docs/compound-docs/internal/process"
	"github.com/compound-docs/compound-docs/sql/schema"
)

// LockPassages is the advisory lock class of a project's passages.
const LockPassages = 0x63646f63 // "cdoc"

// connectTimeout bounds the wait for a host that does not answer, unless the URL has a
// connect_timeout.
const connectTimeout = 5 * time.Second

// pingAfter is the idle time after which a connection is tested before it is used: the
// laptop may have slept.
const pingAfter = 30 * time.Second

// A connection that has been idle for idleConnection is closed; that is looked for every
// connectionCheck.
const (
	idleConnection  = 30 * time.Second
	connectionCheck = 10 * time.Second
)

// newPool returns a pool, not connected yet, of connections that know the vector types.
// Nothing of a connection's session is relied on, because a pooler such as PgBouncer may
// give each transaction another one: statements are not prepared, and each operation makes
// its settings.
func newPool(ctx context.Context, url, version string) (*pgxpool.Pool, error) {
	if url == "" {
		return nil, setupError("open database",
			"set CDOCS_DATABASE_URL to a PostgreSQL with pgvector, as postgres://user:password@host:5432/database",
			errors.New("no database is configured"))
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errUnreadable() // pgx's message may quote the password
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	client, _, _ := strings.Cut(process.ID(), " ")
	// For people who look at connections.
	config.ConnConfig.RuntimeParams["application_name"] = strings.TrimSpace("compound-docs " + client + " " + version)
	// A statement is sent with its arguments, as text, in one round trip: nothing is asked first.
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	config.AfterConnect = registerTypes
	config.MaxConnIdleTime, config.HealthCheckPeriod = idleConnection, connectionCheck
	// A connection that is broken fails its next query, which is then tried again.
	config.ShouldPing = func(_ context.Context, params pgxpool.ShouldPingParams) bool { return params.IdleDuration > pingAfter }
	pool, err := pgxpool.NewWithConfig(ctx, config)
	return pool, Wrap("open database", err)
}

// migrated migrates the database of a pool unless it has all migrations, and returns the
// versions of its server. To look takes one connection, which the pool keeps.
func migrated(ctx context.Context, pool *pgxpool.Pool, logger *slog.Logger) (Version, error) {
	latest, err := latestMigration(schema.FS)
	if err != nil {
		return Version{}, err
	}
	version, applied, err := look(ctx, pool)
	if err == nil && applied < latest || schemaMissing(err) {
		if err := newMigrator(logger).migrate(ctx, pool.Config().ConnConfig); err != nil {
			return Version{}, err
		}
		version, applied, err = look(ctx, pool)
	}
	if err != nil {
		return Version{}, err
	}
	return version, errors.Join(version.Check(), checkCompatible(applied, latest))
}

// look returns the newest migration that the database has. It fails in a database without
// migrations.
func look(ctx context.Context, pool *pgxpool.Pool) (version Version, applied int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	err = pool.QueryRow(ctx, `
		SELECT max(version_id) FILTER (WHERE is_applied), split_part(current_setting('server_version'), ' ', 1),
			coalesce((SELECT extversion FROM pg_catalog.pg_extension WHERE extname = 'vector'), '')
		FROM goose_db_version`, pgx.QueryExecModeSimpleProtocol).Scan(&applied, &version.PostgreSQL, &version.Pgvector)
	return version, applied, Wrap("open database", err)
}

func errUnreadable() *Error {
	return setupError("open database", "write CDOCS_DATABASE_URL as postgres://user:password@host:5432/database",
		errors.New("the database URL cannot be read"))
}

// registerTypes makes the types that pgx does not know known to a connection. Their numbers are
// made up, since statements are sent without: PostgreSQL tells types from their place.
func registerTypes(_ context.Context, conn *pgx.Conn) error {
	const unused = 1 << 31
	for i, name := range []string{"halfvec", "sparsevec", "collection", "promotion_level"} {
		oid := unused + 2*uint32(i)
		register(conn, name, oid, oid+1)
	}
	// Which type an argument has follows from its type in Go.
	conn.TypeMap().RegisterDefaultPgType([]uuid.UUID{}, "_uuid")
	conn.TypeMap().RegisterDefaultPgType([]pgvector.HalfVector{}, "_halfvec")
	conn.TypeMap().RegisterDefaultPgType([]pgvector.SparseVector{}, "_sparsevec")
	conn.TypeMap().RegisterDefaultPgType([]Collection{}, "_collection")
	conn.TypeMap().RegisterDefaultPgType([]PromotionLevel{}, "_promotion_level")
	return nil
}

// register makes a type and that of its arrays known to a connection. Each needs codecs of its
// own: that of an enum keeps what it has read.
func register(conn *pgx.Conn, name string, oid, array uint32) {
	element := &pgtype.Type{Name: name, OID: oid, Codec: &pgtype.EnumCodec{}}
	switch name {
	case "halfvec":
		element.Codec = &pgxvec.HalfVectorCodec{}
	case "sparsevec":
		element.Codec = &pgxvec.SparseVectorCodec{}
	}
	conn.TypeMap().RegisterType(element)
	conn.TypeMap().RegisterType(&pgtype.Type{Name: "_" + name, OID: array, Codec: &pgtype.ArrayCodec{ElementType: element}})
}
