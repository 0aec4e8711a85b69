package index_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/test/await"
)

// texts returns the passages of the database, and for each whether it has a vector.
func (f *fixture) texts(t *testing.T) []string {
	t.Helper()
	return f.Rows(t, `SELECT p.content || CASE WHEN e.hash IS NULL THEN '' ELSE ' (embedded)' END
		FROM passages p LEFT JOIN embeddings e ON e.hash = p.hash ORDER BY 1`)
}

// keepSwept removes unused text until the test ends.
func keepSwept(t *testing.T, x *index.Index, tenant *catalog.Tenant, interval time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		x.KeepSwept(ctx, tenant, interval)
		close(ended)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
}

// Text that an edit removes from a file leaves the index by itself.
func TestSweeper_RemovesTextThatWasEditedOut(t *testing.T) {
	t.Parallel()
	f := setup(t)
	other := f.Branch(t, "other")
	f.Add(t, other, file("docs/other.md", "kept by another branch"))
	f.Add(t, f.Tenant, file("docs/a.md", "the token is hunter2"))
	f.Add(t, f.Tenant, file("docs/a.md", "the token is in the vault"))
	for _, branch := range []*catalog.Tenant{f.Tenant, other} {
		keepSwept(t, f.Index, branch, 200*time.Millisecond)
	}
	want := []string{"kept by another branch (embedded)", "the token is in the vault (embedded)"}
	await.Until(t, "only the texts of the files are left", func() bool {
		var got []string
		for _, text := range f.texts(t) {
			got = append(got, strings.ReplaceAll(text, "\n", ""))
		}
		return slices.Equal(got, want)
	})
	f.checkWhole(t)
}

// One server of a project looks for unused text, once in an interval.
func TestSweeper_SweepsOnceInAnInterval(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.exec(t, "UPDATE tenants SET swept_at = now() - interval '1 hour'")
	other := f.Branch(t, "other")
	f.Add(t, f.Tenant, file("docs/a.md", "before"))
	f.Add(t, f.Tenant, file("docs/a.md", "afterwards"))
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	f.Index.KeepSwept(ctx, other, 24*time.Hour)
	if got := len(f.texts(t)); got != 2 {
		t.Errorf("%d texts are left within the interval, want 2", got)
	}
	ctx, cancel = context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	f.Index.KeepSwept(ctx, other, time.Hour)
	if got := len(f.texts(t)); got != 1 {
		t.Errorf("%d texts are left after the interval, want 1", got)
	}
}
