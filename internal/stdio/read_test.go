package stdio_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/compound-docs/compound-docs/internal/stdio"
)

func TestRead_DeliversEveryMessage(t *testing.T) {
	t.Parallel()
	const (
		call         = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		notification = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
		answer       = `{"jsonrpc":"2.0","id":"a","result":{}}`
	)
	tests := []struct {
		name, input string
		want        []string
	}{
		{"one per line", call + "\n" + notification + "\n" + answer + "\n", []string{call, notification, answer}},
		{"Windows line endings", call + "\r\n" + notification + "\r\n", []string{call, notification}},
		{"blank lines and spaces", "\n \r\n\t" + call + "  \n\n", []string{call}},
		{"no line ending at the end", call + "\n" + notification, []string{call, notification}},
		{"nothing", "", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, func(transport *stdio.Transport) { transport.In = strings.NewReader(test.input) })
			var got []string
			for range test.want {
				got = append(got, c.read(t))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
			_, err := c.conn.Read(t.Context())
			wantError(t, err, io.EOF)
		})
	}
}

func TestRead_RefusesMalformedLines(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, line string
		id         string
		code       int64
		message    string
	}{
		{"not JSON", `{"jsonrpc":`, "null", jsonrpc.CodeParseError, "one line of JSON"},
		{"two messages", `{"jsonrpc":"2.0","id":1,"method":"a"} {}`, "null", jsonrpc.CodeParseError, "one line of JSON"},
		{"invalid UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", "null", jsonrpc.CodeParseError, "UTF-8"},
		{"too deep", strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), "null", jsonrpc.CodeParseError, "one line of JSON"},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "null", jsonrpc.CodeInvalidRequest, "not an object"},
		{"a number", `7`, "null", jsonrpc.CodeInvalidRequest, "not an object"},
		{"a string", `"ping"`, "null", jsonrpc.CodeInvalidRequest, "not an object"},
		{"null", `null`, "null", jsonrpc.CodeInvalidRequest, "no method"},
		{"no method", `{"jsonrpc":"2.0","id":7,"params":{}}`, "7", jsonrpc.CodeInvalidRequest, "no method"},
		{"a method that is no string", `{"jsonrpc":"2.0","id":7,"method":5}`, "7", jsonrpc.CodeInvalidRequest, "not JSON-RPC 2.0"},
		{"no version", `{"id":"x","method":"ping"}`, `"x"`, jsonrpc.CodeInvalidRequest, "not JSON-RPC 2.0"},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, "null", jsonrpc.CodeInvalidRequest, "string or a whole number"},
		{"id with a fraction", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "null", jsonrpc.CodeInvalidRequest, "string or a whole number"},
		{"id too large", `{"jsonrpc":"2.0","id":1e300,"method":"ping"}`, "null", jsonrpc.CodeInvalidRequest, "string or a whole number"},
		{"id an object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, "null", jsonrpc.CodeInvalidRequest, "string or a whole number"},
		{"line too long", `"` + strings.Repeat("x", stdio.MaxLine) + `"`, "null", jsonrpc.CodeInvalidRequest, "longer than 16777216 bytes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := connect(t)
			c.send(t, test.line)
			wantRefusal(t, c.line(t), test.id, test.code, test.message)
			const next = `{"jsonrpc":"2.0","id":"next","method":"ping"}`
			c.send(t, next)
			if got := c.read(t); got != next {
				t.Errorf("after the malformed line the connection delivers %s, want %s", got, next)
			}
		})
	}
}

func TestRead_TakesALineOfTheLargestLength(t *testing.T) {
	t.Parallel()
	c := connect(t)
	const start, end = `{"jsonrpc":"2.0","method":"`, `"}`
	line := start + strings.Repeat("x", stdio.MaxLine-len(start)-len(end)) + end
	c.send(t, line+"\r")
	if got := c.read(t); got != line {
		t.Errorf("got a message of %d bytes, want %d", len(got), len(line))
	}
}

func TestRead_RefusesAnIDInUse(t *testing.T) {
	t.Parallel()
	c := connect(t)
	const call = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	c.send(t, call)
	c.read(t)
	c.send(t, call)
	wantRefusal(t, c.line(t), "null", jsonrpc.CodeInvalidRequest, `the id "1" belongs to another request`)

	const sameText = `{"jsonrpc":"2.0","id":"1","method":"ping"}`
	c.send(t, sameText)
	if got := c.read(t); got != sameText {
		t.Errorf("the string ID is not told from the number: got %s", got)
	}
	if got, want := c.answer(t, 1, `{}`), `{"jsonrpc":"2.0","id":1,"result":{}}`; got != want {
		t.Errorf("got answer %s, want %s", got, want)
	}
	c.send(t, call)
	if got := c.read(t); got != call {
		t.Errorf("an answered ID cannot be used again: got %s", got)
	}
}

// brokenReader fails with its error.
type brokenReader struct{ err error }

func (r brokenReader) Read([]byte) (int, error) { return 0, r.err }

func TestRead_Ends(t *testing.T) {
	t.Parallel()
	errBroken := errors.New("broken")
	ended, done := make(chan struct{}, 2), make(chan struct{})
	tests := []struct {
		name   string
		change func(*stdio.Transport)
		end    func(*client)
		want   error
	}{
		{"with Close", func(*stdio.Transport) {}, func(c *client) { _ = c.conn.Close() }, io.EOF},
		{"with the input", func(*stdio.Transport) {}, func(c *client) { _ = c.in.Close() }, io.EOF},
		{"with a broken input", func(tr *stdio.Transport) { tr.In = brokenReader{errBroken} }, func(*client) {}, errBroken},
		{"with Done", func(tr *stdio.Transport) { tr.Done = done }, func(*client) { close(done) }, io.EOF},
		{
			"once, with all of them", func(tr *stdio.Transport) { tr.OnEnd = func() { ended <- struct{}{} } },
			func(c *client) { _, _, _ = c.conn.Close(), c.in.Close(), c.conn.Close() }, io.EOF,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, test.change)
			read := make(chan error, 1)
			go func() {
				_, err := c.conn.Read(t.Context())
				read <- err
			}()
			test.end(c)
			wantError(t, <-read, test.want)
		})
	}
	t.Cleanup(func() {
		if len(ended) != 1 {
			t.Errorf("OnEnd is called %d times, want once", len(ended))
		}
	})
}

func TestRead_StopsWithItsContextAndLosesNothing(t *testing.T) {
	t.Parallel()
	c := connect(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.conn.Read(ctx)
	wantError(t, err, context.Canceled)

	const call = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	c.send(t, call)
	if got := c.read(t); got != call {
		t.Errorf("got %s, want %s", got, call)
	}
}
