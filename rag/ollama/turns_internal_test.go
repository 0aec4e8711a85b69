package ollama

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// passageTime is the time a laptop takes for a passage.
const passageTime = 100 * time.Millisecond

// startSlow is startInMemory with a server that embeds a text in passageTime.
func startSlow(t *testing.T) (*fakeollama.Server, *Client) {
	t.Helper()
	server, client := startInMemory(t)
	server.SetFaults(fakeollama.Faults{EmbedTime: passageTime})
	return server, client
}

// load embeds batches of passages, by so many callers at once, until the returned
// function is called. That returns the number of batches.
func load(t *testing.T, client *Client, callers, batch int) (stop func() (batches int)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	counts := make([]int, callers)
	for caller := range callers {
		running.Go(func() {
			for ctx.Err() == nil {
				texts := make([]string, batch)
				for i := range texts {
					texts[i] = fmt.Sprintf("passage %d of batch %d of caller %d", i, counts[caller], caller)
				}
				if _, err := client.Embed(ctx, texts); err == nil {
					counts[caller]++
				} else if ctx.Err() == nil {
					t.Error(err)
					return
				}
			}
		})
	}
	return func() int {
		cancel()
		running.Wait()
		total := 0
		for _, count := range counts {
			total += count
		}
		return total
	}
}

func TestTurns_QueryWaitsForOneBatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const batch, callers = 5, 4
		_, client := startSlow(t)
		stop := load(t, client, callers, batch)
		longest := time.Duration(0)
		for i := range 8 {
			time.Sleep(time.Second + time.Duration(i)*37*time.Millisecond)
			began := time.Now()
			if _, err := client.EmbedQuery(t.Context(), fmt.Sprintf("query %d", i)); err != nil {
				t.Fatal(err)
			}
			longest = max(longest, time.Since(began))
		}
		took := time.Duration(stop()) * batch * passageTime
		if most := (batch + 1) * passageTime; longest > most || longest <= passageTime {
			t.Errorf("a query took up to %v, want %v at most: the batch under way and itself", longest, most)
		}
		if least := 6 * time.Second; took < least {
			t.Errorf("%v of batches were embedded in the 9 s between the queries, want %v", took, least)
		}
	})
}

// A batch that is due while queries wait is sent once the last of them has its answer.
// The last is a call of Warm here.
func TestTurns_PassagesWaitForAllQueries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, client := startSlow(t)
		var calls sync.WaitGroup
		for _, query := range []string{"first", "second"} {
			calls.Go(func() {
				if _, err := client.EmbedQuery(t.Context(), query); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		calls.Go(func() {
			if err := client.Warm(t.Context()); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		calls.Go(func() {
			if _, err := client.Embed(t.Context(), []string{"a passage"}); err != nil {
				t.Error(err)
			}
		})
		time.Sleep(3*passageTime - time.Millisecond)
		synctest.Wait()
		if slices.Contains(server.Texts(), "a passage") {
			t.Error("the passage was sent while a query waited")
		}
		calls.Wait()
		if texts := server.Texts(); len(texts) != 3 || texts[2] != "a passage" {
			t.Errorf("got texts %q, want the passage at the end", texts)
		}
	})
}

func TestTurns_CachedQueryDoesNotCount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, client := startSlow(t)
		if _, err := client.EmbedQuery(t.Context(), "again"); err != nil {
			t.Fatal(err)
		}
		stop := load(t, client, 1, 5)
		time.Sleep(passageTime)
		began := time.Now()
		for range 100 {
			if _, err := client.EmbedQuery(t.Context(), "again"); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("100 cached queries took %v, want none to wait", took)
		}
		time.Sleep(20 * passageTime)
		if batches := stop(); batches < 4 {
			t.Errorf("got %d batches in 2.1 s, want 4: nothing held them up", batches)
		}
	})
}

// A cancelled request lets the next one run.
func TestTurns_CancelledCallsLeave(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, client := startSlow(t)
		queryCtx, cancelQuery := context.WithCancel(t.Context())
		passageCtx, cancelPassage := context.WithCancel(t.Context())
		results := map[string]error{}
		var mu sync.Mutex
		note := func(name string, err error) {
			mu.Lock()
			defer mu.Unlock()
			results[name] = err
		}
		var calls sync.WaitGroup
		calls.Go(func() {
			_, err := client.EmbedQuery(queryCtx, "a query")
			note("query", err)
		})
		synctest.Wait()
		for name, ctx := range map[string]context.Context{"in turn": passageCtx, "in line": passageCtx, "patient": t.Context()} {
			calls.Go(func() {
				_, err := client.Embed(ctx, []string{name})
				note(name, err)
			})
			synctest.Wait()
		}
		cancelPassage()
		synctest.Wait()
		cancelQuery()
		calls.Wait()

		got := map[string]bool{}
		for name, err := range results {
			got[name] = errors.Is(err, context.Canceled)
		}
		want := map[string]bool{"query": true, "in turn": true, "in line": true, "patient": false}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("cancelled (-want +got):\n%s%v", diff, results)
		}
		if texts := server.Texts(); len(texts) != 2 || texts[1] != "patient" {
			t.Errorf("got texts %q, want the query and the passage whose caller stayed", texts)
		}
	})
}
