package index_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

// whileEmbedding calls remove while another server has asked for the vectors of the tenant's passages.
func (f *fixture) whileEmbedding(t *testing.T, remove func()) {
	t.Helper()
	other, _ := f.server(t)
	asked, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	f.Fake.Observe(func(r *http.Request) {
		if r.URL.Path == "/api/embed" {
			once.Do(func() { close(asked) })
			<-release
		}
	})
	drained := make(chan error, 1)
	go func() { drained <- other.Queue(f.Tenant, catalog.Compounding).Drain(t.Context(), nil) }()
	<-asked
	remove()
	close(release)
	if err := <-drained; err != nil {
		t.Errorf("embed: %v", err)
	}
	if got := f.Rows(t, "SELECT hash::text FROM embeddings"); len(got) > 0 {
		t.Errorf("%d vectors of passages that are gone", len(got))
	}
	f.checkWhole(t)
}

// A passage that goes while it is being embedded leaves no vector behind.
func TestDelete_WhileAnotherServerEmbeds(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.AddText(t, f.Tenant, twoDocuments()...)
	f.whileEmbedding(t, func() {
		contents, err := f.Index.Delete(t.Context(), wholeProject(f))
		if diff := cmp.Diff(index.Contents{Documents: 2, Chunks: 3}, contents); err != nil || diff != "" {
			t.Errorf("deleted: %v (-want +got):\n%s", err, diff)
		}
	})
}

func TestCleanup_WhileAnotherServerEmbeds(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.AddText(t, f.Tenant, own("plums"))
	f.whileEmbedding(t, func() {
		if err := indexer(f.Index, f.Tenant, catalog.Compounding).Remove(t.Context(), []string{"docs/own.md"}); err != nil {
			t.Error(err)
		}
		cleaned := f.cleanup(t, index.CleanupOptions{Judge: everythingIsAlive})
		want := index.CleanupResult{Projects: []index.CleanedProject{{Name: "test-project", Passages: 2}}}
		if diff := cmp.Diff(want, cleaned); diff != "" {
			t.Errorf("cleanup (-want +got):\n%s", diff)
		}
	})
}

// inOrder runs both calls at once so that the first holds its locks when the second asks for them: nobody may
// write links, which is the last that an indexing transaction does, and what a deletion does behind its locks.
func (f *fixture) inOrder(t *testing.T, first, second func() error) (firstErr, secondErr error) {
	t.Helper()
	tx, err := f.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	release := sync.OnceFunc(func() {
		if err := tx.Rollback(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	defer release() // otherwise the calls would wait for ever
	if _, err := tx.Exec(t.Context(), "LOCK TABLE document_links IN SHARE MODE"); err != nil {
		t.Fatal(err)
	}
	errs := [2]chan error{make(chan error, 1), make(chan error, 1)}
	go func() { errs[0] <- first() }()
	f.until(t, aWriterHangs)
	go func() { errs[1] <- second() }()
	f.until(t, oneMoreQueues)
	release()
	return <-errs[0], <-errs[1]
}

// Locks are those of the whole cluster, on which other tests run.
const (
	ownLocks      = `SELECT (count(*) > 0)::text FROM pg_locks WHERE database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND NOT granted`
	aWriterHangs  = ownLocks + ` AND locktype = 'relation' AND relation = 'document_links'::regclass`
	oneMoreQueues = ownLocks + ` AND locktype = 'advisory'`
)

// Whichever comes first, a deletion or another server's transaction, the other waits for it.
func TestDelete_BesideAnotherServersTransaction(t *testing.T) {
	t.Parallel()
	f := setup(t)
	other, _ := f.server(t)
	var deleted index.Contents
	remove := func() error {
		var err error
		deleted, err = f.Index.Delete(t.Context(), wholeProject(f))
		return err
	}
	write := func() error {
		_, err := indexer(other, f.Tenant, catalog.Compounding).Index(t.Context(), twoDocuments())
		return err
	}
	check := func(indexErr, wantErr, deleteErr error) {
		t.Helper()
		if !errors.Is(indexErr, wantErr) || deleteErr != nil {
			t.Errorf("index: %v, want %v; delete: %v", indexErr, wantErr, deleteErr)
		}
		if diff := cmp.Diff(index.Contents{Documents: 2, Chunks: 3}, deleted); diff != "" {
			t.Errorf("deleted (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{}, f.Rows(t, contents)); diff != "" {
			t.Errorf("left behind (-want +got):\n%s", diff)
		}
	}
	indexErr, deleteErr := f.inOrder(t, write, remove)
	check(indexErr, nil, deleteErr)
	f.Tenant = f.Branch(t, "main")
	f.Add(t, f.Tenant, twoDocuments()...)
	deleteErr, indexErr = f.inOrder(t, remove, write)
	check(indexErr, db.ErrTenantGone, deleteErr)
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
			func() error {
				_, err := first.Delete(t.Context(), index.Selection{Project: key.Project, Branch: &other.Branch})
				return err
			},
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
