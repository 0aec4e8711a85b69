package stdio_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

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

// What waits is bounded in bytes. A message beyond that is refused, and may be sent
// again.
func TestQueue_RefusesWhatItCannotKeep(t *testing.T) {
	t.Parallel()
	c := connect(t)
	large := func(id int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"`, id) + strings.Repeat("x", stdio.MaxLine-1000) + `"}`
	}
	c.send(t, large(0))
	c.send(t, large(1))
	c.send(t, ping(2))
	c.send(t, ping(3))
	wantRefusal(t, c.line(t), "3", jsonrpc.CodeInvalidRequest, "too many messages wait")
	c.read(t)
	c.send(t, ping(3))
	c.read(t)
	for id := 2; id < 4; id++ {
		if got := c.read(t); got != ping(id) {
			t.Errorf("delivered %s, want %s", got, ping(id))
		}
	}
}
