package workspace_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// indexedDocuments is every document of a branch with its chunks, texts and
// links, one a line.
const indexedDocuments = `
	SELECT concat_ws(' ', d.collection, to_json(d.relative_path), encode(d.content_hash, 'hex'), d.chunk_count, d.promotion_level, d.line_count,
		(SELECT string_agg(concat_ws('/', c.ordinal, c.start_line, c.end_line, c.promotion_level, c.header_path,
				coalesce(md5(p.heading || p.content), 'NO PASSAGE')), ',' ORDER BY c.ordinal)
			FROM document_chunks c LEFT JOIN passages p
				ON p.collection = c.collection AND p.project_id = c.project_id AND p.hash = c.passage_hash
			WHERE c.project_id = d.project_id AND c.document_id = d.id),
		(SELECT string_agg(l.target_path, ',' ORDER BY l.ordinal) FROM document_links l
			WHERE l.project_id = d.project_id AND l.document_id = d.id))
	FROM documents d JOIN tenants t ON t.project_id = d.project_id AND t.id = d.tenant_id
	WHERE t.branch_name = $1 ORDER BY d.collection, d.relative_path COLLATE "C"`

func documents(t *testing.T, pool *pgxpool.Pool, branch string) []string {
	t.Helper()
	rows, err := pool.Query(t.Context(), indexedDocuments, branch)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// settling bounds the wait for an index. It is far below the five minutes after
// which a walk of the folder would make good what a test is to find.
const settling = 2 * time.Minute

// reference is a database beside the one under test, into which the same files
// are indexed from nothing.
type reference struct {
	session *workspace.Workspace
	pool    *pgxpool.Pool
}

func (f *fixture) newReference(t *testing.T) *reference {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	database := db.NewDatabase(testenv.DatabaseURL(t), logger)
	models, err := ollama.New(ollama.Config{Hosts: []string{f.fake.URL()}, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	s := workspace.New(index.New(database, models, logger), rag.NewSearcher(database, models, models, logger), project.DefaultSettings(), f.configPath(), logger)
	t.Cleanup(func() {
		s.Close()
		database.Close()
		if err := models.Close(); err != nil {
			t.Error(err)
		}
	})
	pool, err := database.Pool(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return &reference{session: s, pool: pool}
}

// freshIndex is what an index of the files as they are now has to be.
func (f *fixture) freshIndex(t *testing.T, branch string) []string {
	t.Helper()
	if f.reference == nil {
		f.reference = f.newReference(t)
	}
	if _, err := f.reference.session.Reindex(t.Context(), func(string) func(int, int) { return nil }); err != nil {
		t.Fatal(err)
	}
	f.checkFiles(t, f.reference.pool, branch)
	return documents(t, f.reference.pool, branch)
}

// indexEqualsDisk waits until the branch's index is what a new index of the same
// files is: every path, hash, line range, passage and link.
func (f *fixture) indexEqualsDisk(t *testing.T, branch string) {
	t.Helper()
	want := f.freshIndex(t, branch)
	deadline := time.Now().Add(settling)
	for {
		got := documents(t, f.pool, branch)
		if slices.Equal(want, got) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the index of %s never became what is on disk (-want +got):\n%.6000s", branch, cmp.Diff(want, got))
		}
		time.Sleep(20 * time.Millisecond) // between two looks
	}
}

// checkFiles compares the paths and hashes of the new index with the files,
// without the code that walks folders.
func (f *fixture) checkFiles(t *testing.T, pool *pgxpool.Pool, branch string) {
	t.Helper()
	want := []string{}
	root := filepath.Join(f.root, "csharp-compounding-docs")
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name()[0] == '.' {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.EqualFold(filepath.Ext(name), ".md") || d.Name()[0] == '.' {
			return err
		}
		content, err := os.ReadFile(name)
		hash := sha256.Sum256(content)
		relative, _ := filepath.Rel(f.root, name)
		want = append(want, relative+" "+hex.EncodeToString(hash[:]))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := pool.Query(t.Context(), `SELECT relative_path || ' ' || encode(content_hash, 'hex')
		FROM documents d JOIN tenants t ON t.project_id = d.project_id AND t.id = d.tenant_id
		WHERE branch_name = $1 AND collection = 'compounding'`, branch)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("a new index does not hold the files (-want +got):\n%.3000s", diff)
	}
}
