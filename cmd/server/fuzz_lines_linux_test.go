package main_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/compound-docs/compound-docs/internal/stdio"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// FuzzServe sends lines to the real program. It writes nothing but JSON-RPC, answers each
// call, goes on, stays small, and ends with its input. The fuzzer cannot see which lines of
// the program run, so it is guided by the same transport in the test's own process, which
// says which calls are to be answered.
func FuzzServe(f *testing.F) {
	testenv.Program(f)
	for method, params := range methods() {
		call := `{"jsonrpc":"2.0","id":"a","method":"` + method + `","params":` + params + "}\n"
		f.Add([]byte(call), true)
		f.Add([]byte(call+`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"semantic_search","arguments":{"query":"x"},`+stateless+"}}\n"), false)
	}
	for _, line := range []string{"not json", `{"jsonrpc":"2.0","id":1,"method":"ping"`, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "[]", `{"id":1.5}`, "\x00", "{}\r\n{}", `{"id":7,"result":{}}`} {
		f.Add([]byte(line), true)
	}
	f.Fuzz(func(t *testing.T, lines []byte, handshake bool) {
		if len(lines) > 64<<10 {
			return
		}
		command, log := logged(t, "info", away()...)
		p := &process{command: command, ended: make(chan error, 1)}
		a := &abuser{process: p, meta: stateless}
		if handshake {
			a = &abuser{process: beginProcess(t, command)}
		} else {
			p.start(t)
		}
		const last = `"the last call"`
		a.write(t, string(lines), a.request(last, "tools/call", `"name":"ping","arguments":{}`))
		missing := callsIn(t, lines)
		missing[last] = true
		for len(missing) > 0 {
			delete(missing, string(a.next(t).ID))
		}
		if peak := peakMemory(t, a.command.Process.Pid); peak > memoryBound {
			t.Errorf("the server took %d MiB", peak>>20)
		}
		a.ends(t)
		log.mustHave(t, 0, "panicked")
	})
}

// callsIn returns the ids of the calls that the transport delivers, without those that
// need not be answered: a call that is cancelled, and one whose answer is a stream.
func callsIn(t *testing.T, lines []byte) map[string]bool {
	t.Helper()
	transport := &stdio.Transport{In: bytes.NewReader(lines), Out: io.Discard, Logger: slog.New(slog.DiscardHandler)}
	connection, err := transport.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ids, unanswered := map[string]bool{}, []string{}
	for {
		message, err := connection.Read(t.Context())
		if err != nil {
			break
		}
		request, ok := message.(*jsonrpc.Request)
		switch {
		case !ok:
		case request.IsCall():
			id, err := json.Marshal(request.ID.Raw())
			if err != nil {
				t.Fatal(err)
			}
			if ids[string(id)] = true; request.Method == "subscriptions/listen" {
				unanswered = append(unanswered, string(id))
			}
			if err := connection.Write(t.Context(), &jsonrpc.Response{ID: request.ID, Result: json.RawMessage("{}")}); err != nil {
				t.Fatal(err)
			}
		case strings.HasSuffix(request.Method, "cancelled"):
			unanswered = slices.AppendSeq(unanswered, maps.Keys(ids))
		}
	}
	for _, id := range unanswered {
		delete(ids, id)
	}
	return ids
}
