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
)

const toolPrefix = "mcp__plugin_cdocs_compound-docs__"

// Claude Code, with the plugin from this repository's marketplace, shows the model the two
// marked tools from the first request on, names the critical document, and answers from
// the worktree that it has entered.
func TestClaudeCode(t *testing.T) {
	t.Parallel()
	search := step{toolPrefix + "semantic_search", `{"query": "zebra crossing", "mode": "lexical"}`}
	model := startModel(t)
	model.script("Done.", search, step{"EnterWorktree", `{"name": "other"}`}, search)
	_, claude := withPlugin(t, model, func(r *gitrepo.Repo) {
		r.Git("init", "-q", "-b", "main")
		r.Commit()
		r.Put("csharp-compounding-docs/tools/zebra.md", zebra) // not committed, so it is not in the worktree
	})
	claude("-p", "Hello", "--allowedTools", search.tool, "EnterWorktree")

	requests := model.received()
	if len(requests) != 4 {
		t.Fatalf("%d requests to the model, want 4", len(requests))
	}
	want := []string{toolPrefix + "rag_query", toolPrefix + "semantic_search"}
	if diff := cmp.Diff(want, requests[0].shown()); diff != "" {
		t.Errorf("tools that the model sees at first (-want +got):\n%s", diff)
	}
	if !strings.Contains(requests[0].text(), "in 1 critical document") {
		t.Error("the model is not told of the critical document")
	}
	found := func(n int) int { return strings.Count(string(requests[n].Messages), "Striped horse") }
	if found(1) == 0 || found(3) != found(1) {
		t.Errorf("the document is quoted %d times before and %d times after a search in a worktree without it", found(1), found(3))
	}
}

// Claude Code's hooks, installed by the plugin, call recall. Its answer is in the request to the
// model, once in a session; its silence adds nothing.
func TestClaudeCode_Recalls(t *testing.T) {
	t.Parallel()
	const (
		question = "background jobs fail with an exhausted database connection pool and missing disposal"
		memory   = "From this project's memory (compound-docs)"
		answers  = memory + ": ./csharp-compounding-docs/problems/db-pool-exhaustion-20250115.md"
		cites    = "cites src/zebra.cs. Read it before this edit."
		writes   = "write it down now as a document"
	)
	model := startModel(t)
	repository, claude := withPlugin(t, model, func(r *gitrepo.Repo) {
		r.Put("src/zebra.cs", "class Zebra {}\n")
		r.Put("csharp-compounding-docs/tools/zebra.md", strings.Replace(zebra, "crossing", "of `src/zebra.cs`", 1))
	})
	// says runs Claude Code and expects a number of requests. The last one has each text as often
	// as texts says.
	says := func(requests int, texts map[string]int, arguments ...string) {
		t.Helper()
		before := len(model.received())
		claude(arguments...)
		received := model.received()[before:]
		if len(received) != requests {
			t.Fatalf("claude %q: %d requests to the model, want %d", arguments, len(received), requests)
		}
		for text, want := range texts {
			if got := strings.Count(received[requests-1].text(), text); got != want {
				t.Errorf("claude %q: %q is %d times in the request, want %d:\n%s", arguments, text, got, want, received[requests-1].Messages)
			}
		}
	}

	says(1, map[string]int{memory: 0}, "-p", "Hello") // and the index is made
	says(1, map[string]int{memory: 1, answers: 1}, "-p", question)
	says(1, map[string]int{memory: 1, question: 2}, "-c", "-p", "Once more: "+question)
	claude("-c", "-p", "/compact") // the conversation becomes what the model says
	says(1, map[string]int{memory: 1, question: 1}, "-c", "-p", question)
	says(1, map[string]int{writes: 1}, "-c", "-p", "continue") // nothing was written down before the compaction
	says(1, map[string]int{writes: 1}, "-c", "-p", "continue")
	for _, everyday := range []string{"fix it", "continue", "run the tests and commit"} {
		says(1, map[string]int{memory: 0}, "-p", everyday)
	}

	file := repository.Path("src/zebra.cs")
	edit := func(from, to string) step {
		return step{"Edit", fmt.Sprintf(`{"file_path": %q, "old_string": %q, "new_string": %q}`, file, from, to)}
	}
	model.script("Done.", step{"Read", fmt.Sprintf(`{"file_path": %q}`, file)}, edit("Zebra", "Okapi"), edit("Okapi", "Quagga"))
	says(4, map[string]int{memory: 1, cites: 1}, "-p", "Rename the class", "--allowedTools", "Read", "Edit")
	if got := repository.Read("src/zebra.cs"); got != "class Quagga {}\n" {
		t.Errorf("the hooks are in the way of the edits: the file has %q", got)
	}
}

const zebra = "---\ntitle: Zebra\ndate: 2026-01-02\nsummary: Striped horse\nsignificance: integration\n" +
	"tool_name: Zebra\nversion: 1\nknowledge_type: gotcha\n---\n\nZebra crossing.\n"

// withPlugin returns the project after change, and a function that runs Claude Code in it, with a
// new home, the plugin of this repository, and the model.
func withPlugin(
	t *testing.T, model *scriptedModel, change func(*gitrepo.Repo),
) (repository *gitrepo.Repo, claude func(arguments ...string)) {
	t.Helper()
	program := os.Getenv("CDOCS_CLAUDE")
	if program == "" {
		t.Skip("CDOCS_CLAUDE names no Claude Code; docs/conformance.md says how to install it")
	}
	in := install(t)
	repository = gitrepo.At(t, in.Root)
	change(repository)
	in.Program, in.Environment = program, []string{
		"PATH=" + filepath.Dir(in.Program) + string(os.PathListSeparator) + os.Getenv("PATH"), "CLAUDE_CONFIG_DIR=" + t.TempDir(),
		"ANTHROPIC_BASE_URL=" + model.url, "ANTHROPIC_API_KEY=any", "CDOCS_LOG_LEVEL=error",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
	}
	claude = func(arguments ...string) {
		t.Helper()
		if output, err := in.Command(arguments...).CombinedOutput(); err != nil {
			t.Fatalf("claude %q: %v\n%s", arguments, err, output)
		}
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	claude("plugin", "validate", "--strict", root)
	claude("plugin", "validate", "--strict", filepath.Join(root, "plugin"))
	claude("plugin", "marketplace", "add", root)
	claude("plugin", "install", "cdocs@compound-docs")
	return repository, claude
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
