package main_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A malformed line ends the session, and the log says why.
func TestServe_EndsWithALineThatIsNoMessage(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"no JSON": "hello", "half an object": `{"jsonrpc":"2.0",,`, "a number": "5", "too long": strings.Repeat("y", 17<<20),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command, log := logged(t, "info", away()...)
			p := beginProcess(t, command)
			_, _ = fmt.Fprintln(p.stdin, line) // the server may end before it has read all
			if code := p.exit(t); code != 1 {
				t.Errorf("the server ends with code %d, want 1", code)
			}
			log.mustHave(t, 1, "compound-docs: read a message")
		})
	}
}

// Just below the bound a message is read.
func TestServe_ReadsLongLines(t *testing.T) {
	t.Parallel()
	p := startProcess(t, away()...)
	message := strings.Repeat("m", 15<<20)
	got := p.exchange(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no_such","arguments":{"message":"`+message+`"}}}`)
	if string(got.ID) != "1" || got.Error == nil || got.Error.Code != -32602 {
		t.Errorf("a line of 15 MiB is answered with %s %+v", got.ID, got.Error)
	}
	p.mustEnd(t, endings()["EOF"])
}

// A client that reads nothing is still heard when it goes.
func TestServe_EndsWithAClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	for how, end := range endings() {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			p := startProcess(t, away()...)
			for i := range 400 { // a few answers to calls fill a pipe
				p.send(t, fmt.Sprintf(`"id":%d,"method":"tools/list"`, i))
			}
			p.endsUnread(t, end)
		})
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
