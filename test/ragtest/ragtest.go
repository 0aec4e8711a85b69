// Package ragtest sets up an index with a fake Ollama, for the tests of packages
// rag and index: one cannot be tested without the other. The tests of other packages
// get their databases from it.
package ragtest

import (
	"crypto/sha256"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/answer"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/indexstate"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// Fixture is an index in a new database, with one registered tenant.
type Fixture struct {
	Index    *index.Index
	Searcher *rag.Searcher
	Answerer *answer.Answerer
	Database *db.Database
	Pool     *pgxpool.Pool
	Fake     *fakeollama.Server
	// Models asks Fake, and looks at every call which models there are.
	Models *model.Client
	Tenant *catalog.Tenant
}

// New returns a Fixture that is closed when the test ends. Its embedding model is measured.
func New(t *testing.T) *Fixture {
	t.Helper()
	return newOn(t, IndexURL(t))
}

// NewUnmeasured is [New] in a database that knows no model.
func NewUnmeasured(t *testing.T) *Fixture {
	t.Helper()
	return newOn(t, testenv.IndexURL(t))
}

func newOn(t *testing.T, databaseURL string) *Fixture {
	t.Helper()
	f := &Fixture{Database: openDatabase(t, databaseURL), Fake: fakeollama.Start(t)}
	f.Models = f.NewModels(t, time.Nanosecond)
	f.Index, f.Searcher = f.NewIndex(f.Database, f.Models), f.NewSearcher(f.Models)
	f.Answerer = f.NewAnswerer(f.Models)
	f.Tenant = f.Branch(t, "main")
	pool, err := f.Database.Pool(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f.Pool = pool
	return f
}

func openDatabase(t *testing.T, url string) *db.Database {
	t.Helper()
	database := db.NewDatabase(testenv.Source(url), slog.New(slog.DiscardHandler))
	t.Cleanup(database.Close)
	return database
}

// SecondDatabase opens the fixture's database once more, as another process does.
func (f *Fixture) SecondDatabase(t *testing.T) *db.Database {
	t.Helper()
	return openDatabase(t, f.Pool.Config().ConnString())
}

// NewModels returns a client of the fixture's Ollama that looks again which models
// there are after ttl, and after the default time if that is 0.
func (f *Fixture) NewModels(t *testing.T, ttl time.Duration) *model.Client {
	t.Helper()
	models, err := ollama.New(model.Config{
		Host: f.Fake.URL(), Logger: slog.New(slog.DiscardHandler), RetryDelay: time.Millisecond, ModelTTL: ttl,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(models.Close)
	return models
}

// NewIndex returns another Index, with another embedder.
func (*Fixture) NewIndex(database *db.Database, embedder index.Embedder) *index.Index {
	return index.New(database, embedder, slog.New(slog.DiscardHandler))
}

// NewSearcher returns another Searcher on the fixture's database.
func (f *Fixture) NewSearcher(embedder rag.QueryEmbedder) *rag.Searcher {
	return rag.NewSearcher(f.Database, embedder)
}

// NewAnswerer returns an Answerer that has another language model.
func (f *Fixture) NewAnswerer(generator answer.Generator) *answer.Answerer {
	return answer.New(f.Database, f.Searcher, generator, slog.New(slog.DiscardHandler))
}

// Branch registers the fixture's checkout on a branch.
func (f *Fixture) Branch(t *testing.T, name string) *catalog.Tenant {
	t.Helper()
	key := catalog.TenantKey{Project: "test-project", Branch: name, PathHash: "0123456789abcdef"}
	tenant, err := f.Index.Tenant(t.Context(), key, "/repo")
	if err != nil {
		t.Fatal(err)
	}
	return tenant
}

// Add indexes and embeds documents in the compounding collection, and returns what
// could not be indexed.
func (f *Fixture) Add(t *testing.T, tenant *catalog.Tenant, files ...document.File) []document.Failure {
	t.Helper()
	failures := f.AddText(t, tenant, files...)
	f.Embed(t, tenant, catalog.Compounding)
	return failures
}

// Embed embeds what the tenant's documents of a collection lack.
func (f *Fixture) Embed(t *testing.T, tenant *catalog.Tenant, collection catalog.Collection) {
	t.Helper()
	if err := f.Index.Queue(tenant, collection).Drain(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
}

// AddText is Add without the vectors.
func (f *Fixture) AddText(t *testing.T, tenant *catalog.Tenant, files ...document.File) []document.Failure {
	t.Helper()
	failures, err := f.Index.Indexer(tenant, catalog.Compounding, AnyDocument{}).Index(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	return failures
}

// Scope is the compounding collection of the fixture's tenant.
func (f *Fixture) Scope() catalog.Scope {
	return catalog.Scope{Tenant: f.Tenant, Collection: catalog.Compounding}
}

// Rows returns what a query for one column of text finds.
func (f *Fixture) Rows(t *testing.T, query string, args ...any) []string {
	t.Helper()
	values, err := indexstate.Lines(t.Context(), f.Pool, query, args...)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// AnyDocument is a schema that takes every document as a problem, in a docs folder at the
// root of the repository.
type AnyDocument struct{}

// Rules returns those of the doc-type problem.
func (AnyDocument) Rules(path string) (project.Rules, bool) {
	docs, _, _ := strings.Cut(path, "/")
	return project.Rules{
		Name: "problem", Docs: docs, Validate: func(map[string]any) []project.Violation { return nil },
	}, true
}

// File returns a document whose content is the given lines.
func File(path string, lines ...string) document.File {
	content := strings.Join(lines, "\n") + "\n"
	return document.File{Path: path, Content: []byte(content), Stamp: document.Stamp{
		Size: int64(len(content)), ModTime: time.Unix(1_700_000_000, 123_456_789),
		ChangeTime: time.Unix(1_700_000_001, 123_456_789), Inode: 1<<64 - 1, Hash: sha256.Sum256([]byte(content)),
	}}
}

// Section returns a heading with enough words of one subject to be one passage in a document that
// does not fit the embedding window.
func Section(heading, subject string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n", heading)
	for i := range 20 {
		fmt.Fprintf(&b, "Sentence %d says something about %s and how %s behaves.\n", i, subject, subject)
	}
	return b.String()
}
