package watch

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// taken is one answer of a queue.
type taken struct {
	Paths  []string
	Rescan bool
	Wait   time.Duration
}

func take(q *queue) taken {
	paths, rescan, wait := q.take()
	slices.Sort(paths)
	return taken{paths, rescan, wait}
}

func expect(t *testing.T, q *queue, want taken) {
	t.Helper()
	if diff := cmp.Diff(want, take(q)); diff != "" {
		t.Errorf("take (-want +got):\n%s", diff)
	}
}

const (
	nothing = time.Duration(-1)
	ms      = time.Millisecond
)

func TestQueue_WaitsUntilAPathIsQuiet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(500*ms, 5*time.Second)
		expect(t, q, taken{Wait: nothing})
		q.add("a")
		time.Sleep(300 * ms)
		q.add("a")
		q.add("b")
		time.Sleep(300 * ms)
		expect(t, q, taken{Wait: 200 * ms})
		q.add("b")
		time.Sleep(200 * ms)
		expect(t, q, taken{Wait: 300 * ms}) // for b
		time.Sleep(300 * ms)
		expect(t, q, taken{Paths: []string{"a", "b"}, Wait: nothing})
		expect(t, q, taken{Wait: nothing})
	})
}

func TestQueue_APathWaitsForOthersOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(500*ms, 5*time.Second)
		q.add("a")
		for range 9 {
			time.Sleep(100 * ms)
			q.add("log")
			if got := take(q); got.Paths != nil {
				t.Fatalf("%v is taken before the others are quiet", got.Paths)
			}
		}
		time.Sleep(100 * ms)
		q.add("log")
		expect(t, q, taken{Paths: []string{"a"}, Wait: 500 * ms})
	})
}

func TestQueue_PutsOffForALimitedTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(500*ms, 2*time.Second)
		began := time.Now()
		for q.add("log"); ; q.add("log") {
			if got := take(q); got.Paths != nil {
				break
			}
			time.Sleep(100 * ms)
		}
		if waited := time.Since(began); waited != 2*time.Second {
			t.Errorf("a path that never is quiet waited %v, want 2s", waited)
		}
	})
}

func TestQueue_ABurstBecomesOneWalk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(500*ms, 2*time.Second)
		for i := range maxDirty {
			q.add(fmt.Sprint(i))
		}
		if q.pending() != maxDirty {
			t.Errorf("%d pending, want %d", q.pending(), maxDirty)
		}
		q.add("one more")
		if q.pending() != 1 {
			t.Errorf("%d pending, want the walk alone", q.pending())
		}
		expect(t, q, taken{Wait: 500 * ms})
		time.Sleep(400 * ms)
		q.add("still going on")
		time.Sleep(400 * ms)
		expect(t, q, taken{Wait: 100 * ms})
		time.Sleep(100 * ms)
		expect(t, q, taken{Rescan: true, Wait: nothing})
		// What changes during the walk is looked at after it.
		q.add("during the walk")
		time.Sleep(500 * ms)
		expect(t, q, taken{Paths: []string{"during the walk"}, Wait: nothing})
	})
}

func TestQueue_AWalkIsPutOffForALimitedTimeToo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(500*ms, 2*time.Second)
		began := time.Now()
		for q.addAll(); ; q.addAll() {
			if got := take(q); got.Rescan {
				break
			}
			q.add("file")
			time.Sleep(100 * ms)
		}
		if waited := time.Since(began); waited != 2*time.Second {
			t.Errorf("the walk waited %v, want 2s", waited)
		}
		q.addAll()
		q.addAllNow()
		expect(t, q, taken{Rescan: true, Wait: nothing})
	})
}

func TestQueue_WakesForEveryChange(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*queue){
		"path": func(q *queue) { q.add("a") },
		"walk": (*queue).addAll,
		"now":  (*queue).addAllNow,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newQueue(time.Second, time.Second)
			change(q)
			change(q) // does not block
			select {
			case <-q.wake:
			default:
				t.Error("nobody is woken")
			}
		})
	}
}
