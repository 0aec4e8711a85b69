package index_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/test/ragtest"
)

func TestDelete_WhileAnotherServerEmbeds(t *testing.T) {
	t.Parallel()
	f := setup(t)
	other, _ := f.server(t)
	f.AddText(t, f.Tenant, twoDocuments()...)
	embedding, deleted := f.holdEmbedding()
	drained := make(chan error, 1)
	go func() { drained <- other.Queue(f.Tenant, catalog.Compounding).Drain(t.Context(), nil) }()
	<-embedding
	contents, err := f.Index.Delete(t.Context(), wholeProject(f))
	close(deleted)
	if diff := cmp.Diff(index.Contents{Documents: 2, Chunks: 3}, contents); err != nil || diff != "" {
		t.Errorf("deleted: %v (-want +got):\n%s", err, diff)
	}
	if err := <-drained; err != nil {
		t.Errorf("embed: %v", err)
	}
	if diff := cmp.Diff([]string{}, f.Rows(t, snapshot)); diff != "" {
		t.Errorf("left behind (-want +got):\n%s", diff)
	}
}

// hold keeps all writers from writing links, which is the last that an indexing
// transaction does, and what a deletion does behind its locks.
func (f *fixture) hold(t *testing.T) (release func()) {
	t.Helper()
	tx, err := f.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "LOCK TABLE document_links IN SHARE MODE"); err != nil {
		t.Fatal(err)
	}
	release = sync.OnceFunc(func() {
		if err := tx.Rollback(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(release) // otherwise the deletion would wait for ever
	return release
}

// Locks are those of the whole cluster, on which other tests run.
const (
	ownLocks      = `SELECT (count(*) > 0)::text FROM pg_locks WHERE database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND NOT granted`
	aWriterHangs  = ownLocks + ` AND locktype = 'relation' AND relation = 'document_links'::regclass`
	oneMoreQueues = ownLocks + ` AND locktype = 'advisory'`
)

func TestDelete_WaitsForAnotherServersTransaction(t *testing.T) {
	t.Parallel()
	f := setup(t)
	other, _ := f.server(t)
	release := f.hold(t)
	indexed := make(chan error, 1)
	go func() {
		_, err := other.Indexer(f.Tenant, catalog.Compounding, ragtest.AnyDocument{}).Index(t.Context(), twoDocuments())
		indexed <- err
	}()
	f.until(t, aWriterHangs)
	type result struct {
		contents index.Contents
		err      error
	}
	deleted := make(chan result, 1)
	go func() {
		contents, err := f.Index.Delete(t.Context(), wholeProject(f))
		deleted <- result{contents, err}
	}()
	f.until(t, oneMoreQueues)
	release()
	if err := <-indexed; err != nil {
		t.Errorf("index: %v", err)
	}
	got := <-deleted
	if diff := cmp.Diff(index.Contents{Documents: 2, Chunks: 3}, got.contents); got.err != nil || diff != "" {
		t.Errorf("deleted: %v (-want +got):\n%s", got.err, diff)
	}
	if diff := cmp.Diff([]string{}, f.Rows(t, snapshot)); diff != "" {
		t.Errorf("left behind (-want +got):\n%s", diff)
	}
}

func TestDelete_AnotherServersTransactionWaitsForIt(t *testing.T) {
	t.Parallel()
	f := setup(t)
	other, _ := f.server(t)
	f.Add(t, f.Tenant, twoDocuments()...)
	release := f.hold(t)
	deleted := make(chan error, 1)
	go func() {
		_, err := f.Index.Delete(t.Context(), wholeProject(f))
		deleted <- err
	}()
	f.until(t, aWriterHangs)
	indexed := make(chan error, 1)
	go func() {
		_, err := other.Indexer(f.Tenant, catalog.Compounding, ragtest.AnyDocument{}).Index(t.Context(), twoDocuments())
		indexed <- err
	}()
	f.until(t, oneMoreQueues)
	release()
	if err := <-deleted; err != nil {
		t.Errorf("delete: %v", err)
	}
	if err := <-indexed; !errors.Is(err, db.ErrTenantGone) {
		t.Errorf("index: %v, want to be told to activate again", err)
	}
	if diff := cmp.Diff([]string{}, f.Rows(t, snapshot)); diff != "" {
		t.Errorf("left behind (-want +got):\n%s", diff)
	}
}

// together runs the calls at once, each after a random moment, and returns their
// errors in order.
func together(random *rand.Rand, calls ...func() error) []error {
	errs := make([]error, len(calls))
	start := make(chan struct{})
	var running sync.WaitGroup
	for i, call := range calls {
		pause := time.Duration(random.IntN(4000)) * time.Microsecond
		running.Go(func() {
			<-start
			time.Sleep(pause) // the random moment
			errs[i] = call()
		})
	}
	close(start)
	running.Wait()
	return errs
}

// Everybody who writes to a tenant at once: nothing deadlocks, nothing is half
// there, and who comes too late is told so.
func TestDelete_AmongAllOtherWriters(t *testing.T) {
	t.Parallel()
	f := setup(t)
	random := rand.New(rand.NewPCG(1, 2))
	first, stopFirst := f.server(t)
	second, stopSecond := f.server(t)
	key := catalog.TenantKey{Project: "busy", Branch: "main", PathHash: "0"}
	other := catalog.TenantKey{Project: "busy", Branch: "other", PathHash: "0"}
	files := twoDocuments()
	backwards := []document.File{files[1], file("docs/a.md", section("One", "apples"), section("Three", "quinces"))}
	register := func(ctx context.Context, x *index.Index, key catalog.TenantKey) *catalog.Tenant {
		tenant, err := x.Tenant(ctx, key, "/repo")
		if err != nil {
			t.Fatal(err)
		}
		return tenant
	}
	gone := 0
	for range 40 {
		here, there := register(t.Context(), first, key), register(t.Context(), first, other)
		x, y := indexer(first, here, catalog.Compounding), indexer(second, here, catalog.Compounding)
		selection := index.Selection{Project: key.Project}
		if random.IntN(2) == 0 {
			selection.Branch = &key.Branch
		}
		errs := together(random,
			func() error { _, err := x.Index(t.Context(), files); return err },
			func() error { _, err := y.Index(t.Context(), backwards); return err },
			func() error {
				_, err := indexer(second, there, catalog.Compounding).Index(t.Context(), files)
				return err
			},
			func() error { return y.Remove(t.Context(), []string{"docs/b.md", "docs/a.md"}) },
			func() error { _, err := second.Delete(t.Context(), selection); return err },
			func() error { _, err := first.Tenant(t.Context(), key, "/repo"); return err },
		)
		for i, err := range errs {
			if errors.Is(err, db.ErrTenantGone) {
				gone++
			} else if err != nil {
				t.Errorf("call %d: %v", i, err)
			}
		}
	}
	t.Logf("%d calls were told that the tenant is gone", gone)
	if gone == 0 {
		t.Error("no deletion came before another call: the test shows nothing")
	}
	f.checkWhole(t)
	f.checkNoDeadlocks(t, stopFirst, stopSecond)
}

func TestDelete_LastTwoTenantsAtOnce(t *testing.T) {
	t.Parallel()
	f := setup(t)
	random := rand.New(rand.NewPCG(3, 4))
	first, stopFirst := f.server(t)
	second, stopSecond := f.server(t)
	for range 20 {
		f.Add(t, f.Branch(t, "one"), twoDocuments()...)
		f.Add(t, f.Branch(t, "two"), twoDocuments()[0])
		if _, err := f.Index.Delete(t.Context(), index.Selection{Project: "test-project", Branch: &f.Tenant.Key.Branch}); err != nil {
			t.Fatal(err)
		}
		one, two := "one", "two"
		var deleted [2]index.Contents
		errs := together(random,
			func() (err error) {
				deleted[0], err = first.Delete(t.Context(), index.Selection{Project: "test-project", Branch: &one})
				return err
			},
			func() (err error) {
				deleted[1], err = second.Delete(t.Context(), index.Selection{Project: "test-project", Branch: &two})
				return err
			})
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([2]index.Contents{{Documents: 2, Chunks: 3}, {Documents: 1, Chunks: 3}}, deleted); diff != "" {
			t.Fatalf("deleted (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{}, f.Rows(t, snapshot)); diff != "" {
			t.Fatalf("left behind (-want +got):\n%s", diff)
		}
	}
	f.checkNoDeadlocks(t, stopFirst, stopSecond)
}

// A tenant that is registered while its project's last one is deleted is there
// afterwards.
func TestTenant_WhileTheProjectsLastIsDeleted(t *testing.T) {
	t.Parallel()
	f := setup(t)
	random := rand.New(rand.NewPCG(5, 6))
	first, stopFirst := f.server(t)
	second, stopSecond := f.server(t)
	branches := []string{"main", "next"}
	for i := range 50 {
		old, fresh := branches[i%2], branches[(i+1)%2]
		var tenant *catalog.Tenant
		errs := together(random,
			func() error {
				_, err := first.Delete(t.Context(), index.Selection{Project: "test-project", Branch: &old})
				return err
			},
			func() (err error) {
				key := catalog.TenantKey{Project: "test-project", Branch: fresh, PathHash: "0123456789abcdef"}
				tenant, err = second.Tenant(t.Context(), key, "/repo")
				return err
			})
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		if _, err := indexer(second, tenant, catalog.Compounding).Index(t.Context(), twoDocuments()); err != nil {
			t.Fatalf("index what was registered in round %d: %v", i, err)
		}
		got := f.Rows(t, `SELECT concat_ws(' ', branch_name, count(d.id)) FROM tenants t LEFT JOIN documents d ON d.tenant_id = t.id GROUP BY branch_name`)
		if diff := cmp.Diff([]string{fresh + " 2"}, got); diff != "" {
			t.Fatalf("round %d (-want +got):\n%s", i, diff)
		}
	}
	f.checkNoDeadlocks(t, stopFirst, stopSecond)
}
