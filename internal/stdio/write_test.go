package stdio_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/compound-docs/compound-docs/internal/stdio"
)

func TestWrite_ReplacesAResponseThatCannotBeEncoded(t *testing.T) {
	t.Parallel()
	c := connect(t)
	c.send(t, `{"jsonrpc":"2.0","id":"a","method":"tools/call"}`)
	c.read(t)
	wantRefusal(t, c.answer(t, "a", `{"broken`), `"a"`, jsonrpc.CodeInternalError, "met a bug")
	if got, want := c.answer(t, "b", `{}`), `{"jsonrpc":"2.0","id":"b","result":{}}`; got != want {
		t.Errorf("the next answer is %s, want %s", got, want)
	}
}

func TestWrite_DropsARequestThatCannotBeEncoded(t *testing.T) {
	t.Parallel()
	c := connect(t)
	broken := &jsonrpc.Request{Method: "notifications/message", Params: json.RawMessage(`{"broken`)}
	if err := c.conn.Write(t.Context(), broken); err != nil {
		t.Errorf("got error %v, want the session to go on", err)
	}
	if !strings.Contains(c.log.String(), "message cannot be encoded") {
		t.Errorf("the log does not say so: %q", c.log)
	}
}

func TestWrite_SendsNullForAnUnknownID(t *testing.T) {
	t.Parallel()
	c := connect(t)
	written := c.write(t, &jsonrpc.Response{Error: errors.New("no such call")})
	wantRefusal(t, c.line(t), "null", jsonrpc.CodeInvalidRequest, "no such call")
	wantError(t, <-written, nil)
}

func TestWrite_ReturnsTheErrorOfOut(t *testing.T) {
	t.Parallel()
	c := connect(t)
	errClosed := errors.New("the client is gone")
	_ = c.outEnd.CloseWithError(errClosed)
	wantError(t, c.conn.Write(t.Context(), response(t, 1, `{}`)), errClosed)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantError(t, c.conn.Write(ctx, response(t, 1, `{}`)), context.Canceled)
}

// Answers that are written at the same time are lines of their own, and none is lost.
func TestWrite_KeepsConcurrentAnswersApart(t *testing.T) {
	t.Parallel()
	const calls = 200
	c := connect(t)
	var writing sync.WaitGroup
	writing.Go(func() {
		for i := range calls {
			c.send(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
		}
	})
	writing.Go(func() {
		for i := range calls {
			c.read(t)
			writing.Go(func() { wantError(t, c.conn.Write(t.Context(), response(t, i, `{}`)), nil) })
		}
	})
	got, want := map[string]bool{}, map[string]bool{}
	for i := range calls {
		got[c.line(t)] = true
		want[fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i)] = true
	}
	writing.Wait()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

func TestWrite_WaitsForTheClientUntilASecondAfterTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t)
		first, second := c.write(t, response(t, 1, `{}`)), c.write(t, response(t, 2, `{}`))
		time.Sleep(time.Hour)
		if len(first)+len(second) > 0 {
			t.Fatal("a write returns though the client has not read it")
		}
		_ = c.conn.Close()
		time.Sleep(time.Second - 1)
		synctest.Wait()
		if len(first)+len(second) > 0 {
			t.Error("a write is given up less than a second after the end")
		}
		time.Sleep(1 * time.Nanosecond)
		wantError(t, <-first, stdio.ErrNotRead)
		wantError(t, <-second, stdio.ErrNotRead)
		wantError(t, c.conn.Write(t.Context(), response(t, 3, `{}`)), stdio.ErrNotRead)
		c.close()
		synctest.Wait()
	})
}

// The reader goes on while the client reads nothing, as far as 64 replies are kept, and
// notices the end of the input. No reply is lost.
func TestWrite_KeepsRepliesToMalformedLines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{})
		c := connect(t, func(transport *stdio.Transport) { transport.OnEnd = func() { close(ended) } })
		const kept = 64
		for range kept {
			c.send(t, `7`)
		}
		_ = c.in.Close()
		<-ended
		for range kept {
			wantRefusal(t, c.line(t), "null", jsonrpc.CodeInvalidRequest, "not an object")
		}
		c.close()
		synctest.Wait()
	})
}
