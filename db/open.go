// Package db is the index's storage: sqlc's typed queries, how a database is
// opened and migrated, and what its errors mean. It knows SQL and rows; it must
// not know files, markdown, embedding or MCP.
package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgvector/pgvector-go"
	pgxvec "github.com/pgvector/pgvector-go/pgx"
)

// LockPassages is the advisory lock class of a project's passages.
const LockPassages = 0x63646f63 // "cdoc"

// efSearch is how many candidates the first step of an HNSW scan keeps. The
// iterative scan goes on from there until the LIMIT is met.
const efSearch = 200

// connectTimeout is for a host that does not answer at all, unless the URL has a
// connect_timeout.
const connectTimeout = 5 * time.Second

// pingAfter is how long a connection is idle before it is tried with a round trip of its
// own: the laptop may have slept.
const pingAfter = 30 * time.Second

// Open migrates the database at url and returns a pool of connections that
// know the vector types and plan every query afresh, without JIT: the first
// compiled plan costs 90 ms where the query takes 1 ms, and a generic plan does
// not see how selective a tenant is.
//
// The caller closes the pool. Errors are [*Error].
func Open(ctx context.Context, url string, logger *slog.Logger) (*pgxpool.Pool, error) {
	if url == "" {
		return nil, &Error{
			Op: "open database", Kind: KindSetup,
			Hint: "set CDOCS_DATABASE_URL to a PostgreSQL with pgvector, as postgres://user:password@host:5432/database",
			Err:  errors.New("no database is configured"),
		}
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errUnreadable() // pgx's message may quote the password
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	if err := newMigrator(logger).migrate(ctx, config.ConnConfig); err != nil {
		return nil, err
	}
	config.ConnConfig.RuntimeParams["application_name"] = clientName()
	settings, err := json.Marshal(sessionSettings())
	if err != nil {
		return nil, Wrap("open database", err)
	}
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		return prepareSession(ctx, conn, string(settings))
	}
	config.MaxConnIdleTime = 5 * time.Minute
	// A connection that is broken fails its next query, which is then tried again.
	config.ShouldPing = func(_ context.Context, params pgxpool.ShouldPingParams) bool { return params.IdleDuration > pingAfter }
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, Wrap("open database", err)
	}
	conn, err := pool.Acquire(ctx)
	if err != nil {
		pool.Close()
		return nil, Wrap("open database", err)
	}
	conn.Release()
	return pool, nil
}

// sessionSettings are the settings of every connection. They are set by a statement,
// because a pooler such as PgBouncer refuses them as parameters of the start.
func sessionSettings() map[string]string {
	settings := planSettings()
	// PostgreSQL frees the locks of a client that has vanished, such as a laptop that
	// sleeps, after half a minute instead of two hours.
	settings["tcp_keepalives_idle"] = "15"
	settings["tcp_keepalives_interval"] = "5"
	settings["tcp_keepalives_count"] = "3"
	// And those of a client that is suspended, which still answers keepalives: a
	// transaction here does nothing but SQL, and is never idle for so long.
	settings["idle_in_transaction_session_timeout"] = "30s"
	return settings
}

// planSettings are the settings that queries are planned and run with. deploy/citus.sql
// has them too.
func planSettings() map[string]string {
	return map[string]string{
		"jit":             "off",
		"plan_cache_mode": "force_custom_plan",
		// Workers cost more to start than a search takes, and there are many searchers.
		"max_parallel_workers_per_gather": "0",
		// What is searched is in memory, and every query has an index: a sequential scan
		// would read the passages of all tenants.
		"random_page_cost":    "1.1",
		"enable_seqscan":      "off",
		"hnsw.ef_search":      strconv.Itoa(efSearch),
		"hnsw.iterative_scan": "relaxed_order",
	}
}

func errUnreadable() *Error {
	return &Error{
		Op: "open database", Kind: KindSetup,
		Hint: "write CDOCS_DATABASE_URL as postgres://user:password@host:5432/database",
		Err:  errors.New("the database URL cannot be read"),
	}
}

// prepareSession makes the settings, given as JSON, and registers the types that pgx does
// not know, in one round trip. Without the types, arrays and COPY of them fail.
func prepareSession(ctx context.Context, conn *pgx.Conn, settings string) error {
	// pgx's LoadTypes asks for every kind of type, which takes longer than a search.
	rows, err := conn.Query(ctx, `
		SELECT typname, oid, typarray,
			(SELECT count(set_config(s.key, s.value, false)) FROM pg_catalog.json_each_text($1) AS s) AS settings
		FROM pg_catalog.pg_type
		WHERE oid IN ('halfvec'::regtype, 'sparsevec'::regtype, 'collection'::regtype, 'promotion_level'::regtype)`,
		pgx.QueryExecModeSimpleProtocol, settings)
	if err != nil {
		return fmt.Errorf("prepare session: %w", err)
	}
	var name string
	var oid, array uint32
	var set int
	_, err = pgx.ForEachRow(rows, []any{&name, &oid, &array, &set}, func() error {
		element := &pgtype.Type{Name: name, OID: oid, Codec: &pgtype.EnumCodec{}}
		switch name {
		case "halfvec":
			element.Codec = &pgxvec.HalfVectorCodec{}
		case "sparsevec":
			element.Codec = &pgxvec.SparseVectorCodec{}
		}
		conn.TypeMap().RegisterType(element)
		conn.TypeMap().RegisterType(&pgtype.Type{Name: "_" + name, OID: array, Codec: &pgtype.ArrayCodec{ElementType: element}})
		return nil
	})
	if err != nil {
		return fmt.Errorf("prepare session: %w", err)
	}
	nameTypes(conn.TypeMap())
	return nil
}

// nameTypes says which types of PostgreSQL sqlc.yaml has made the types of arguments of.
// pgx knows those of the language.
func nameTypes(types *pgtype.Map) {
	for name, values := range map[string][]any{
		"uuid":             {uuid.UUID{}},
		"_uuid":            {[]uuid.UUID{}},
		"halfvec":          {pgvector.HalfVector{}, &pgvector.HalfVector{}},
		"_halfvec":         {[]pgvector.HalfVector{}},
		"sparsevec":        {pgvector.SparseVector{}},
		"_sparsevec":       {[]pgvector.SparseVector{}},
		"collection":       {Collection("")},
		"promotion_level":  {PromotionLevel("")},
		"_promotion_level": {[]PromotionLevel{}},
	} {
		for _, value := range values {
			types.RegisterDefaultPgType(value, name)
		}
	}
}
