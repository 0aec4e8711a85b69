package db_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// A server that is suspended in the middle of a transaction, or was killed on another
// machine, is named, and replaced when its lease ends, not before.
func TestLease_ReplacesAHolderThatIsSilent(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "a circuit breaker or a lease has to end")
	l := newLeaders(t)
	l.held(t, elsewhere, 15*time.Second)
	l.exec(t, `SET idle_in_transaction_session_timeout = '10s'; BEGIN; UPDATE tenants SET version = version`)
	next := l.start(t)
	for {
		reason := receive(t, "the silent server is named", next.reasons)
		if len(next.leads) > 0 {
			t.Fatal("another server leads before the lease has ended")
		}
		if stalled, ok := errors.AsType[*db.StalledError](reason); ok {
			if message := stalled.Error(); !strings.Contains(message, "process 4711 on laptop, has not responded since 20") {
				t.Errorf("the reason %q must name the process and when it responded last", message)
			}
			break
		}
	}
	leading := receive(t, "another server leads", next.leads)
	if err := l.write(leading, next); err != nil {
		t.Errorf("the new leader cannot write: %v", err)
	}
}

// A database whose clock is set back or forward has one leader at a time all the same.
func TestLease_ClockJumps(t *testing.T) {
	t.Parallel()
	l := newLeaders(t)
	l.held(t, elsewhere, time.Hour) // as it looks when the clock was set back
	first := l.start(t)
	leading := receive(t, "a server leads whose lease ends in time", first.leads)
	second := l.start(t)
	for range 10 { // as it looks when the clock is set forward; the first may be quicker
		l.exec(t, `UPDATE tenants SET lease_until = lease_until - interval '1 hour'`)
		select {
		case <-second.leads:
			l.mustNotWrite(leading, t, first)
			receive(t, "the first server hears that it has lost the lease", leading.Done())
			return
		case <-time.After(2 * time.Second):
		}
	}
	t.Error("the lease of the first server has ended ten times, and the second does not lead")
}

// Many servers wake up at once and find a lease that has ended: one leads, and the old leader
// cannot write.
func TestLease_ManyWakeAtOnce(t *testing.T) {
	t.Parallel()
	l := newLeaders(t)
	servers := make([]*leader, 6)
	for i := range servers {
		servers[i] = l.start(t)
	}
	type led struct {
		by      *leader
		leading context.Context //nolint:containedctx // of what it did
	}
	var before []led
	for range 3 {
		var now *led
		for deadline := time.Now().Add(time.Minute); now == nil && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			for _, s := range servers {
				select {
				case leading := <-s.leads:
					if now != nil {
						t.Error("two servers lead")
					}
					now = &led{s, leading}
				default:
				}
			}
		}
		if now == nil {
			t.Fatal("no server leads")
		}
		if err := l.write(now.leading, now.by); err != nil {
			t.Errorf("the leader cannot write: %v", err)
		}
		for _, former := range before {
			l.mustNotWrite(former.leading, t, former.by)
		}
		before = append(before, *now)
		l.held(t, elsewhere, -time.Second)
	}
}

// A leading server goes on leading when its lease ends during a long write: its renewal comes next.
// On a very slow machine the other server may be faster: then the first one cannot write.
func TestLease_SlowServerKeepsItsPlace(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "a circuit breaker or a lease has to end")
	l := newLeaders(t)
	first := l.start(t)
	leading := receive(t, "the first server leads", first.leads)
	writer := l.exec(t, `BEGIN; UPDATE tenants SET version = version`)
	second := l.start(t)
	for ended := false; !ended; {
		select {
		case reason := <-second.reasons: // until it waits for the row
			t.Log("the second server waits: ", reason)
		case <-time.After(time.Second):
		}
		must(t, writer.QueryRow(t.Context(), "SELECT lease_until < clock_timestamp() - interval '2 s' FROM tenants").Scan(&ended))
	}
	if _, err := writer.Exec(t.Context(), "COMMIT"); err != nil {
		t.Fatal(err)
	}
	for looked := 0; looked < 3; {
		select {
		case reason := <-second.reasons:
			t.Log("the second server waits: ", reason)
			looked++
		case <-second.leads: // it was faster
			l.mustNotWrite(leading, t, first)
			return
		case <-time.After(time.Minute):
			t.Fatal("the second server neither leads nor looks again")
		}
	}
	if err := l.write(leading, first); err != nil {
		t.Errorf("the leader cannot write: %v", err)
	}
}

// A server that has lost the lease hears of it, and cannot write what it prepared before,
// even if it does not hear.
func TestLease_FormerHolderCannotWrite(t *testing.T) {
	t.Parallel()
	l := newLeaders(t)
	first := l.start(t)
	leading := receive(t, "the first server leads", first.leads)
	if err := l.write(leading, first); err != nil {
		t.Fatalf("the leader cannot write: %v", err)
	}
	l.held(t, elsewhere, time.Minute)
	l.mustNotWrite(leading, t, first)
	receive(t, "the first server hears that it has lost the lease", leading.Done())
	if err := l.write(t.Context(), first); err != nil {
		t.Errorf("a write that need not be the indexer's: %v", err)
	}
}

// A lease that is given up is free at once.
func TestLease_GivenUp(t *testing.T) {
	t.Parallel()
	l := newLeaders(t)
	for range 5 {
		s := l.start(t)
		receive(t, "the next server leads", s.leads)
		s.stop()
		var free bool
		if err := l.exec(t, "SELECT").QueryRow(t.Context(), "SELECT holder IS NULL AND lease_until IS NULL FROM tenants").Scan(&free); err != nil || !free {
			t.Fatalf("the lease is not free once its holder has stopped: %v", err)
		}
	}
}

// A server whose connection was lost leads again, and compares everything again: the database may
// have forgotten writes.
func TestLease_AfterALostConnection(t *testing.T) {
	t.Parallel()
	cluster := testenv.StartCluster(t)
	l := &leaders{databaseURL: cluster.URL()}
	l.tenant = l.branch(t, "main")
	s := l.start(t)
	leading := receive(t, "the server leads", s.leads)
	cluster.Stop()
	receive(t, "the server hears that the connection is lost", leading.Done())
	if reason := receive(t, "the server says why it does not lead", s.reasons); !db.IsKind(reason, db.KindTransient) {
		t.Errorf("the server waits because of %v, want a transient error", reason)
	}
	cluster.Start()
	if err := l.write(receive(t, "the server leads again", s.leads), s); err != nil {
		t.Error(err)
	}
}

// Nobody can write a lease without an end, or with an infinite one: it would never end. Without the
// constraints, another server still takes it.
func TestLease_WithoutAnEnd(t *testing.T) {
	t.Parallel()
	for name, until := range map[string]*string{"none": nil, "never": new("infinity"), "always": new("-infinity")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLeaders(t)
			conn := l.exec(t, "SELECT")
			const hold = `UPDATE tenants SET holder = $1, lease_until = $2::text::timestamptz`
			if _, err := conn.Exec(t.Context(), hold, elsewhere, until); err == nil {
				t.Fatal("the database accepts the lease")
			}
			if _, err := conn.Exec(t.Context(), `ALTER TABLE tenants DROP CONSTRAINT tenants_check, DROP CONSTRAINT tenants_lease_until_check`); err != nil {
				t.Fatal(err)
			}
			if _, err := conn.Exec(t.Context(), hold, elsewhere, until); err != nil {
				t.Fatal(err)
			}
			receive(t, "another server leads", l.start(t).leads)
		})
	}
}
