package db_test

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// must ends the test if there is an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, databaseURL string) *pgxpool.Pool {
	t.Helper()
	pool, err := db.Open(t.Context(), databaseURL, slog.New(slog.DiscardHandler))
	must(t, err)
	t.Cleanup(pool.Close)
	return pool
}

func TestOpen_SeveralServersAtOnce(t *testing.T) {
	t.Parallel()
	databaseURL := testenv.DatabaseURL(t)
	var group sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		group.Go(func() {
			pool, err := db.Open(t.Context(), databaseURL, slog.New(slog.DiscardHandler))
			if errs[i] = err; err == nil {
				pool.Close()
			}
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

// withParameter returns the URL with one more query parameter.
func withParameter(t *testing.T, databaseURL, name, value string) string {
	t.Helper()
	u, err := url.Parse(databaseURL)
	must(t, err)
	query := u.Query()
	query.Set(name, value)
	u.RawQuery = query.Encode()
	return u.String()
}

// A server that lacks something is told from a catalogue in front of the real one.
func TestOpen_RefusesServersThatLackSomething(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, shadow, want string }{
		{
			name: "no pgvector",
			shadow: `CREATE VIEW shadow.pg_available_extensions AS
				SELECT * FROM pg_catalog.pg_available_extensions WHERE name <> 'vector'`,
			want: "the server has no pgvector extension; install pgvector for PostgreSQL",
		},
		{
			name: "old pgvector",
			shadow: `CREATE VIEW shadow.pg_available_extensions AS
				SELECT 'vector'::name AS name, '0.7.4'::text AS default_version, NULL::text AS installed_version`,
			want: "pgvector 0.7.4 is too old; install pgvector 0.8.0 or newer",
		},
		{
			name: "old PostgreSQL",
			shadow: `CREATE FUNCTION shadow.current_setting(name text) RETURNS text LANGUAGE sql AS
				$$ SELECT CASE name WHEN 'server_version_num' THEN '140012' ELSE '14.12' END $$`,
			want: "PostgreSQL 14.12 is too old; use PostgreSQL 15 or newer",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			databaseURL := testenv.DatabaseURL(t)
			conn, err := pgx.Connect(t.Context(), databaseURL)
			must(t, err)
			if _, err := conn.Exec(t.Context(), "CREATE SCHEMA shadow; "+test.shadow); err != nil {
				t.Fatal(err)
			}
			must(t, conn.Close(t.Context()))
			shadowed := withParameter(t, databaseURL, "search_path", "shadow,pg_catalog,public")
			_, err = db.Open(t.Context(), shadowed, slog.New(slog.DiscardHandler))
			if !db.IsKind(err, db.KindSetup) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want a setup error with %q", err, test.want)
			}
		})
	}
}

func TestOpen_NamesTheRemedyAndNoSecret(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, url, want string
		kind            db.ErrorKind
	}{
		{"none configured", "", "set CDOCS_DATABASE_URL", db.KindSetup},
		{"not a URL", "postgres://user:s3cret@host:port/x", "write CDOCS_DATABASE_URL as", db.KindSetup},
		{"an @ in the password", "postgres://user:p@s3cret@127.0.0.1:1/x", "write @, /, ? and # as %40", db.KindSetup},
		{"an @ and a / in the password", "postgres://user:p@s3cret/x@127.0.0.1:1/x", "write @, /, ? and # as %40", db.KindSetup},
		{"an @ and a # in the password", "postgres://user:p@s3cret#x@127.0.0.1:1/x", "write @, /, ? and # as %40", db.KindSetup},
		{"an @ behind a number", "postgres://user:53/s3cret@127.0.0.1:1/x", "write @, /, ? and # as %40", db.KindSetup},
		{"nobody there", "postgres://user:s3cret@127.0.0.1:1/x?sslmode=disable", "no PostgreSQL server answers at 127.0.0.1:1", db.KindTransient},
		{"no such database", withPath(t, testenv.DatabaseURL(t), "/does_not_exist"), "create the database", db.KindSetup},
		{"no connection left", withoutConnections(t), "put pool_max_conns=2 into the CDOCS_DATABASE_URL of every server", db.KindTransient},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := db.Open(t.Context(), test.url, slog.New(slog.DiscardHandler))
			if !db.IsKind(err, test.kind) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want kind %d with %q", err, test.kind, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the password is in the message: %v", err)
			}
		})
	}
}

// withoutConnections returns the URL of a role that may have no connection.
func withoutConnections(t *testing.T) string {
	t.Helper()
	databaseURL := testenv.DatabaseURL(t)
	u, err := url.Parse(databaseURL)
	must(t, err)
	role := strings.TrimPrefix(u.Path, "/")
	u.User = url.UserPassword(role, "s3cret")
	execute := func(ctx context.Context, sql string) {
		conn, err := pgx.Connect(ctx, databaseURL)
		if err == nil {
			_, err = conn.Exec(ctx, sql)
			err = errors.Join(err, conn.Close(ctx))
		}
		if err != nil {
			t.Error(err)
		}
	}
	execute(t.Context(), "CREATE ROLE "+role+" LOGIN PASSWORD 's3cret' CONNECTION LIMIT 0")
	t.Cleanup(func() { execute(context.WithoutCancel(t.Context()), "DROP ROLE "+role) })
	return u.String()
}

func withPath(t *testing.T, databaseURL, path string) string {
	t.Helper()
	u, err := url.Parse(databaseURL)
	must(t, err)
	u.Path = path
	return u.String()
}
