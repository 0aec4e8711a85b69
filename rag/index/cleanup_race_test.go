package index_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

// Sweeps without a grace period among servers that index, reuse each other's
// passages and remove documents: nothing is lost or half-written.
func TestCleanup_AmongWriters(t *testing.T) {
	t.Parallel()
	f := setup(t)
	const rounds, documents, texts = 25, 4, 6
	sweeper, stopSweeper := f.server(t)
	var stops []func()
	var writers, sweeps sync.WaitGroup
	for i, branch := range []string{"one", "two", "three"} {
		server, stop := f.server(t)
		stops = append(stops, stop)
		tenant, random := f.Branch(t, branch), rand.New(rand.NewPCG(uint64(i), 7))
		writers.Go(func() {
			x := indexer(server, tenant, catalog.Compounding)
			for range rounds {
				var files []document.File
				for d := range documents {
					subject := func() string { return fmt.Sprint("subject", random.IntN(texts)) }
					files = append(files, file(fmt.Sprintf("docs/%d.md", d), section("One", subject()), section("Two", subject())))
				}
				if failures, err := x.Index(t.Context(), files); err != nil || len(failures) > 0 {
					t.Errorf("index %s: %v %v", branch, failures, err)
				}
				if err := x.Remove(t.Context(), []string{"docs/0.md"}); err != nil {
					t.Errorf("remove from %s: %v", branch, err)
				}
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	swept := 0
	sweeps.Go(func() {
		for ctx.Err() == nil {
			cleaned, err := sweeper.Cleanup(t.Context(), index.CleanupOptions{Judge: everythingIsAlive})
			if err != nil {
				t.Errorf("cleanup: %v", err)
			}
			for _, project := range cleaned.Projects {
				swept += project.Passages
			}
		}
	})
	writers.Wait()
	cancel()
	sweeps.Wait()
	t.Logf("%d passages were swept", swept)
	if swept == 0 {
		t.Error("nothing was swept: the test shows nothing")
	}
	f.checkWhole(t)
	got := f.Rows(t, "SELECT concat_ws(' ', t.branch_name, count(*)) FROM documents d JOIN tenants t ON t.id = d.tenant_id GROUP BY t.branch_name ORDER BY t.branch_name")
	if diff := cmp.Diff([]string{"one 3", "three 3", "two 3"}, got); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	f.checkNoDeadlocks(t, append(stops, stopSweeper)...)
}
