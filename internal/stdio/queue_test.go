package stdio_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/compound-docs/compound-docs/internal/stdio"
)

func ping(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id) }

// A server that has no time to take its messages still learns at once that the
// client is gone, and what was read is delivered for half a second.
func TestQueue_NoticesTheEndBehindMessages(t *testing.T) {
	t.Parallel()
	for _, taken := range []int{0, 3, 400} {
		synctest.Test(t, func(t *testing.T) {
			ended := make(chan struct{})
			c := connect(t, func(transport *stdio.Transport) { transport.OnEnd = func() { close(ended) } })
			const calls = 400
			for i := range calls {
				c.send(t, fmt.Sprintf(`{"jsonrpc":"2.0","method":"%d"}`, i))
			}
			closed := time.Now()
			_ = c.in.Close()
			<-ended
			if took := time.Since(closed); took != 0 {
				t.Errorf("the end of the input is noticed after %s", took)
			}
			for i := range taken {
				if got, want := c.read(t), fmt.Sprintf(`{"jsonrpc":"2.0","method":"%d"}`, i); got != want {
					t.Fatalf("delivered %s, want %s", got, want)
				}
			}
			want := 500 * time.Millisecond
			if taken == calls {
				want = 0
			}
			time.Sleep(want)
			synctest.Wait()
			if _, err := c.conn.Read(t.Context()); err != io.EOF { //nolint:errorlint // the SDK compares it
				t.Errorf("got error %v, want EOF", err)
			}
			if took := time.Since(closed); took != want {
				t.Errorf("after %d messages the session ends after %s, want %s", taken, took, want)
			}
			c.close()
			synctest.Wait()
		})
	}
}

// Calls beyond a hundred unanswered ones wait for an answer. A notification does not
// wait with them: it may cancel one that runs.
func TestQueue_BoundsTheCallsThatRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t)
		const running, calls = 100, 103
		for i := range calls {
			c.send(t, ping(i))
		}
		for i := range running {
			if got := c.read(t); got != ping(i) {
				t.Fatalf("delivered %s, want %s", got, ping(i))
			}
		}
		next := make(chan string, calls)
		go func() {
			for range calls - running + 1 {
				next <- c.read(t)
			}
		}()
		synctest.Wait()
		if len(next) > 0 {
			t.Fatalf("%s is delivered beside %d unanswered calls", <-next, running)
		}
		const notification = `{"jsonrpc":"2.0","method":"notifications/cancelled"}`
		c.send(t, notification)
		if got := <-next; got != notification {
			t.Errorf("delivered %s, want the notification", got)
		}
		for i := running; i < calls; i++ {
			c.answer(t, i-running, `{}`)
			synctest.Wait()
			if len(next) != 1 {
				t.Fatalf("an answer has %d calls delivered, want 1", len(next))
			}
			if got := <-next; got != ping(i) {
				t.Errorf("delivered %s, want %s", got, ping(i))
			}
		}
		c.close()
		synctest.Wait()
	})
}

// A client may send requests faster than they are answered: it is read more slowly then,
// and each of 100,000 has its answer.
func TestQueue_AnswersEveryRequestOfABurst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t)
		const calls = 100_000
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			for i := range calls {
				c.send(t, ping(i))
			}
		}()
		synctest.Wait()
		select {
		case <-sent:
			t.Error("all requests are kept, want a bound")
		default:
		}
		go func() {
			for i := range calls {
				c.read(t)
				if err := c.conn.Write(t.Context(), response(t, i, `{}`)); err != nil {
					t.Error(err)
				}
			}
		}()
		for i := range calls {
			if got, want := c.line(t), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i); got != want {
				t.Fatalf("got %s, want %s", got, want)
			}
		}
		c.close()
		synctest.Wait()
	})
}

// A client that goes on sending and lets nothing be answered is told why the session ends.
func TestQueue_EndsASessionThatStalls(t *testing.T) {
	t.Parallel()
	large := `{"jsonrpc":"2.0","method":"` + strings.Repeat("x", stdio.MaxLine-1000) + `"}`
	for name, lines := range map[string][]string{
		"messages that are not taken": {large, large, ping(1), ping(2)},
		"replies that are not read":   strings.Fields(strings.Repeat("7 ", 65)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ended := make(chan struct{})
				c := connect(t, func(transport *stdio.Transport) { transport.OnEnd = func() { close(ended) } })
				for _, line := range lines {
					c.send(t, line)
				}
				began := time.Now()
				<-ended
				if took := time.Since(began); took != 30*time.Second {
					t.Errorf("the session ends after %s, want 30s", took)
				}
				_, err := c.conn.Read(t.Context())
				wantError(t, err, stdio.ErrStalled)
				c.close()
				synctest.Wait()
			})
		})
	}
}
