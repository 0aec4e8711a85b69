package index_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/test/ragtest"
)

// secondServer is the index of another process on the same database.
func secondServer(t *testing.T, f *fixture) *index.Index {
	t.Helper()
	return f.NewIndex(f.SecondDatabase(t), f.Models)
}

// leader is a server that leads, or tries to, until the test ends.
type leader struct {
	// leads has the context of each time that it leads; reasons has every reason
	// for which it does not, nil among them.
	leads   chan context.Context
	reasons chan error
}

func lead(t *testing.T, x *index.Index, tenant *rag.Tenant) *leader {
	t.Helper()
	l := &leader{leads: make(chan context.Context, 100), reasons: make(chan error, 1000)}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		x.Lead(ctx, tenant, func(leading context.Context) {
			l.leads <- leading
			<-leading.Done()
		}, func(reason error) {
			l.reasons <- reason
		})
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return l
}

func receive[T any](t *testing.T, what string, from <-chan T) (value T) {
	t.Helper()
	select {
	case value = <-from:
	case <-time.After(time.Minute):
		t.Fatal("not within a minute: ", what)
	}
	return value
}

// idleConnection is a connection of a program that lives, and asks nothing more
// than what is given.
func idleConnection(t *testing.T, f *fixture, program, sql string, args ...any) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(f.Pool.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	config.RuntimeParams["application_name"] = program
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) }) // it may have been ended
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
	return conn
}

// A server that gives no sign of life is named, and then another leads, whatever
// the first was in the middle of.
func TestLead_TakesOverFromASuspendedServer(t *testing.T) {
	t.Parallel()
	f := setup(t)
	const suspended = "compound-docs 4711@laptop ABCDEFGH"
	idleConnection(t, f, suspended, `BEGIN; UPDATE tenants SET version = version`)
	idleConnection(t, f, suspended, `SELECT pg_advisory_lock($1, id) FROM tenants`, db.LockIndexer)
	next := lead(t, secondServer(t, f), f.Tenant)
	var stalled *db.StalledError
	for stalled == nil {
		errors.As(receive(t, "the suspended server is named", next.reasons), &stalled)
	}
	message := stalled.Error()
	if !strings.Contains(message, "process 4711 on laptop, has not responded since 20") || stalled.Err != nil {
		t.Errorf("the reason %q must name the process and when it responded last", message)
	}
	receive(t, "another server leads", next.leads)
}

// Only a server of ours may be evicted: whose connection it is else, a person must say.
func TestLead_EvictsNoOtherProgram(t *testing.T) {
	t.Parallel()
	f := setup(t)
	conn := idleConnection(t, f, "psql", `SELECT pg_advisory_lock($1, id) FROM tenants`, db.LockIndexer)
	next := lead(t, secondServer(t, f), f.Tenant)
	for {
		var stalled *db.StalledError
		reason := receive(t, "somebody is told what to do", next.reasons)
		if errors.As(reason, &stalled) && stalled.Err != nil {
			if !strings.Contains(reason.Error(), "continue it (fg in its terminal) or end it") {
				t.Errorf("the reason %q does not say what to do", reason)
			}
			break
		}
	}
	if err := conn.Ping(t.Context()); err != nil {
		t.Errorf("the other program has lost its connection: %v", err)
	}
}

// A server that leads and does nothing for long, be it slow or waiting, goes on
// leading: its heartbeat depends on nothing that it does.
func TestLead_SlowServerKeepsItsPlace(t *testing.T) {
	t.Parallel()
	f := setup(t)
	first := lead(t, f.Index, f.Tenant)
	leading := receive(t, "the first server leads", first.leads)
	// A write of the leader that takes as long as the test.
	tx, err := f.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	if _, err := tx.Exec(t.Context(), `UPDATE tenants SET version = version`); err != nil {
		t.Fatal(err)
	}
	second := lead(t, secondServer(t, f), f.Tenant)
	for range 12 {
		if reason := receive(t, "the second server looks", second.reasons); reason != nil {
			t.Errorf("the second server waits because of %v", reason)
		}
	}
	if leading.Err() != nil || len(second.leads) > 0 {
		t.Error("the first server has lost its place")
	}
}

// What a server has prepared while it led is not written once another leads, even
// if it does not know of it.
func TestLead_FormerLeaderCannotWrite(t *testing.T) {
	t.Parallel()
	f := setup(t)
	x := f.Index.Indexer(f.Tenant, rag.Compounding, ragtest.AnyDocument{})
	first := lead(t, f.Index, f.Tenant)
	// As if the process slept: it never hears that its lease is lost.
	stale := context.WithoutCancel(receive(t, "the first server leads", first.leads))
	if _, err := x.Index(stale, []document.File{file("docs/a.md", "Apples.")}); err != nil {
		t.Fatalf("the leader cannot write: %v", err)
	}
	want := f.Rows(t, `SELECT relative_path || encode(content_hash, 'hex') FROM documents`)

	second := lead(t, secondServer(t, f), f.Tenant)
	holder, held, err := f.Database.LeaseHolder(t.Context(), db.LockIndexer, tenantID(t, f))
	if err != nil || !held {
		t.Fatalf("nobody holds the lease: %v", err)
	}
	for led := false; !led; { // the first may be the quicker one to take it again
		if err := f.SecondDatabase(t).Evict(t.Context(), holder); err != nil {
			t.Fatal(err)
		}
		select {
		case <-second.leads:
			led = true
		case <-first.leads:
		}
	}
	_, indexErr := x.Index(stale, []document.File{file("docs/a.md", "Pears.")})
	for call, err := range map[string]error{
		"index": indexErr, "remove": x.Remove(stale, []string{"docs/a.md"}),
		"touch": x.Touch(stale, map[string]document.Stamp{"docs/a.md": {}}),
	} {
		if err == nil || !strings.Contains(err.Error(), "another server has become the indexer") {
			t.Errorf("%s by the former leader: %v, want to hear of the other", call, err)
		}
	}
	if diff := cmp.Diff(want, f.Rows(t, `SELECT relative_path || encode(content_hash, 'hex') FROM documents`)); diff != "" {
		t.Errorf("documents after the former leader's writes (-want +got):\n%s", diff)
	}
	// A call of a user is no part of that: it looks at the file itself.
	if _, err := x.Index(t.Context(), []document.File{file("docs/a.md", "Pears.")}); err != nil {
		t.Errorf("a call of a user: %v", err)
	}
}

func tenantID(t *testing.T, f *fixture) (id int32) {
	t.Helper()
	if err := f.Pool.QueryRow(t.Context(), `SELECT id FROM tenants`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}
