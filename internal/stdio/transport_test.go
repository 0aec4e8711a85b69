package stdio_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/compound-docs/compound-docs/internal/stdio"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client is the other end of a connection, over in-memory pipes. A write of the connection
// returns when the client has read it.
type client struct {
	conn      mcp.Connection
	transport *stdio.Transport
	in        *io.PipeWriter
	out       *bufio.Reader
	outEnd    *io.PipeReader
	ended     chan struct{} // closed when the transport has noticed the end of its input
}

// connect opens a connection that reads from in, or from the client if in is nil.
func connect(t *testing.T, in io.Reader) *client {
	t.Helper()
	pipe, inWriter := io.Pipe()
	if in == nil {
		in = pipe
	}
	outReader, out := io.Pipe()
	c := &client{in: inWriter, out: bufio.NewReader(outReader), outEnd: outReader, ended: make(chan struct{})}
	c.transport = stdio.New(in, out, func() { close(c.ended) })
	conn, err := c.transport.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.conn = conn
	t.Cleanup(c.close)
	return c
}

func (c *client) close() {
	_ = c.conn.Close()
	_ = c.in.Close()
	_ = c.outEnd.Close()
}

func (c *client) send(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(c.in, text+"\n"); err != nil {
		t.Fatal(err)
	}
}

// line returns the next line that the connection wrote.
func (c *client) line(t *testing.T) string {
	t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}

// read returns the next message that the connection delivers, as JSON.
func (c *client) read(t *testing.T) string {
	t.Helper()
	message, err := c.conn.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// startRead reads a message in the background and reports the error.
func (c *client) startRead(t *testing.T) <-chan error {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := c.conn.Read(t.Context())
		done <- err
	}()
	return done
}

func call(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id) }

func response(t *testing.T, id int) *jsonrpc.Response {
	t.Helper()
	made, err := jsonrpc.MakeID(float64(id))
	if err != nil {
		t.Fatal(err)
	}
	return &jsonrpc.Response{ID: made, Result: json.RawMessage(`{}`)}
}

func wantError(t *testing.T, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("got error %v, want %v", got, want)
	}
}

func TestRead_DeliversEveryMessage(t *testing.T) {
	t.Parallel()
	const (
		notification = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
		answer       = `{"jsonrpc":"2.0","id":"a","result":{}}`
	)
	largest := `{"jsonrpc":"2.0","method":"` + strings.Repeat("x", mcp.DefaultMaxLineLength-1000) + `"}`
	tests := []struct {
		name, input string
		want        []string
	}{
		{"one per line", notification + "\n" + answer + "\n", []string{notification, answer}},
		{"Windows line endings", notification + "\r\n" + answer + "\r\n", []string{notification, answer}},
		{"blank lines", "\n\r\n \t" + notification + "\n\n" + answer + "\n\n", []string{notification, answer}},
		{"no line ending at the end", notification + "\n" + answer, []string{notification, answer}},
		{"half a message at the end", notification + "\n" + answer[:9], []string{notification}},
		{"a long line", largest + "\r\n", []string{largest}},
		{"nothing", "", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, strings.NewReader(test.input))
			var got []string
			for range test.want {
				got = append(got, c.read(t))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("messages (-want +got):\n%.1000s", diff)
			}
			_, err := c.conn.Read(t.Context())
			if err != io.EOF { //nolint:errorlint // the SDK compares it
				t.Errorf("got error %v, want EOF", err)
			}
		})
	}
}

func TestRead_Ends(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*client){
		"with the input": func(c *client) { _ = c.in.Close() },
		"with End":       func(c *client) { c.transport.End() },
		"with Close":     func(c *client) { _ = c.conn.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, nil)
			read := c.startRead(t)
			end(c)
			wantError(t, <-read, io.EOF)
		})
	}
}

// The SDK gives up calls when Read reports the end, so Read waits for their answers.
func TestRead_WaitsForAnswersAtTheEnd(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*client){
		"with the input": func(c *client) { _ = c.in.Close() },
		"with End":       func(c *client) { c.transport.End() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := connect(t, nil)
				c.send(t, call(1))
				c.read(t)
				end(c)
				read := c.startRead(t)
				time.Sleep(200 * time.Millisecond)
				if len(read) > 0 {
					t.Fatal("the end is reported while a call waits for its answer")
				}
				go func() { wantError(t, c.conn.Write(t.Context(), response(t, 1)), nil) }()
				if got, want := c.line(t), `{"jsonrpc":"2.0","id":1,"result":{}}`; got != want {
					t.Errorf("got %s, want %s", got, want)
				}
				wantError(t, <-read, io.EOF)
				c.close()
				synctest.Wait()
			})
		})
	}
}

func TestRead_WaitsForAQuarterOfASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, nil)
		c.send(t, call(1))
		c.read(t)
		began := time.Now()
		_ = c.in.Close()
		<-c.ended
		if took := time.Since(began); took > 0 {
			t.Errorf("the end of the input is noticed after %s", took)
		}
		wantError(t, <-c.startRead(t), io.EOF)
		if took := time.Since(began); took != 250*time.Millisecond {
			t.Errorf("the session ends after %s, want 250ms", took)
		}
		c.close()
		synctest.Wait()
	})
}

// A cancelled call gets no answer, and no other cancellation leaves a call without one.
func TestWrite_AnswersNoCancelledCall(t *testing.T) {
	t.Parallel()
	c := connect(t, nil)
	cancel := func(id string) string {
		return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
	}
	for _, text := range []string{cancel("2"), call(1), call(2), cancel("1"), cancel(`"2"`), cancel("3"), cancel("{}"), cancel("null")} {
		go func() {
			if _, err := io.WriteString(c.in, text+"\n"); err != nil {
				t.Error(err)
			}
		}()
		c.read(t)
	}
	go func() {
		for id := range 2 {
			if err := c.conn.Write(t.Context(), response(t, id+1)); err != nil {
				t.Error(err)
			}
		}
	}()
	if got := c.line(t); !strings.Contains(got, `"id":2`) {
		t.Errorf("the first answer is %s, want that of the call 2", got)
	}
	ended := c.startRead(t)
	_ = c.in.Close()
	if err := <-ended; !errors.Is(err, io.EOF) {
		t.Errorf("the session ends with %v: a call counts as unanswered", err)
	}
}

func TestWrite_IsGivenUpAtTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, nil)
		c.send(t, call(1))
		c.read(t)
		written := make(chan error, 1)
		go func() { written <- c.conn.Write(t.Context(), response(t, 1)) }()
		time.Sleep(time.Hour)
		if len(written) > 0 {
			t.Fatal("a write returns though the client has not read it")
		}
		_ = c.in.Close()
		wantError(t, <-c.startRead(t), io.EOF)
		wantError(t, <-written, stdio.ErrNotRead)
		c.close()
		synctest.Wait()
	})
}

func TestWrite_ReturnsTheErrorOfOut(t *testing.T) {
	t.Parallel()
	c := connect(t, nil)
	errClosed := errors.New("the client is gone")
	_ = c.outEnd.CloseWithError(errClosed)
	wantError(t, c.conn.Write(t.Context(), response(t, 1)), errClosed)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantError(t, c.conn.Write(ctx, response(t, 1)), context.Canceled)
}
