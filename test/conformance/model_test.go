package conformance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// step is a call that the model makes. Without a tool it is a last word, with input tokens as its request has.
type step struct{ tool, input string }

func call(tool string, input map[string]any) step {
	text, err := json.Marshal(input)
	if err != nil {
		panic(err) // texts are always JSON
	}
	return step{tool, string(text)}
}

// scriptedModel replaces the API of a model: it makes the calls of its steps, one for each request, and then
// says its last word.
type scriptedModel struct {
	url string
	// only, if not "", is in the requests that are answered with a call.
	only string

	mu     sync.Mutex
	steps  []step
	bodies []string // of the requests since the last script
}

// startModel starts a model at paths with the suffix. format returns the events of the answer to the nth
// request: a call, or the last word for a step without a tool.
func startModel(t *testing.T, suffix, only string, format func(n int, s step) []string) *scriptedModel {
	t.Helper()
	m := &scriptedModel{only: only}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		isWhole := strings.HasSuffix(r.URL.Path, ":generateContent") // Gemini asks for a summary
		if err != nil || !isWhole && !strings.HasSuffix(r.URL.Path, suffix) {
			http.NotFound(w, r)
			return
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.bodies = append(m.bodies, string(body))
		next := step{}
		if len(m.steps) > 0 && strings.Contains(string(body), m.only) {
			next, m.steps = m.steps[0], m.steps[1:]
		}
		if isWhole {
			fmt.Fprint(w, strings.TrimPrefix(format(len(m.bodies), next)[0], "data: "))
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range format(len(m.bodies), next) {
			fmt.Fprintf(w, "%s\n\n", event)
		}
	}))
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
}

// script sets the next calls, and forgets the requests.
func (m *scriptedModel) script(steps ...step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.steps, m.bodies = steps, nil
}

func (m *scriptedModel) received() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.bodies)
}

// messages are the events of Anthropic's API.
func messages(n int, s step) []string {
	block, delta, reason := `{"type": "text", "text": ""}`, `{"type": "text_delta", "text": "Done."}`, "end_turn"
	if s.tool != "" {
		block = fmt.Sprintf(`{"type": "tool_use", "id": "toolu_%d", "name": %q, "input": {}}`, n, s.tool)
		delta, reason = fmt.Sprintf(`{"type": "input_json_delta", "partial_json": %q}`, s.input), "tool_use"
	}
	events := []string{
		fmt.Sprintf(`{"type": "message_start", "message": {"id": "msg_%d", "type": "message", "role": "assistant", "model": "any", `+
			`"content": [], "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}}}`, n),
		`{"type": "content_block_start", "index": 0, "content_block": ` + block + `}`,
		`{"type": "content_block_delta", "index": 0, "delta": ` + delta + `}`,
		`{"type": "content_block_stop", "index": 0}`,
		`{"type": "message_delta", "delta": {"stop_reason": "` + reason + `", "stop_sequence": null}, "usage": {"output_tokens": 1}}`,
		`{"type": "message_stop"}`,
	}
	for i, event := range events {
		kind, _, _ := strings.Cut(strings.TrimPrefix(event, `{"type": "`), `"`)
		events[i] = "event: " + kind + "\ndata: " + event
	}
	return events
}

// responses are the events of OpenAI's Responses API.
func responses(n int, s step) []string {
	tokens := cmp.Or(s.input, "1")
	item := `{"type": "message", "role": "assistant", "id": "m", "content": [{"type": "output_text", "text": "Done."}]}`
	if s.tool != "" {
		item = fmt.Sprintf(`{"type": "function_call", "call_id": "c%d", "name": %q, "arguments": %q}`, n, s.tool, s.input)
		if s.tool == "spawn_agent" {
			item = strings.Replace(item, `"name"`, `"namespace": "multi_agent_v1", "name"`, 1)
		}
		tokens = "1"
	}
	return []string{
		fmt.Sprintf(`data: {"type": "response.created", "response": {"id": "r%d"}}`, n),
		`data: {"type": "response.output_item.done", "output_index": 0, "item": ` + item + `}`,
		fmt.Sprintf(`data: {"type": "response.completed", "response": {"id": "r%d", "usage": {"input_tokens": %s, "output_tokens": 0, "total_tokens": %[2]s}}}`, n, tokens),
	}
}

// generateContent is the event of Gemini's API. Its last word is good for a summary.
func generateContent(_ int, s step) []string {
	part := `{"text": "<state_snapshot>Done.</state_snapshot>"}`
	if s.tool != "" {
		part = fmt.Sprintf(`{"functionCall": {"name": %q, "args": %s}}`, s.tool, s.input)
	}
	return []string{`data: {"candidates": [{"content": {"role": "model", "parts": [` + part + `]}, "finishReason": "STOP", "index": 0}], ` +
		`"usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}}`}
}
