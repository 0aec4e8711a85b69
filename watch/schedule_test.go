package watch

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// taken is one answer of a schedule.
type taken struct {
	Due, Whole bool
	Wait       time.Duration
}

func take(q *schedule) taken {
	due, whole, wait := q.take()
	return taken{due, whole, wait}
}

func expect(t *testing.T, q *schedule, want taken) {
	t.Helper()
	if diff := cmp.Diff(want, take(q)); diff != "" {
		t.Errorf("take (-want +got):\n%s", diff)
	}
}

const (
	nothing = forever
	ms      = time.Millisecond
)

func TestSchedule_WaitsUntilTheFolderIsQuiet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newSchedule(500*ms, 5*time.Second)
		expect(t, q, taken{Wait: nothing})
		q.add(false)
		time.Sleep(300 * ms)
		q.add(false)
		expect(t, q, taken{Wait: 500 * ms})
		time.Sleep(500 * ms)
		expect(t, q, taken{Due: true})
		q.add(false) // during the walk
		if q.pending() != 2 {
			t.Errorf("%d pending, want what is worked on and what came since", q.pending())
		}
		q.done(true)
		expect(t, q, taken{Wait: 500 * ms})
		q.add(true)
		time.Sleep(500 * ms)
		expect(t, q, taken{Due: true, Whole: true})
		q.done(true)
		expect(t, q, taken{Wait: nothing})
		if q.pending() != 0 {
			t.Errorf("%d pending, want none", q.pending())
		}
	})
}

func TestSchedule_PutsOffForALimitedTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newSchedule(500*ms, 2*time.Second)
		began := time.Now()
		for q.add(false); !take(q).Due; q.add(false) {
			time.Sleep(100 * ms)
		}
		if waited := time.Since(began); waited != 2*time.Second {
			t.Errorf("a folder that never is quiet waited %v, want 2s", waited)
		}
		q.add(true)
		q.addNow()
		q.add(false)
		expect(t, q, taken{Due: true, Whole: true})
	})
}

func TestSchedule_AfterAFailureTheWholeIsTakenAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newSchedule(500*ms, 2*time.Second)
		q.add(false)
		time.Sleep(500 * ms)
		expect(t, q, taken{Due: true})
		q.done(false)
		expect(t, q, taken{Due: true, Whole: true})
	})
}

// Many searches that find one file to be gone put off its removal no longer than one.
func TestSchedule_ManyWhoAskPutNothingOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newSchedule(500*ms, 5*time.Second)
		q.add(false)
		for range 4 {
			time.Sleep(100 * ms)
			q.addWhole()
		}
		expect(t, q, taken{Wait: 100 * ms})
		time.Sleep(100 * ms)
		expect(t, q, taken{Due: true, Whole: true})
	})
}
