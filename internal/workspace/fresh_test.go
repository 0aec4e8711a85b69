package workspace_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/test/indexstate"
	"github.com/compound-docs/compound-docs/test/testenv"
)

func documents(t *testing.T, pool *pgxpool.Pool, branch string) []string {
	t.Helper()
	lines, err := indexstate.Documents(t.Context(), pool, branch)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// reference is a database beside the one under test, into which the same files
// are indexed from nothing.
type reference struct {
	server *workspace.Workspace
	pool   *pgxpool.Pool
}

func (f *fixture) newReference(t *testing.T) *reference {
	t.Helper()
	databaseURL := testenv.IndexURL(t)
	s := f.start(t, databaseURL, model.Config{Host: f.fake.URL()}, f.configPath())
	return &reference{server: s, pool: indexstate.OpenPool(t, databaseURL)}
}

// freshIndex returns a new index of the files as they are now.
func (f *fixture) freshIndex(t *testing.T, branch string) []string {
	t.Helper()
	if f.reference == nil {
		f.reference = f.newReference(t)
	}
	f.Must(f.reference.server.Reindex(t.Context(), func(string) func(int, int) { return nil }))
	f.checkFiles(t, f.reference.pool, branch)
	return documents(t, f.reference.pool, branch)
}

// indexEqualsDisk waits until the branch's index equals a new index of the same
// files is: every path, hash, line range, passage and link.
func (f *fixture) indexEqualsDisk(t *testing.T, branch string) {
	t.Helper()
	diff, err := indexstate.Difference(t.Context(), f.pool, branch, f.freshIndex(t, branch))
	f.Must(err)
	if diff != "" {
		t.Fatalf("the index of %s never became what is on disk (-want +got):\n%.6000s", branch, diff)
	}
}

// checkFiles compares the paths and hashes of the new index with the files,
// without the code that walks folders.
func (f *fixture) checkFiles(t *testing.T, pool *pgxpool.Pool, branch string) {
	t.Helper()
	got, err := indexstate.Lines(t.Context(), pool, `SELECT relative_path || ' ' || encode(content_hash, 'hex')
		FROM documents d JOIN tenants t ON t.project_id = d.project_id AND t.id = d.tenant_id
		WHERE branch_name = $1 AND collection = 'compounding'`, branch)
	f.Must(err)
	slices.Sort(got)
	if diff := cmp.Diff(f.onDisk(t), got); diff != "" {
		t.Fatalf("a new index does not hold the files (-want +got):\n%.3000s", diff)
	}
}

// onDisk returns the documents with the hashes of their files, one a line, without
// the code that walks folders.
func (f *fixture) onDisk(t *testing.T) []string {
	t.Helper()
	lines := []string{}
	err := filepath.WalkDir(f.Path("csharp-compounding-docs"), func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name()[0] == '.' {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.EqualFold(filepath.Ext(name), ".md") || d.Name()[0] == '.' {
			return err
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(f.Root, name)
		lines = append(lines, filepath.ToSlash(relative)+" "+documentHash(content))
		return err
	})
	f.Must(err)
	slices.Sort(lines)
	return lines
}

func documentHash(content []byte) string {
	hash := sha256.Sum256(content)
	return hex.EncodeToString(hash[:])
}
