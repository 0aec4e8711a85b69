package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// answerTime is how long the server may leave a client without the next answer, or take
// to end, on a machine that has the time.
const answerTime = 5 * time.Second

// stateless is what a request carries in the protocol that has no handshake.
const stateless = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// abuser is a client that does not keep to the protocol.
type abuser struct {
	*process

	// meta is part of every request. It is "" after a handshake.
	meta string
	// lines are what the server writes, once something reads it.
	lines chan string
	// longest is the longest time that it waited for one.
	longest time.Duration
}

// newAbuser starts a server, and shakes hands with it unless the protocol has no handshake.
func newAbuser(t *testing.T, handshake bool, environment ...string) *abuser {
	t.Helper()
	if handshake {
		return &abuser{process: startProcess(t, environment...)}
	}
	p := &process{command: server(t, environment...), ended: make(chan error, 1)}
	p.start(t)
	return &abuser{process: p, meta: stateless}
}

// request is a call with the members of its params. id is JSON.
func (a *abuser) request(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s}}`, id, method, a.members(params))
}

// members adds what the protocol asks for to the members of an object.
func (a *abuser) members(params string) string {
	if params == "" || a.meta == "" {
		return params + a.meta
	}
	return a.meta + "," + params
}

// tool is a call of a tool.
func (a *abuser) tool(id int, name, arguments string) string {
	return a.request(fmt.Sprint(id), "tools/call", fmt.Sprintf(`"name":%q,"arguments":{%s}`, name, arguments))
}

// write writes lines as they are.
func (a *abuser) write(t *testing.T, lines ...string) {
	t.Helper()
	if _, err := io.WriteString(a.stdin, strings.Join(lines, "\n")+"\n"); err != nil {
		t.Fatal(err)
	}
}

// next returns the next answer. From the first call on, all that the server writes is
// read. Each line must be JSON-RPC.
func (a *abuser) next(t *testing.T) rpc {
	t.Helper()
	if a.lines == nil {
		a.lines = make(chan string, 10_000)
		go func() {
			defer close(a.lines)
			for a.answers.Scan() {
				a.lines <- a.answers.Text()
			}
		}()
	}
	asked := time.Now()
	for {
		select {
		case line, ok := <-a.lines:
			if !ok {
				t.Fatal("the server has ended")
			}
			var message struct {
				rpc

				Version string `json:"jsonrpc"`
				Method  string `json:"method"`
			}
			if err := json.Unmarshal([]byte(line), &message); err != nil || message.Version != "2.0" {
				t.Fatalf("the server writes %.300q: %v", line, err)
			}
			if message.Method == "" { // else a notification
				a.longest = max(a.longest, time.Since(asked))
				return message.rpc
			}
		case <-time.After(patience):
			t.Fatalf("no answer within %s", patience)
		}
	}
}

// answered reads answers until each call of the ids has one, and returns all that it has
// read, by id. More than one for an id is an error.
func (a *abuser) answered(t *testing.T, ids ...string) map[string]rpc {
	t.Helper()
	found := map[string]rpc{}
	missing := map[string]bool{}
	for _, id := range ids {
		missing[id] = true
	}
	for len(missing) > 0 {
		answer := a.next(t)
		id := string(answer.ID)
		if _, twice := found[id]; twice && id != "null" {
			t.Fatalf("%s is answered twice, with %+v", id, answer)
		}
		found[id] = answer
		delete(missing, id)
	}
	return found
}

// works fails unless a tool answers.
func (a *abuser) works(t *testing.T) {
	t.Helper()
	a.write(t, a.tool(-1, "ping", `"message":"still there"`))
	if got := a.answered(t, "-1")["-1"]; got.Error != nil || !strings.Contains(string(got.Result), "pong: still there") {
		t.Errorf("a call of ping is answered with %s %+v", got.Result, got.Error)
	}
}

// ends closes the input, and fails unless the server ends by itself, soon.
func (a *abuser) ends(t *testing.T) {
	t.Helper()
	must(t, a.stdin.Close())
	started := time.Now()
	for a.lines != nil { // the rest of its output
		select {
		case _, ok := <-a.lines:
			if !ok {
				a.lines = nil
			}
		case <-time.After(patience):
			t.Fatal("the server does not end")
		}
	}
	if code := a.exit(t); code != 0 {
		t.Errorf("the server ends with code %d", code)
	}
	if took := time.Since(started); took > answerTime {
		t.Errorf("the server takes %s to end, more than %s", took, answerTime)
	}
}
