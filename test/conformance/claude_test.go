package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/gitrepo"
)

const toolPrefix = "mcp__plugin_cdocs_compound-docs__"

// claudeRequest is a request of Claude Code for a message.
type claudeRequest struct {
	Messages json.RawMessage `json:"messages"`
	System   json.RawMessage `json:"system"`
	Tools    []struct {
		Name     string `json:"name"`
		Deferred bool   `json:"defer_loading"`
	} `json:"tools"`
}

func requestsOf(t *testing.T, model *scriptedModel) []claudeRequest {
	t.Helper()
	bodies := model.received()
	requests := make([]claudeRequest, len(bodies))
	for i, body := range bodies {
		if err := json.Unmarshal([]byte(body), &requests[i]); err != nil {
			t.Fatalf("%v in %s", err, body)
		}
	}
	return requests
}

// text is all that the model reads except the tools, as JSON.
func (r claudeRequest) text() string { return string(r.System) + string(r.Messages) }

// shown returns the tools of the server that are there with their schemas.
func (r claudeRequest) shown() (names []string) {
	for _, tool := range r.Tools {
		if strings.HasPrefix(tool.Name, toolPrefix) && !tool.Deferred {
			names = append(names, tool.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Claude Code, with the plugin from this repository's marketplace, shows the model the two
// marked tools from the first request on, names the critical document, and answers from
// the worktree that it has entered.
func TestClaudeCode(t *testing.T) {
	t.Parallel()
	search := step{toolPrefix + "semantic_search", `{"query": "zebra crossing", "mode": "lexical"}`}
	model := startModel(t, "/v1/messages", "", messages)
	model.script(search, step{"EnterWorktree", `{"name": "other"}`}, search)
	_, claude := withPlugin(t, model, "{}", func(r *gitrepo.Repo) {
		r.Git("init", "-q", "-b", "main")
		r.Commit()
		r.Put("csharp-compounding-docs/tools/zebra.md", zebra) // not committed, so it is not in the worktree
	})
	claude("-p", "Hello", "--allowedTools", search.tool, "EnterWorktree")

	requests := requestsOf(t, model)
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
		answers = shortlist + ": ./csharp-compounding-docs/problems/db-pool-exhaustion-20250115.md"
		cites   = "(cites src/zebra.cs; 2026-01-02)"
		writes  = "write it down now as a document"
	)
	model := startModel(t, "/v1/messages", "", messages)
	repository, claude := withPlugin(t, model, "{}", func(r *gitrepo.Repo) {
		r.Put("src/zebra.cs", "class Zebra {}\n")
		r.Put("csharp-compounding-docs/tools/zebra.md", strings.Replace(zebra, "crossing", "of `src/zebra.cs`", 1))
	})
	// says runs Claude Code and expects a number of requests. The last one has each text as often
	// as texts says.
	says := func(requests int, texts map[string]int, arguments ...string) {
		t.Helper()
		before := len(model.received())
		claude(arguments...)
		received := requestsOf(t, model)[before:]
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
	model.script(step{"Read", fmt.Sprintf(`{"file_path": %q}`, file)}, edit("Zebra", "Okapi"), edit("Okapi", "Quagga"))
	says(4, map[string]int{memory: 1, cites: 1}, "-p", "Rename the class", "--allowedTools", "Read", "Edit")
	if got := repository.Read("src/zebra.cs"); got != "class Quagga {}\n" {
		t.Errorf("the hooks are in the way of the edits: the file has %q", got)
	}
}

const zebra = "---\ntitle: Zebra\ndate: 2026-01-02\nsummary: Striped horse\nsignificance: integration\n" +
	"tool_name: Zebra\nversion: 1\nknowledge_type: gotcha\n---\n\nZebra crossing.\n"

// acting has documents that speak of what the model does in the tests below.
func acting(r *gitrepo.Repo) {
	for name, says := range map[string]string{
		"flood": "promotion_level: critical\ntriggers:\n  - run: flood --all\n---\n\nNever run `flood --all`: it empties the docks.",
		"tide":  "---\n\n```\ntide import: no almanac for day 31 of harbour 7\n```\n\nFill the gap of the almanac by hand.",
		"ships": "triggers:\n  - edit: \"*.sql\"\n    writes: ALTER TABLE ships ADD COLUMN\n---\n\nA plain `ALTER TABLE ships ADD COLUMN` locks the table for an hour.",
	} {
		r.Put("csharp-compounding-docs/tools/"+name+".md", "---\ntitle: About "+name+"\ndate: 2026-01-02\nsummary: s\n"+
			"significance: integration\ntool_name: x\nversion: 1\nknowledge_type: gotcha\n"+says+"\n")
	}
	r.Put("flood", "#!/bin/sh\necho flooded >>flooded\n")
	r.Put("tide", "#!/bin/sh\necho tide import: no almanac for day 2 of harbour 9\nexit 3\n")
}

func bash(line string) step {
	return call("Bash", map[string]any{"command": line, "description": "run"})
}

// The next request to the model has what the hooks say of a command, a failure and a text, and the first one of
// a subagent has what its task needs. An everyday act adds nothing, and nothing comes twice.
func TestClaudeCode_RecallsWhereItActs(t *testing.T) {
	t.Parallel()
	const own = ": ./csharp-compounding-docs/"
	model := startModel(t, "/v1/messages", "", messages)
	repository, claude := withPlugin(t, model, "{}", acting)
	claude("-p", "Hello") // and the index is made
	model.script(bash("git status"), bash("sh ./flood -x --all"), bash("sh ./tide"),
		call("Write", map[string]any{"file_path": repository.Path("1.sql"), "content": "alter table ships add column x int;\n"}),
		bash("sh ./flood --all"),
		call("Agent", map[string]any{"description": "look", "prompt": question, "subagent_type": "general-purpose"}))
	claude("-p", "Work", "--allowedTools", "Bash", "Write", "Agent")
	var received, subagent []string // requests of the conversation, and of the subagent, which may run beside it
	for _, r := range requestsOf(t, model) {
		if messages := string(r.Messages); strings.Contains(messages, `"Work"`) {
			received = append(received, messages)
		} else {
			subagent = append(subagent, messages)
		}
	}
	if len(received) < 7 || len(subagent) != 1 {
		t.Fatalf("%d requests of the conversation and %d of the subagent, want 7 or more, and 1", len(received), len(subagent))
	}
	for request, messages := range received {
		want := [][3]int{{}, {}, {1}, {1, 1}, {1, 1, 1}}[min(request, 4)]
		var got [3]int
		for i, document := range []string{"flood", "tide", "ships"} {
			got[i] = strings.Count(messages, memory+own+"tools/"+document+".md")
		}
		if got != want {
			t.Errorf("request %d has pointers to the command, the failure and the text %v times, want %v", request, got, want)
		}
	}
	if strings.Count(subagent[0], memory+own+"problems/db-pool-exhaustion-20250115.md") != 1 ||
		!strings.Contains(subagent[0], "semantic_search, or ask rag_query") {
		t.Errorf("the subagent hears nothing of its task:\n%s", subagent[0])
	}
}

// With guard, the first call that a critical document warns of is denied with the rule. The same call passes the
// second time.
func TestClaudeCode_IsGuarded(t *testing.T) {
	t.Parallel()
	model := startModel(t, "/v1/messages", "", messages)
	repository, claude := withPlugin(t, model, `{"recall": "guard"}`, acting)
	claude("-p", "Hello")
	model.script(bash("sh ./flood --all"), bash("sh ./flood --all"))
	claude("-p", "Work", "--allowedTools", "Bash")
	received := requestsOf(t, model)
	if len(received) != 3 {
		t.Fatalf("%d requests to the model, want 3", len(received))
	}
	denied := string(received[1].Messages)
	if !strings.Contains(denied, "it empties the docks") || !strings.Contains(denied, "repeat it") {
		t.Errorf("the rule is not in the request:\n%s", denied)
	}
	if got := repository.Read("flooded"); got != "flooded\n" {
		t.Errorf("the command wrote %q, want one line", got)
	}
}

// withPlugin returns the project after change, and a function that runs Claude Code in it, with a
// new home, the user's settings, the plugin of this repository, and the model.
func withPlugin(
	t *testing.T, model *scriptedModel, settings string, change func(*gitrepo.Repo),
) (repository *gitrepo.Repo, claude func(arguments ...string)) {
	t.Helper()
	program := os.Getenv("CDOCS_CLAUDE")
	if program == "" {
		t.Skip("CDOCS_CLAUDE names no Claude Code; docs/conformance.md says how to install it")
	}
	in := install(t)
	if err := os.WriteFile(filepath.Join(in.Home, "settings.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
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
