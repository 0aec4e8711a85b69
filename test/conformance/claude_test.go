package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/test/mcpclient"
)

const toolPrefix = "mcp__plugin_cdocs_compound-docs__"

// Claude Code, with the plugin from this repository's marketplace, shows the model the two
// marked tools from the first request on, names the critical document, and answers from
// the worktree that it has entered.
func TestClaudeCode(t *testing.T) {
	t.Parallel()
	program := os.Getenv("CDOCS_CLAUDE")
	if program == "" {
		t.Skip("CDOCS_CLAUDE names no Claude Code; docs/conformance.md says how to install it")
	}
	in := install(t)
	repository := gitrepo.At(t, in.Root)
	repository.Git("init", "-q", "-b", "main")
	repository.Commit()
	// Not committed, so it is not in the worktree.
	repository.Put("csharp-compounding-docs/tools/zebra.md", "---\ntitle: Zebra\ndate: 2026-01-02\nsummary: Striped horse\n"+
		"significance: integration\ntool_name: Zebra\nversion: 1\nknowledge_type: gotcha\n---\n\nZebra crossing.\n")
	search := step{toolPrefix + "semantic_search", `{"query": "zebra crossing", "mode": "lexical"}`}
	model := startModel(t, search, step{"EnterWorktree", `{"name": "other"}`}, search)
	claude := claudeCode(t, program, in, model.url)

	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	claude("plugin", "validate", "--strict", root)
	claude("plugin", "validate", "--strict", filepath.Join(root, "plugin"))
	claude("plugin", "marketplace", "add", root)
	claude("plugin", "install", "cdocs@compound-docs")
	claude("-p", "Hello", "--allowedTools", search.tool, "EnterWorktree")

	requests := model.received()
	if len(requests) != 4 {
		t.Fatalf("%d requests to the model, want 4", len(requests))
	}
	want := []string{toolPrefix + "rag_query", toolPrefix + "semantic_search"}
	if diff := cmp.Diff(want, requests[0].shown()); diff != "" {
		t.Errorf("tools that the model sees at first (-want +got):\n%s", diff)
	}
	if !strings.Contains(string(requests[0].Messages)+string(requests[0].System), "in 1 critical document") {
		t.Error("the model is not told of the critical document")
	}
	found := func(n int) int { return strings.Count(string(requests[n].Messages), "Striped horse") }
	if found(1) == 0 || found(3) != found(1) {
		t.Errorf("the document is quoted %d times before and %d times after a search in a worktree without it", found(1), found(3))
	}
}

// Claude Code's hooks call recall: a prompt that a document answers reaches the model with
// one line of the project's memory, an everyday prompt as it is.
func TestClaudeCode_Recalls(t *testing.T) {
	t.Parallel()
	program := os.Getenv("CDOCS_CLAUDE")
	if program == "" {
		t.Skip("CDOCS_CLAUDE names no Claude Code; docs/conformance.md says how to install it")
	}
	in := install(t)
	repository := gitrepo.At(t, in.Root)
	repository.Git("init", "-q", "-b", "main")
	repository.Commit()
	model := startModel(t)
	claude := claudeCode(t, program, in, model.url)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	claude("plugin", "marketplace", "add", root)
	claude("plugin", "install", "cdocs@compound-docs")
	claude("-p", "background jobs fail with an exhausted database connection pool and missing disposal")
	claude("-p", "fix it")
	const line = "From this project's memory (compound-docs): ./csharp-compounding-docs/problems/db-pool-exhaustion-20250115.md"
	requests := model.received()
	if len(requests) != 2 {
		t.Fatalf("%d requests to the model, want 2", len(requests))
	}
	if n := strings.Count(string(requests[0].Messages), line); n != 1 {
		t.Errorf("the line is in the first request %d times, want once:\n%s", n, requests[0].Messages)
	}
	if strings.Contains(string(requests[1].Messages), "memory (compound-docs)") {
		t.Errorf("an everyday prompt is not left alone:\n%s", requests[1].Messages)
	}
}

// claudeCode returns a function that runs Claude Code in the project, with a home of its
// own and a model at url.
func claudeCode(t *testing.T, program string, in mcpclient.Installation, url string) func(arguments ...string) {
	t.Helper()
	in.Program, in.Environment = program, []string{
		"PATH=" + filepath.Dir(in.Program) + string(os.PathListSeparator) + os.Getenv("PATH"), "CLAUDE_CONFIG_DIR=" + t.TempDir(),
		"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=any", "CDOCS_LOG_LEVEL=error",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
	}
	return func(arguments ...string) {
		t.Helper()
		if output, err := in.Command(arguments...).CombinedOutput(); err != nil {
			t.Fatalf("claude %q: %v\n%s", arguments, err, output)
		}
	}
}

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

// scriptedModel stands in for the API: it makes the calls of its steps, one a request,
// and then says that it is done.
type scriptedModel struct {
	url   string
	steps []step

	mu       sync.Mutex
	requests []modelRequest
}

func startModel(t *testing.T, steps ...step) *scriptedModel {
	t.Helper()
	m := &scriptedModel{steps: steps}
	server := httptest.NewServer(http.HandlerFunc(m.answer))
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
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
	m.mu.Unlock()
	block, delta, reason := `{"type": "text", "text": ""}`, `{"type": "text_delta", "text": "Done."}`, "end_turn"
	if n < len(m.steps) {
		block = fmt.Sprintf(`{"type": "tool_use", "id": "toolu_%d", "name": %q, "input": {}}`, n, m.steps[n].tool)
		delta = fmt.Sprintf(`{"type": "input_json_delta", "partial_json": %q}`, m.steps[n].input)
		reason = "tool_use"
	}
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
