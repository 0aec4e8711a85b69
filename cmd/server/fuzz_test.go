package main_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// rpc is a response as it stands on the wire.
type rpc struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// exchange writes a line as it is and returns the next response.
func (p *process) exchange(t *testing.T, line string) rpc {
	t.Helper()
	if _, err := fmt.Fprintln(p.stdin, line); err != nil {
		t.Fatalf("after %.200q: %v", line, err)
	}
	text := p.answerWithin(t, 30*time.Second)
	var response rpc
	if err := json.Unmarshal([]byte(text), &response); err != nil || !strings.HasPrefix(text, `{"jsonrpc":"2.0","id":`) {
		t.Fatalf("%.200q is answered with %.200q: %v", line, text, err)
	}
	return response
}

// alive fails unless the server answers a ping.
func (p *process) alive(t *testing.T, after string) {
	t.Helper()
	if got := p.exchange(t, `{"jsonrpc":"2.0","id":"alive","method":"ping"}`); string(got.ID) != `"alive"` || got.Error != nil {
		t.Fatalf("after %.200q the server answers a ping with %+v", after, got)
	}
}

// No URI ends the server.
func TestServe_SurvivesEveryResourceURI(t *testing.T) {
	t.Parallel()
	p := startProcess(t, away()...)
	uris := []string{"", ":", "%", "ui:", "ui://compound-docs/", "ui://compound-docs/%", "ui://compound-docs/%00", "ui://compound-docs/%zz", "ui://[", "http://a b/\x7f"}
	for r := range rune(0x180) {
		uris = append(uris, "ui://compound-docs/a"+string(r), string(r))
	}
	for _, r := range []rune{0x200b, 0x2028, 0x202e, 0xfeff, 0xfffd, 0xffff, 0xd7ff, 0xe000, 0x1f600, 0xE0041, 0x10ffff} {
		uris = append(uris, "ui://compound-docs/a"+string(r))
	}
	seed := rand.Uint64()
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		var uri strings.Builder
		for range random.IntN(12) {
			uri.WriteRune([]rune{rune(random.IntN(0x100)), rune(random.IntN(0x110000)), '/', '%', '.', '\\', '"'}[random.IntN(7)])
		}
		uris = append(uris, []string{"ui://compound-docs/", ""}[random.IntN(2)]+uri.String())
	}
	for i, uri := range uris {
		encoded, err := json.Marshal(uri)
		must(t, err)
		for _, method := range []string{"resources/read", "resources/subscribe"} {
			got := p.exchange(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"uri":%s}}`, i, method, encoded))
			if string(got.ID) != fmt.Sprint(i) || got.Error == nil || got.Error.Code == -32603 && method == "resources/read" && !strings.Contains(got.Error.Message, "no project is active") {
				t.Errorf("%s of %q: %+v", method, uri, got)
			}
		}
	}
	p.alive(t, "every URI")
	p.mustEnd(t, endings()["EOF"])
}

// methods are all that a client may call, with good params.
func methods() map[string]string {
	return map[string]string{
		"initialize":                       `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`,
		"ping":                             `{}`,
		"tools/list":                       `{"cursor":"x"}`,
		"tools/call":                       `{"name":"ping","arguments":{"message":"a"},"_meta":{"progressToken":1}}`,
		"resources/list":                   `{}`,
		"resources/templates/list":         `{}`,
		"resources/read":                   `{"uri":"ui://compound-docs/a.md"}`,
		"resources/subscribe":              `{"uri":"ui://compound-docs/a.md"}`,
		"resources/unsubscribe":            `{"uri":"ui://compound-docs/a.md"}`,
		"logging/setLevel":                 `{"level":"debug"}`,
		"server/discover":                  `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}`,
		"subscriptions/listen":             `{"notifications":{"resourceSubscriptions":["a"]}}`,
		"notifications/cancelled":          `{"requestId":"none","reason":"a"}`,
		"notifications/progress":           `{"progressToken":1,"progress":1}`,
		"notifications/initialized":        `{}`,
		"notifications/roots/list_changed": `{}`,
		"no/such/method":                   `{}`,
		"":                                 `{}`,
	}
}

// wrongValues stand where another is right.
func wrongValues() []string {
	return []string{
		`null`, `true`, `0`, `-1.5`, `1e400`, `""`, `"\u0000"`, `"\u007f\udb40\udc41"`, `"\ud800"`, `[]`, `[null]`, `{}`, `{"":null}`,
		`"` + strings.Repeat("x", 100_000) + `"`, strings.Repeat("[", 900) + strings.Repeat("]", 900),
	}
}

// variants returns the value with each part of it replaced by each wrong value.
func variants(value any) []string {
	out := append([]string{}, wrongValues()...)
	object, ok := value.(map[string]any)
	if !ok {
		return out
	}
	for key, part := range object {
		rest := map[string]json.RawMessage{}
		for other, v := range object {
			encoded, err := json.Marshal(v)
			if err != nil {
				panic(err)
			}
			rest[other] = encoded
		}
		for _, wrong := range variants(part) {
			var b strings.Builder
			b.WriteString("{")
			for other, v := range rest {
				if other != key {
					fmt.Fprintf(&b, "%q:%s,", other, v)
				}
			}
			fmt.Fprintf(&b, "%q:%s}", key, wrong)
			out = append(out, b.String())
		}
	}
	return out
}

// A method gives one answer to any params, and the server goes on.
func TestServe_SurvivesMalformedParams(t *testing.T) {
	t.Parallel()
	for method, good := range methods() {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			var value any
			must(t, json.Unmarshal([]byte(good), &value))
			command, log := logged(t, "info", away()...)
			p := beginProcess(t, command)
			for _, params := range append(variants(value), good) {
				line := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
				if method == "subscriptions/listen" { // its answer comes when it ends
					_, err := fmt.Fprintln(p.stdin, strings.Replace(line, `"id":1,`, "", 1))
					must(t, err)
					p.alive(t, line)
					continue
				}
				if got := p.exchange(t, line); string(got.ID) != "1" || (got.Result == nil) == (got.Error == nil) {
					t.Errorf("%.300s is answered with %+v", line, got)
				}
				if _, err := fmt.Fprintln(p.stdin, strings.Replace(line, `"id":1,`, "", 1)); err != nil {
					t.Fatal(err)
				}
				p.alive(t, line)
			}
			p.mustEnd(t, endings()["EOF"])
			log.mustHave(t, 0, "panicked")
		})
	}
}
