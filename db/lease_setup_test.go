package db_test

import (
	"context"
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
	l := &leaders{databaseURL: testenv.IndexURL(t)}
	l.tenant = l.branch(t, "main")
	return l
}

// branch registers a tenant.
func (l *leaders) branch(t *testing.T, name string) *db.Tenant {
	t.Helper()
	tenant := &db.Tenant{}
	err := openDatabase(t, l.databaseURL).Write(t.Context(), "register", func(q *db.Queries) (err error) {
		if tenant.ProjectID, err = q.ProjectUpsert(t.Context(), db.ProjectUpsertParams{Name: "project"}); err != nil {
			return err
		}
		row, err := q.TenantUpsert(t.Context(), db.TenantUpsertParams{ProjectID: tenant.ProjectID, BranchName: name})
		tenant.ID, tenant.Generation = row.ID, row.Generation
		return err
	})
	must(t, err)
	return tenant
}

// exec runs a statement over a connection that stays open, and returns that.
func (l *leaders) exec(t *testing.T, sql string, args ...any) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), l.databaseURL)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) }) // it may have been ended
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
	return conn
}

// elsewhere is a server on another machine.
const elsewhere = "4711@laptop another-machine 42 XYZ"

// held gives the lease to a server that does not renew it.
func (l *leaders) held(t *testing.T, holder string, left time.Duration) {
	t.Helper()
	l.exec(t, `UPDATE tenants SET holder = $1, epoch = epoch + 1, lease_until = now() + make_interval(secs => $2)`,
		holder, left.Seconds())
}

// mustNotWrite fails the test if a server that led before can write, which may not know.
func (l *leaders) mustNotWrite(ctx context.Context, t *testing.T, s *leader) {
	t.Helper()
	err := l.write(context.WithoutCancel(ctx), s)
	if err == nil || !strings.Contains(err.Error(), "another server has become the indexer") {
		t.Errorf("a write by a former leader: %v, want to hear of the other", err)
	}
}

// leader is a server that leads, or tries to, until the test ends.
type leader struct {
	database *db.Database
	// leads has the context of each time that it leads; reasons has every reason
	// for which it does not, nil among them.
	leads   chan context.Context
	reasons chan error
	stop    func()
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
		s.follow(ctx, db.NewLease(s.database, l.tenant))
	}()
	s.stop = func() {
		cancel()
		<-ended
	}
	t.Cleanup(s.stop)
	return s
}

// follow looks at the lease every second until ctx ends, as a server does.
func (s *leader) follow(ctx context.Context, lease *db.Lease) {
	end := func() {}
	for led := false; ctx.Err() == nil; led = lease.Held() {
		_, reason := lease.Look(ctx)
		switch {
		case lease.Held() && !led:
			leading, cancel := context.WithCancel(lease.Context(ctx))
			end = cancel
			s.leads <- leading
		case !lease.Held() && ctx.Err() == nil:
			end()
			s.reasons <- reason
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	end()
	lease.GiveUp(ctx)
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
