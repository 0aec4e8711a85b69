package main_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// abuse is one thing that a client does against the rules, or far too often. It ends
// with a server that answers, unless unread is set: then nobody has read an answer.
type abuse struct {
	unread bool
	do     func(t *testing.T, a *abuser, f *fixture)
}

// abuses need no project.
func abuses() map[string]abuse {
	return map[string]abuse{
		"100,000 requests": {do: func(t *testing.T, a *abuser, _ *fixture) {
			t.Helper()
			const requests = 100_000
			lines, ids := make([]string, requests), make([]string, requests)
			for i := range lines {
				ids[i] = fmt.Sprint(i)
				lines[i] = a.request(ids[i], "ping", "")
			}
			written := make(chan struct{})
			go func() {
				defer close(written)
				if _, err := io.WriteString(a.stdin, strings.Join(lines, "\n")+"\n"); err != nil {
					t.Error(err)
				}
			}()
			a.answered(t, ids...)
			<-written
		}},
		"unknown methods": {do: func(t *testing.T, a *abuser, _ *fixture) {
			t.Helper()
			for i, method := range []string{"", "x", "tools/calls", "$/cancelRequest", "sampling/createMessage", strings.Repeat("m", 1<<19), "\u202e\n"} {
				a.write(t, fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":{%s}}`, method, a.meta), a.request(fmt.Sprint(i), method, ""))
				if got := a.answered(t, fmt.Sprint(i))[fmt.Sprint(i)]; got.Error == nil {
					t.Errorf("the method %.20q is answered with %s", method, got.Result)
				}
			}
		}},
		"cancellations of nothing": {do: func(t *testing.T, a *abuser, _ *fixture) {
			t.Helper()
			for i := range 1000 {
				id := []string{fmt.Sprint(i), `"x"`, "null", "{}", "1.5", "-7"}[i%6]
				a.write(t, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{%s}}`, a.members(`"requestId":`+id)))
			}
		}},
	}
}

// projectAbuses need an active project, with services.
func projectAbuses() map[string]abuse {
	return map[string]abuse{
		"100 calls at a time": {do: func(t *testing.T, a *abuser, _ *fixture) {
			t.Helper()
			ids, lines := searches(a, 100)
			a.write(t, lines...)
			for id, got := range a.answered(t, ids...) {
				if got.Error != nil || !strings.Contains(string(got.Result), "docs/doc-") {
					t.Errorf("%s is answered with %s %+v", id, got.Result, got.Error)
				}
			}
		}},
		"5,000 calls that hang, each cancelled": {do: func(t *testing.T, a *abuser, f *fixture) {
			t.Helper()
			const few = 500 // 8 at a time, and those that searches no longer wait for
			f.fake.SetFaults(fakeollama.Faults{Paths: []string{"/api/embed"}, Delay: time.Hour})
			ids, lines := searches(a, 5000)
			a.write(t, lines...)
			until(t, "calls wait for Ollama", answerTime, func() bool { return len(f.fake.Requests("/api/embed")) > 0 })
			a.works(t)
			if asked := len(f.fake.Requests("/api/embed")); asked > few {
				t.Errorf("%d calls ask Ollama at a time, want fewer than %d", asked, few)
			}
			for _, id := range ids {
				a.write(t, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{%s}}`, a.members(`"requestId":`+id)))
			}
		}},
		"calls that are cancelled": {do: func(t *testing.T, a *abuser, f *fixture) {
			t.Helper()
			f.fake.SetFaults(fakeollama.Faults{Paths: []string{"/api/embed"}, Delay: time.Hour})
			ids, lines := searches(a, 8)
			a.write(t, lines...)
			until(t, "calls wait for Ollama", answerTime, func() bool { return len(f.fake.Requests("/api/embed")) > 0 })
			for _, id := range ids {
				a.write(t, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{%s}}`, a.members(`"requestId":`+id)))
			}
			time.Sleep(time.Second) // a wrong answer would come in this time, before that of the ping
			a.write(t, a.request(`"last"`, "ping", ""))
			for id, got := range a.answered(t, `"last"`) {
				if id != `"last"` {
					t.Errorf("the cancelled call %s is answered with %s %+v", id, got.Result, got.Error)
				}
			}
		}},
		"a client that never reads": {unread: true, do: func(t *testing.T, a *abuser, _ *fixture) {
			t.Helper()
			_, lines := searches(a, 2000)
			a.write(t, lines...)
		}},
		"end of input in mid-call": {unread: true, do: func(t *testing.T, a *abuser, f *fixture) {
			t.Helper()
			f.fake.SetFaults(fakeollama.Faults{Paths: []string{"/api/embed"}, Delay: time.Hour})
			_, lines := searches(a, 150)
			a.write(t, lines...)
			until(t, "the calls wait for Ollama", answerTime, func() bool { return len(f.fake.Requests("/api/embed")) > 0 })
			if _, err := a.stdin.Write([]byte(lines[0][:40])); err != nil { // half a message
				t.Fatal(err)
			}
		}},
	}
}

// searches are calls, each with its id.
func searches(a *abuser, calls int) (ids, lines []string) {
	for i := range calls {
		ids = append(ids, fmt.Sprint(i))
		lines = append(lines, a.tool(i, "search_external_docs", fmt.Sprintf(`"query":"words of section %d","min_relevance_score":0`, i)))
	}
	return ids, lines
}

// For any valid messages of a client, in either protocol, the server answers within five seconds,
// stays small, ends cleanly with its input, and has every confirmed write in the index.
func TestServe_WithstandsAbuse(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "the protocol is abused at length")
	for protocol, handshake := range map[string]bool{"handshake": true, "stateless": false} {
		for name, abuse := range abuses() {
			t.Run(name+", "+protocol, func(t *testing.T) {
				t.Parallel()
				abuse.check(t, newAbuser(t, handshake, away()...), nil)
			})
		}
		for name, abuse := range projectAbuses() {
			t.Run(name+", "+protocol, func(t *testing.T) {
				t.Parallel()
				f := newFixture(t)
				a := newAbuser(t, handshake, f.environment...)
				write(t, f.root, "csharp-compounding-docs/tools/late.md", document("Late", "It came last."))
				a.write(t, a.tool(-3, "activate_project", fmt.Sprintf(`"config_path":%q,"branch_name":"main"`, f.root)))
				a.mustSay(t, "activated")
				a.write(t, a.tool(-2, "update_promotion_level", `"document_path":"tools/late.md","promotion_level":"critical"`))
				a.mustSay(t, "critical")
				abuse.check(t, a, f)
				if n := count(t, f.pool, "SELECT count(*) FROM documents WHERE title = 'Late' AND promotion_level = 'critical'"); n != 1 {
					t.Errorf("%d documents are promoted in the index, want the one that the server said is", n)
				}
			})
		}
	}
}

// mustSay reads the next line, which must be an answer with a text.
func (a *abuser) mustSay(t *testing.T, text string) {
	t.Helper()
	if answer := a.answerWithin(t, time.Minute); !strings.Contains(answer, text) {
		t.Fatalf("the answer is %s, want %q in it", answer, text)
	}
}

func (b abuse) check(t *testing.T, a *abuser, f *fixture) {
	t.Helper()
	b.do(t, a, f)
	if !b.unread {
		a.works(t)
	}
	peak := peakMemory(t, a.command.Process.Pid)
	t.Logf("%d MiB; the longest wait for an answer was %s", peak>>20, a.longest)
	if peak > memoryBound {
		t.Errorf("the server took %d MiB, more than %d", peak>>20, memoryBound>>20)
	}
	a.ends(t)
}

// Before and during the handshake calls are answered or refused, each once, and the
// handshake succeeds all the same.
func TestServe_AnswersBeforeAndDuringTheHandshake(t *testing.T) {
	t.Parallel()
	p := &process{command: server(t, away()...), ended: make(chan error, 1)}
	p.start(t)
	a := &abuser{process: p}
	a.write(t, a.tool(1, "ping", ""), a.request("2", "tools/list", ""), `{"jsonrpc":"2.0","method":"notifications/initialized"}`, a.request("3", "ping", ""),
		a.request("4", "initialize", strings.Trim(methods()["initialize"], "{}")+"}"), a.tool(5, "ping", ""), a.request("6", "tools/list", ""),
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, a.request("7", "tools/list", ""), a.request("8", "initialize", `"protocolVersion":5`))
	answers := a.answered(t, "1", "2", "3", "4", "5", "6", "7", "8")
	for _, id := range []string{"3", "4", "7"} {
		if answers[id].Error != nil {
			t.Errorf("%s fails: %+v", id, answers[id].Error)
		}
	}
	for _, id := range []string{"1", "2", "8"} {
		if answers[id].Error == nil {
			t.Errorf("%s is answered with %s, want an error", id, answers[id].Result)
		}
	}
	a.works(t)
	a.ends(t)
}
