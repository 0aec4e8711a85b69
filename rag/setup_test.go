package rag_test

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/testenv"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// fixture is a library on a database of its own, with a fake Ollama.
type fixture struct {
	library  *rag.Library
	database *db.Database
	models   *ollama.Client
	fake     *fakeollama.Server
	tenant   *rag.Tenant
	pool     *pgxpool.Pool
}

func setup(t *testing.T) *fixture {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	database := db.NewDatabase(testenv.DatabaseURL(t), logger)
	t.Cleanup(database.Close)
	fake := fakeollama.Start(t)
	models, err := ollama.New(ollama.Config{
		Hosts: []string{fake.URL()}, Logger: logger, RetryDelay: time.Millisecond, ModelTTL: time.Nanosecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := models.Close(); err != nil {
			t.Error(err)
		}
	})
	f := &fixture{
		library: rag.NewLibrary(database, models, models, logger), database: database, models: models, fake: fake,
	}
	f.tenant = f.branch(t, "main")
	if f.pool, err = database.Pool(t.Context()); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *fixture) branch(t *testing.T, name string) *rag.Tenant {
	t.Helper()
	key := rag.TenantKey{Project: "test-project", Branch: name, PathHash: "0123456789abcdef"}
	tenant, err := f.library.Tenant(t.Context(), key, "/repo")
	if err != nil {
		t.Fatal(err)
	}
	return tenant
}

// index puts documents without a schema into the compounding collection.
func (f *fixture) index(t *testing.T, tenant *rag.Tenant, files ...document.File) []document.Failure {
	t.Helper()
	failures, err := f.library.Indexer(tenant, rag.Compounding, anything{}).Index(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	return failures
}

func (f *fixture) scope() rag.Scope {
	return rag.Scope{Tenant: f.tenant, Collection: rag.Compounding}
}

// file is a document whose body is the given lines.
func file(path string, lines ...string) document.File {
	content := strings.Join(lines, "\n") + "\n"
	return document.File{
		Path: path, Content: []byte(content), Size: int64(len(content)), ModTime: time.Unix(1_700_000_000, 123_456_789),
		ChangeTime: time.Unix(1_700_000_001, 123_456_789), Inode: 1<<64 - 1,
	}
}

// section is a heading with enough words of one subject to be a passage of its
// own in a document that does not fit the embedding window.
func section(heading, subject string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n", heading)
	for i := range 20 {
		fmt.Fprintf(&b, "Sentence %d says something about %s and how %s behaves.\n", i, subject, subject)
	}
	return b.String()
}

// rows returns one column of text.
func (f *fixture) rows(t *testing.T, query string, args ...any) []string {
	t.Helper()
	rows, err := f.pool.Query(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	values, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return values
}
