// Package db is the storage of the index. It has sqlc's typed queries, opens and migrates the database, and explains
// its errors. It knows SQL and rows. It must not know files, markdown, embedding or MCP.
package db

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgvector/pgvector-go"
	pgxvec "github.com/pgvector/pgvector-go/pgx"
)

// LockPassages is the class of the advisory locks on passages. The second key of such a lock is the project.
const LockPassages = 0x63646f63 // "cdoc"

// connectTimeout is how long a connection may take if the URL has no connect_timeout.
const connectTimeout = 5 * time.Second

// pingAfter is the idle time after which the pool tests a connection before use, because the laptop may have slept.
const pingAfter = 30 * time.Second

// The pool closes a connection that was idle for idleConnection. It looks for idle connections every connectionCheck.
const (
	idleConnection  = 30 * time.Second
	connectionCheck = 10 * time.Second
)

// newPool returns a pool of connections that know the vector types. It does not connect yet. A pooler such as PgBouncer
// may give each transaction another session. So the pool does not prepare statements, and each operation makes its own
// settings.
func newPool(ctx context.Context, url string) (*pgxpool.Pool, error) {
	if url == "" {
		return nil, setupError("open database",
			"set CDOCS_DATABASE_URL to a PostgreSQL with pgvector, as postgres://user:password@host:5432/database",
			errors.New("no database is configured"))
	}
	config, err := poolConfig(url)
	if err != nil {
		return nil, err
	}
	// This mode sends a statement and its arguments, as text, in one round trip.
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	config.AfterConnect = registerTypes
	config.MaxConnIdleTime, config.HealthCheckPeriod = idleConnection, connectionCheck
	config.ShouldPing = func(_ context.Context, params pgxpool.ShouldPingParams) bool { return params.IdleDuration > pingAfter }
	pool, err := pgxpool.NewWithConfig(ctx, config)
	return pool, Wrap("open database", err)
}

// poolConfig parses the URL of a database. Each connection sets the formats of values, because the database or the role
// may have other settings. Poolers support these settings.
func poolConfig(address string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, setupError("open database", "write CDOCS_DATABASE_URL as postgres://user:password@host:5432/database",
			errors.New("the database URL cannot be read")) // pgx's message may quote the password
	}
	// If a password has an @, pgx reads the rest of the password as the host, and shows the host in errors.
	_, rest, isURL := strings.Cut(address, "://")
	at := strings.Index(rest, "@")
	if isURL && (at != strings.LastIndex(rest, "@") || at >= 0 && strings.ContainsAny(rest[:at], "/?#")) {
		return nil, setupError("open database", "write @, /, ? and # as %40, %2F, %3F and %23 in its user, password and parameters",
			errors.New("the database URL has an @ where none may be"))
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	maps.Copy(config.ConnConfig.RuntimeParams, map[string]string{
		"application_name": "compound-docs " + processName(), // for people who look at connections
		"client_encoding":  "UTF8", "datestyle": "ISO", "standard_conforming_strings": "on",
	})
	return config, nil
}

// migrated applies the missing migrations to the database of a pool.
func migrated(ctx context.Context, pool *pgxpool.Pool, logger *slog.Logger) error {
	m := newMigrator(logger)
	done := false
	limited, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	err := pool.AcquireFunc(limited, func(conn *pgxpool.Conn) (err error) {
		done, err = m.inspect(limited, conn.Conn())
		return err
	})
	if err != nil || done {
		return Wrap("open database", err)
	}
	return m.migrate(ctx, pool.Config().ConnConfig)
}

// registerTypes registers the types that pgx does not know. pgx needs an OID for each, PostgreSQL's number of a type. Any
// unused number will do, because pgx does not send it: PostgreSQL infers the types of parameters.
func registerTypes(_ context.Context, conn *pgx.Conn) error {
	const unused = 1 << 31
	types := conn.TypeMap()
	for i, element := range []*pgtype.Type{ // new for each connection, because the codec of an enum has state
		{Name: "halfvec", Codec: &pgxvec.HalfVectorCodec{}},
		{Name: "sparsevec", Codec: &pgxvec.SparseVectorCodec{}},
		{Name: "collection", Codec: &pgtype.EnumCodec{}},
		{Name: "promotion_level", Codec: &pgtype.EnumCodec{}},
	} {
		element.OID = unused + 2*uint32(i)
		types.RegisterType(element)
		array := &pgtype.Type{Name: "_" + element.Name, OID: element.OID + 1, Codec: &pgtype.ArrayCodec{ElementType: element}}
		types.RegisterType(array)
	}
	types.RegisterDefaultPgType([]uuid.UUID{}, "_uuid")
	types.RegisterDefaultPgType([]pgvector.HalfVector{}, "_halfvec")
	types.RegisterDefaultPgType([]pgvector.SparseVector{}, "_sparsevec")
	types.RegisterDefaultPgType([]Collection{}, "_collection")
	types.RegisterDefaultPgType([]PromotionLevel{}, "_promotion_level")
	return nil
}
