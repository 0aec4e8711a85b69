package db_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// leaders are servers on one database, with one tenant that each may lead.
type leaders struct {
	databaseURL string
	tenant      *db.Tenant
}

func newLeaders(t *testing.T) *leaders {
	t.Helper()
	l := &leaders{databaseURL: testenv.DatabaseURL(t), tenant: &db.Tenant{}}
	err := openDatabase(t, l.databaseURL).Write(t.Context(), "register", func(q *db.Queries) (err error) {
		if l.tenant.ProjectID, err = q.ProjectUpsert(t.Context(), db.ProjectUpsertParams{Name: "project"}); err != nil {
			return err
		}
		row, err := q.TenantUpsert(t.Context(), db.TenantUpsertParams{ProjectID: l.tenant.ProjectID, BranchName: "main"})
		l.tenant.ID, l.tenant.Generation = row.ID, row.Generation
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// leader is a server that leads, or tries to, until the test ends.
type leader struct {
	database *db.Database
	// leads has the context of each time that it leads; reasons has every reason
	// for which it does not, nil among them.
	leads   chan context.Context
	reasons chan error
}

func (l *leaders) start(t *testing.T) *leader {
	t.Helper()
	s := &leader{
		database: openDatabase(t, l.databaseURL),
		leads:    make(chan context.Context, 100), reasons: make(chan error, 1000),
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.database.Lead(ctx, l.tenant, func(leading context.Context) {
			s.leads <- leading
			<-leading.Done()
		}, func(reason error) {
			s.reasons <- reason
		})
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return s
}

// write does what every write of an indexer begins with.
func (l *leaders) write(ctx context.Context, s *leader) error {
	return s.database.Write(ctx, "write", func(q *db.Queries) error { return l.tenant.IncrementVersion(ctx, q) })
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
func (l *leaders) idleConnection(t *testing.T, program, sql string, args ...any) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(l.databaseURL)
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
	l := newLeaders(t)
	const suspended = "compound-docs 4711@laptop ABCDEFGH"
	l.idleConnection(t, suspended, `BEGIN; UPDATE tenants SET version = version`)
	l.idleConnection(t, suspended, `SELECT pg_advisory_lock($1, id) FROM tenants`, db.LockIndexer)
	next := l.start(t)
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
	l := newLeaders(t)
	conn := l.idleConnection(t, "psql", `SELECT pg_advisory_lock($1, id) FROM tenants`, db.LockIndexer)
	next := l.start(t)
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
	l := newLeaders(t)
	first := l.start(t)
	leading := receive(t, "the first server leads", first.leads)
	// A write of the leader that takes as long as the test.
	l.idleConnection(t, "writer", `BEGIN; UPDATE tenants SET version = version`)
	second := l.start(t)
	for range 12 {
		if reason := receive(t, "the second server looks", second.reasons); reason != nil {
			t.Errorf("the second server waits because of %v", reason)
		}
	}
	if leading.Err() != nil || len(second.leads) > 0 {
		t.Error("the first server has lost its place")
	}
}

// A server that is evicted while it lives hears of it, and cannot write what it
// prepared before, even if it does not hear.
func TestLead_EvictedServerCannotWrite(t *testing.T) {
	t.Parallel()
	l := newLeaders(t)
	first := l.start(t)
	leading := receive(t, "the first server leads", first.leads)
	if err := l.write(leading, first); err != nil {
		t.Fatalf("the leader cannot write: %v", err)
	}
	second := l.start(t)
	for led := false; !led; { // the first may be the quicker one to take it again
		holder, held, err := second.database.LeaseHolder(t.Context(), db.LockIndexer, l.tenant.ID)
		if err != nil {
			t.Fatal(err)
		}
		if held {
			if err := second.database.Evict(t.Context(), holder); err != nil {
				t.Fatal(err)
			}
		}
		select {
		case <-second.leads:
			led = true
		case <-first.leads:
		}
	}
	receive(t, "the first server hears that it was evicted", leading.Done())
	// As if the process slept: it never hears.
	if err := l.write(context.WithoutCancel(leading), first); err == nil || !strings.Contains(err.Error(), "another server has become the indexer") {
		t.Errorf("a write by the former leader: %v, want to hear of the other", err)
	}
	if err := l.write(t.Context(), first); err != nil {
		t.Errorf("a write that need not be the indexer's: %v", err)
	}
}
