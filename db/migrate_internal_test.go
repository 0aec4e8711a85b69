package db

import (
	"context"
	"io/fs"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/sql/schema"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// busyDatabase is a migrated database with a reader in the middle of a
// transaction, and a schema with one more migration.
type busyDatabase struct {
	config   *pgx.ConnConfig
	reader   pgx.Tx
	searcher *pgx.Conn
	schema   fstest.MapFS
	// waits receives a message each time that the migration lets others pass.
	waits chan string
}

func newBusyDatabase(t *testing.T, migration string) *busyDatabase {
	t.Helper()
	url := testenv.DatabaseURL(t)
	pool, err := Open(t.Context(), url, slog.New(slog.DiscardHandler))
	must(t, err)
	pool.Close()
	config, err := pgx.ParseConfig(url)
	must(t, err)
	b := &busyDatabase{config: config, schema: schemaWith(t, "90000_made_up.sql", migration), waits: make(chan string, 1000)}
	b.searcher = b.connect(t)
	b.reader, err = b.connect(t).BeginTx(t.Context(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	must(t, err)
	if _, err := b.reader.Exec(t.Context(), "SELECT count(*) FROM documents"); err != nil {
		t.Fatal(err)
	}
	return b
}

// schemaWith is the schema with one more migration.
func schemaWith(t *testing.T, name, migration string) fstest.MapFS {
	t.Helper()
	files, err := fs.Glob(schema.FS, "*.sql")
	must(t, err)
	extended := fstest.MapFS{name: {Data: []byte(migration)}}
	for _, file := range files {
		content, err := fs.ReadFile(schema.FS, file)
		must(t, err)
		extended[file] = &fstest.MapFile{Data: content}
	}
	return extended
}

func (b *busyDatabase) connect(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.ConnectConfig(t.Context(), b.config.Copy())
	must(t, err)
	t.Cleanup(func() {
		if err := conn.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return conn
}

// start migrates, and returns where the result comes.
func (b *busyDatabase) start(t *testing.T, within time.Duration) <-chan error {
	t.Helper()
	m := &migrator{schema: b.schema, lockWait: 200 * time.Millisecond, within: within, logger: slog.New(messages(b.waits))}
	done := make(chan error, 1)
	go func() { done <- m.migrate(t.Context(), b.config) }()
	return done
}

// messages is a log handler that passes on warnings.
type messages chan<- string

func (messages) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

func (m messages) Handle(_ context.Context, record slog.Record) error {
	m <- record.Message
	return nil
}

func (m messages) WithAttrs([]slog.Attr) slog.Handler { return m }

func (m messages) WithGroup(string) slog.Handler { return m }

// search fails the test if a reader waits until the other reader ends.
func (b *busyDatabase) search(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var documents int
	if err := b.searcher.QueryRow(ctx, "SELECT count(*) FROM documents").Scan(&documents); err != nil {
		t.Fatalf("a search beside the migration: %v", err)
	}
}

func (b *busyDatabase) exists(t *testing.T, query string) bool {
	t.Helper()
	var exists bool
	must(t, b.searcher.QueryRow(t.Context(), "SELECT EXISTS ("+query+")").Scan(&exists))
	return exists
}

const (
	exclusive = `-- +goose Up
ALTER TABLE documents ADD COLUMN made_up integer;
-- +goose Down
ALTER TABLE documents DROP COLUMN made_up;
`
	hasColumn = `SELECT FROM pg_attribute WHERE attrelid = 'documents'::regclass AND attname = 'made_up'`
)

func TestMigrate_LetsSearchesPassWhileItWaits(t *testing.T) {
	t.Parallel()
	b := newBusyDatabase(t, exclusive)
	done := b.start(t, time.Hour)
	for range 3 {
		<-b.waits
		b.search(t)
	}
	if b.exists(t, hasColumn) {
		t.Fatal("the migration did not need the reader's lock")
	}
	must(t, b.reader.Rollback(t.Context()))
	if err := <-done; err != nil {
		t.Fatalf("after the reader: %v", err)
	}
	if !b.exists(t, hasColumn) {
		t.Error("the migration has left nothing behind")
	}
}

func TestMigrate_GivesUpAndSaysWhy(t *testing.T) {
	t.Parallel()
	b := newBusyDatabase(t, exclusive)
	err := <-b.start(t, time.Second)
	if !IsKind(err, KindSetup) {
		t.Fatalf("got %v, want an error that a person has to act on", err)
	}
	for _, part := range []string{"lock", "more than 1s", "pg_stat_activity", "try again"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q lacks %q", err, part)
		}
	}
	b.search(t)
	if b.exists(t, "SELECT FROM pg_locks WHERE NOT granted AND relation = 'documents'::regclass") {
		t.Error("the migration waits on")
	}
	must(t, b.reader.Rollback(t.Context()))
	if err := <-b.start(t, time.Hour); err != nil || !b.exists(t, hasColumn) {
		t.Errorf("the next start: %v", err)
	}
}
