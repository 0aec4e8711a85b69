package stdio_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/compound-docs/compound-docs/internal/stdio"
)

// However many calls a client sends without reading, few of them are in memory.
func TestRead_WaitsForAClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, nil)
		const most = 10_000
		sent := 0
		go func() {
			for ; sent < 2*most; sent++ {
				_, err := fmt.Fprintln(c.in, call(sent))
				if err != nil {
					return
				}
			}
		}()
		for range most {
			c.read(t)
		}
		read := c.startRead(t)
		time.Sleep(time.Second)
		synctest.Wait()
		if len(read) > 0 {
			t.Fatalf("another message is read behind %d without an answer", most)
		}
		if ahead := sent - most; ahead > 100 {
			t.Errorf("%d calls are read ahead", ahead)
		}
		go func() { _ = c.conn.Write(t.Context(), response(t, 0)) }()
		c.line(t)
		wantError(t, <-read, nil)
		began := time.Now()
		wantError(t, <-c.startRead(t), stdio.ErrNotRead)
		if took := time.Since(began); took < 10*time.Second || took > 11*time.Second {
			t.Errorf("the session ends after %s", took)
		}
		c.close()
		synctest.Wait()
	})
}
