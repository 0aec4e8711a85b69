package index_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// A deletion holds until a server activates the checkout, and a server that had it
// before hears of it, whether its row stays for its external docs or goes.
func TestLease_FollowsDeletionsAndActivations(t *testing.T) {
	t.Parallel()
	for name, external := range map[string]bool{"nothing is left": false, "external docs are left": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			f.Add(t, f.Tenant, file("docs/a.md", "Apples."))
			want := []string{}
			if external {
				x := f.Index.Indexer(f.Tenant, catalog.External, nil)
				if _, err := x.Index(t.Context(), []document.File{file("manual/b.md", "Pears.")}); err != nil {
					t.Fatal(err)
				}
				want = []string{"manual/b.md"}
			}
			check := func(what string, tenant *catalog.Tenant, want bool) {
				t.Helper()
				_, err := f.Index.Lease(tenant).Look(t.Context())
				if gone := errors.Is(err, db.ErrTenantGone); gone != want || err != nil && !gone {
					t.Errorf("%s: gone is %v (%v), want %v", what, gone, err, want)
				}
			}
			check("before", f.Tenant, false)
			if rejoined, err := f.Index.Rejoin(t.Context(), f.Tenant.Key); err != nil || !rejoined.Same(f.Tenant) {
				t.Errorf("before, a second server gets %+v, %v", rejoined, err)
			}
			deleted, err := f.Index.Delete(t.Context(), index.Selection{Project: f.Tenant.Key.Project})
			if err != nil || deleted.Documents != 1 {
				t.Fatalf("deleted %+v, %v, want the one document that is the project's own", deleted, err)
			}
			if diff := cmp.Diff(want, f.Rows(t, `SELECT relative_path FROM documents`)); diff != "" {
				t.Errorf("documents (-want +got):\n%s", diff)
			}
			check("deleted", f.Tenant, true)
			if _, err := f.Index.Rejoin(t.Context(), f.Tenant.Key); !errors.Is(err, db.ErrTenantGone) {
				t.Errorf("deleted, a second server gets %v, want ErrTenantGone", err)
			}
			again := f.Branch(t, "main")
			check("activated again, for the first", f.Tenant, true)
			check("activated again, for the second", again, false)
			checkGone(t, f, f.Tenant)
			f.Add(t, again, file("docs/a.md", "Apples."))
		})
	}
}

// A checkout whose project is known is registered, and its text embedded by a known model,
// without writing to what projects share: where tables are distributed, that needs every
// node.
func TestTenant_WritesOnlyWhatIsNew(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, file("docs/a.md", "Apples."))
	tx, err := f.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context()) //nolint:errcheck // it has only locked
	if _, err := tx.Exec(t.Context(), "LOCK TABLE projects, embedding_models IN SHARE MODE"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	tenant, err := f.Index.Tenant(ctx, f.Tenant.Key, "/repo")
	if err != nil {
		t.Fatal("a known checkout waits for the table of projects: ", err)
	}
	if !tenant.Same(f.Tenant) {
		t.Errorf("the tenant is %+v, want %+v", tenant, f.Tenant)
	}
	key := f.Tenant.Key
	key.Branch = "next"
	if tenant, err = f.Index.Tenant(ctx, key, "/repo"); err != nil {
		t.Fatal("a new branch waits for the table of projects: ", err)
	}
	f.AddText(t, tenant, file("docs/b.md", "Pears."))
	if err := f.Index.Queue(tenant, catalog.Compounding).Drain(ctx, nil); err != nil {
		t.Error("a new branch waits for the table of models: ", err)
	}
}

// A database that is only read, as a standby is, serves the checkouts that it has.
func TestTenant_OfADatabaseThatIsOnlyRead(t *testing.T) {
	t.Parallel()
	f := setup(t)
	separator := "?"
	if strings.Contains(f.Pool.Config().ConnString(), "?") {
		separator = "&"
	}
	standby := db.NewDatabase(testenv.Source(f.Pool.Config().ConnString()+separator+"default_transaction_read_only=on"), slog.New(slog.DiscardHandler))
	t.Cleanup(standby.Close)
	x := f.NewIndex(standby, f.Models)
	tenant, err := x.Tenant(t.Context(), f.Tenant.Key, "/repo")
	if err != nil || !tenant.Same(f.Tenant) || !tenant.ReadOnly {
		t.Errorf("registering gives %+v and %v, want %+v to read", tenant, err, f.Tenant)
	}
	if again, err := x.Rejoin(t.Context(), f.Tenant.Key); err != nil || !again.ReadOnly {
		t.Errorf("joining again gives %+v and %v, want the tenant to read", again, err)
	}
	key := f.Tenant.Key
	key.Branch = "unknown"
	if _, err := x.Tenant(t.Context(), key, "/repo"); !db.IsDenied(err) {
		t.Errorf("an unknown branch gives %v, want to be denied", err)
	}
}
