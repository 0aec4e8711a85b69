package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// step is a call that the model makes.
type step struct{ tool, input string }

// modelRequest is a request of the API that is asked for a message.
type modelRequest struct {
	Messages json.RawMessage `json:"messages"`
	System   json.RawMessage `json:"system"`
	Tools    []struct {
		Name     string `json:"name"`
		Deferred bool   `json:"defer_loading"`
	} `json:"tools"`
}

// text is all that the model reads except the tools, as JSON.
func (r modelRequest) text() string { return string(r.System) + string(r.Messages) }

// shown returns the tools of the server that are there with their schemas.
func (r modelRequest) shown() (names []string) {
	for _, tool := range r.Tools {
		if strings.HasPrefix(tool.Name, toolPrefix) && !tool.Deferred {
			names = append(names, tool.Name)
		}
	}
	slices.Sort(names)
	return names
}

// scriptedModel replaces the API: it makes the calls of its steps, one for each request, and then
// says its last word.
type scriptedModel struct {
	url string

	mu       sync.Mutex
	steps    []step
	last     string
	requests []modelRequest
}

func startModel(t *testing.T) *scriptedModel {
	t.Helper()
	m := &scriptedModel{last: "Done."}
	server := httptest.NewServer(http.HandlerFunc(m.answer))
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
}

// script sets what the model says once it has made the calls of the steps.
func (m *scriptedModel) script(last string, steps ...step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.steps, m.last = steps, last
}

func (m *scriptedModel) received() []modelRequest {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

func (m *scriptedModel) answer(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/messages" {
		http.NotFound(w, r)
		return
	}
	var request modelRequest
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	n := len(m.requests)
	m.requests = append(m.requests, request)
	block, delta, reason := `{"type": "text", "text": ""}`, fmt.Sprintf(`{"type": "text_delta", "text": %q}`, m.last), "end_turn"
	if len(m.steps) > 0 {
		block = fmt.Sprintf(`{"type": "tool_use", "id": "toolu_%d", "name": %q, "input": {}}`, n, m.steps[0].tool)
		delta = fmt.Sprintf(`{"type": "input_json_delta", "partial_json": %q}`, m.steps[0].input)
		m.steps, reason = m.steps[1:], "tool_use"
	}
	m.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range []string{
		fmt.Sprintf(`{"type": "message_start", "message": {"id": "msg_%d", "type": "message", "role": "assistant", "model": "any", `+
			`"content": [], "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}}}`, n),
		`{"type": "content_block_start", "index": 0, "content_block": ` + block + `}`,
		`{"type": "content_block_delta", "index": 0, "delta": ` + delta + `}`,
		`{"type": "content_block_stop", "index": 0}`,
		`{"type": "message_delta", "delta": {"stop_reason": "` + reason + `", "stop_sequence": null}, "usage": {"output_tokens": 1}}`,
		`{"type": "message_stop"}`,
	} {
		kind, _, _ := strings.Cut(strings.TrimPrefix(event, `{"type": "`), `"`)
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, event)
	}
}
