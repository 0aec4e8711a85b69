package main_test

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/indexstate"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// patience is for what takes moments on a machine that does nothing else.
const patience = 2 * time.Minute

// firstSync is a project without an index, for any number of servers with one Ollama and one folder
// of settings.
type firstSync struct {
	root, home, databaseURL string
	// ollama is the address that servers are given, that of fake if not set.
	ollama string

	fake *fakeollama.Server
	pool *pgxpool.Pool
}

func newFirstSync(t *testing.T, files map[string]string) *firstSync {
	t.Helper()
	f := &firstSync{root: newProject(t, files), home: t.TempDir(), databaseURL: testenv.DatabaseURL(t), fake: fakeollama.Start(t)}
	f.pool = indexstate.OpenPool(t, f.databaseURL)
	return f
}

func (f *firstSync) environment() []string {
	return []string{
		"CDOCS_HOME=" + f.home, "CDOCS_DATABASE_URL=" + f.databaseURL,
		"CDOCS_OLLAMA_HOST=" + cmp.Or(f.ollama, f.fake.URL()),
		"CDOCS_LOG_LEVEL=error",
	}
}

// gone waits until the database has ended what a process had begun. It ends the lease of that server, for which the
// next one would wait.
func (f *firstSync) gone(t *testing.T, pid int) {
	t.Helper()
	until(t, "the connections of a killed server end", patience, func() bool {
		return count(t, f.pool, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE $1",
			fmt.Sprintf("compound-docs %d@%%", pid)) == 0
	})
	_, err := f.pool.Exec(t.Context(), "UPDATE tenants SET lease_until = now() WHERE holder LIKE $1", fmt.Sprintf("%d@%%", pid))
	must(t, err)
}

// embedded returns the texts with a vector.
func (f *firstSync) embedded(t *testing.T) map[string]bool {
	t.Helper()
	texts, err := indexstate.Lines(t.Context(), f.pool, `
		SELECT concat_ws(E'\n\n', nullif(p.heading, ''), p.content) FROM passages p JOIN embeddings USING (collection, project_id, hash)`)
	must(t, err)
	set := make(map[string]bool, len(texts))
	for _, text := range texts {
		set[text] = true
	}
	return set
}

// unembedded is how many passages have no vector of the tenants' model.
func (f *firstSync) unembedded(t *testing.T) int {
	t.Helper()
	return count(t, f.pool, `SELECT count(*) FROM passages p WHERE NOT EXISTS (SELECT FROM embeddings e
		JOIN tenants t ON t.project_id = e.project_id AND t.embedding_model_id = e.model_id
		WHERE e.collection = p.collection AND e.project_id = p.project_id AND e.hash = p.hash)`)
}

// syncWhole has a server index and embed everything.
func (f *firstSync) syncWhole(t *testing.T) {
	t.Helper()
	syncWhole(t, f.root, f.environment()...)
}

// freshSnapshot is that of an index that is built from nothing.
func (f *firstSync) freshSnapshot(t *testing.T) []string {
	t.Helper()
	fresh := testenv.IndexURL(t)
	syncWhole(t, f.root, append(f.environment(), "CDOCS_DATABASE_URL="+fresh)...)
	lines := snapshot(t, indexstate.OpenPool(t, fresh))
	if len(lines) == 0 {
		t.Fatal("there are no documents")
	}
	return lines
}

// mustEqualFresh compares the index with one that is built from nothing.
func (f *firstSync) mustEqualFresh(t *testing.T) {
	t.Helper()
	f.fake.SetFaults(fakeollama.Faults{})
	if diff := gocmp.Diff(f.freshSnapshot(t), snapshot(t, f.pool)); diff != "" {
		t.Errorf("index (-fresh +present):\n%s", diff)
	}
}

// vectors matches the part of a snapshot's line about vectors.
var vectors = regexp.MustCompile(`vector:\w+`)

// withoutVectors are the lines of a snapshot as they are while nothing is embedded.
func withoutVectors(lines []string) []string {
	lines = slices.Clone(lines)
	for i, line := range lines {
		lines[i] = vectors.ReplaceAllString(line, "vector:none")
	}
	return lines
}
