package main_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// What is no message is answered, with its id where it has one, and the session
// goes on.
func TestServe_AnswersWhatIsNoMessage(t *testing.T) {
	t.Parallel()
	const parse, invalid = -32700, -32600
	tests := []struct {
		line, id string
		code     int
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"ping"`, "null", parse},
		{`not json`, "null", parse},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"} trailing`, "null", parse},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, "null", parse},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", "null", parse},
		{"\x00", "null", parse},
		{strings.Repeat("[", 100_000), "null", parse},
		{strings.Repeat("x", 1<<20), "null", parse},
		{`null`, "null", invalid},
		{`5`, "null", invalid},
		{`"text"`, "null", invalid},
		{`{}`, "null", invalid},
		{`{"id":7}`, "7", invalid},
		{`{"jsonrpc":"1.0","id":"a","method":"ping"}`, `"a"`, invalid},
		{`{"jsonrpc":"2.0","id":3,"method":5}`, "3", invalid},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, "null", invalid},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "null", invalid},
		{`{"jsonrpc":"2.0","id":1e300,"method":"ping"}`, "null", invalid},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, "null", invalid},
		{`{"jsonrpc":"2.0","id":true,"method":"ping"}`, "null", invalid},
		{`{"jsonrpc":"2.0","id":4,"method":"ping","params":{"a":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}}`, "4", invalid},
		{`[]`, "null", invalid},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "null", invalid},
		{strings.Repeat(" ", 100) + strings.Repeat("y", 16<<20), "null", invalid},
	}
	p := startProcess(t, away()...)
	for _, tt := range tests {
		got := p.exchange(t, tt.line)
		if got.Error == nil || got.Error.Code != tt.code || string(got.ID) != tt.id || got.Error.Message == "" {
			t.Errorf("%.100q is answered with %s %+v, want code %d for %s", tt.line, got.ID, got.Error, tt.code, tt.id)
		}
		p.alive(t, tt.line)
	}
	for _, nothing := range []string{"", "  ", "\r", `{"jsonrpc":"2.0","method":"notifications/none"}`, `{"jsonrpc":"2.0","id":99,"result":{}}`} {
		if _, err := fmt.Fprintln(p.stdin, nothing); err != nil {
			t.Fatal(err)
		}
		p.alive(t, nothing)
	}
	p.mustEnd(t, endings()["EOF"])
}

// Just below the bound a message is read, and an id that is in use belongs to the
// request that came first.
func TestServe_ReadsLongLinesAndKeepsIDsApart(t *testing.T) {
	t.Parallel()
	p := startProcess(t, away()...)
	message := strings.Repeat("m", 15<<20)
	got := p.exchange(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no_such","arguments":{"message":"`+message+`"}}}`)
	if string(got.ID) != "1" || got.Error == nil || got.Error.Code != -32602 {
		t.Errorf("a line of 15 MiB is answered with %s %+v", got.ID, got.Error)
	}
	p.mustEnd(t, endings()["EOF"])
}

// Batches were part of the protocol for one version, and no client is known that sends one.
func TestServe_RefusesBatches(t *testing.T) {
	t.Parallel()
	p := &process{command: server(t, away()...), ended: make(chan error, 1)}
	p.start(t)
	p.send(t, `"id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	p.answer(t)
	p.send(t, `"method":"notifications/initialized"`)
	for _, line := range []string{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "[]", "[" + strings.Repeat("1,", 5000) + "1]"} {
		if got := p.exchange(t, line); got.Error == nil || got.Error.Code != -32600 || string(got.ID) != "null" {
			t.Errorf("%.20q is answered with %s %+v", line, got.ID, got.Error)
		}
	}
	p.alive(t, "batches")
	p.mustEnd(t, endings()["EOF"])
}

// Calls that hang make further calls wait. Those that the client cancels make room.
func TestServe_CancelledCallsMakeRoom(t *testing.T) {
	t.Parallel()
	const calls = 250
	s := newFixture(t)
	p := startProcess(t, s.environment...)
	p.activate(t, s.root)
	s.fake.SetFaults(fakeollama.Faults{Paths: []string{"/api/embed"}, Delay: time.Hour})
	for i := range calls {
		p.begin(t, "semantic_search", map[string]any{"query": fmt.Sprint("words ", i)})
	}
	first := p.calls - calls + 1
	for id := first; id <= p.calls; id++ {
		p.send(t, fmt.Sprintf(`"method":"notifications/cancelled","params":{"requestId":%d}`, id))
		if id >= first+150 {
			continue // those that have not begun fail for want of Ollama, one after the other
		}
		p.answerWithin(t, 30*time.Second)
	}
	p.send(t, `"id":"later","method":"ping"`)
	for answer := ""; !strings.Contains(answer, `"id":"later"`); {
		answer = p.answerWithin(t, 30*time.Second)
	}
	p.mustEnd(t, endings()["EOF"])
}

// A client that sends what is no message, and reads nothing, is still heard when
// it goes.
func TestServe_EndsWithAClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	for what, line := range map[string]string{
		"no messages": "no\n",
		"calls":       `{"jsonrpc":"2.0","id":%d,"method":"tools/list"}` + "\n",
	} {
		for how, end := range endings() {
			t.Run(what+", "+how, func(t *testing.T) {
				t.Parallel()
				p := startProcess(t, away()...)
				for i := range 400 { // a few answers to calls fill a pipe
					text := line
					if strings.Contains(line, "%d") {
						text = fmt.Sprintf(line, i)
					}
					if _, err := io.WriteString(p.stdin, text); err != nil {
						t.Fatal(err)
					}
				}
				p.endsUnread(t, end)
			})
		}
	}
}

// endsUnread fails unless the server ends within five seconds, and nobody reads.
func (p *process) endsUnread(t *testing.T, end func(*testing.T, *process)) {
	t.Helper()
	started := time.Now()
	end(t, p)
	go func() {
		p.ended <- p.command.Wait()
	}()
	select {
	case err := <-p.ended:
		t.Logf("the server ended: %v", err)
		if took := time.Since(started); took > 5*time.Second {
			t.Errorf("the server took %s to end", took)
		}
	case <-time.After(30 * time.Second):
		t.Error("the server does not end")
	}
}
