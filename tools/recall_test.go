package tools_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/hooks"
)

// assistant has hooks that call recall.
type assistant struct {
	client

	root string
}

// newHooks has a project of some documents, of which one is about pools, one is a rule and
// cites a file, and one replaces another.
func newHooks(t *testing.T, config string) *assistant {
	t.Helper()
	return newHooksOn(t, config, setup(t))
}

// declaring returns a document with triggers.
func declaring(triggers, document string) string {
	return strings.Replace(document, "---\n", "---\ntriggers: ["+triggers+"]\n", 1)
}

func newHooksOn(t *testing.T, config string, f *fixture) *assistant {
	t.Helper()
	c := connect(t, f.server, protocolVersions()["handshake"])
	documents := map[string]string{
		"src/crane.go": "package src\n",
		"csharp-compounding-docs/problems/pool.md": "---\ntitle: Connection pool exhausted\ndate: 2026-01-02\nsummary: s\n" +
			"significance: performance\nproblem_type: bug\nsymptoms: [timeouts]\nroot_cause: leaked connections\nsolution: close them\n---\n\n" +
			"PgxPoolExhausted: the connection pool was exhausted by leaked connections of the harbour importer.\n",
		"csharp-compounding-docs/insights/jobs.md":   insight("Jobs", "standard", "What is in `app/jobs/` runs at night."),
		"csharp-compounding-docs/insights/layout.md": insight("Layout", "standard", "`app/models/` has tables, `app/views/` pages and `app/jobs/` what runs at night."),
		"csharp-compounding-docs/insights/crane.md":  insight("Crane rule", "critical", "Cranes of `src/crane.go` stop in storms."),
		"csharp-compounding-docs/insights/claims.md": declaring(`{run: kubectl delete pvc}`, insight("Claims of Kafka", "critical", "Never run `kubectl delete pvc` in streaming: its disk is gone.")),
		"csharp-compounding-docs/insights/ships.md": declaring(`{edit: "db/*.sql", writes: ALTER TABLE ships ADD COLUMN}, {run: flood --all, say: Floods are for the harbour office.}`,
			insight("Columns of ships", "standard", "A plain `ALTER TABLE ships ADD COLUMN` locks the table for an hour.")),
		"csharp-compounding-docs/problems/tide.md": "---\ntitle: Tide import stops\ndate: 2026-01-02\nsummary: s\nsignificance: performance\n" +
			"problem_type: bug\nsymptoms: [stops]\nroot_cause: the almanac has a gap\nsolution: Fill the gap of the almanac by hand\n---\n\n" +
			"```\ntide import: no almanac for day 31 of harbour 7\n```\n",
		"csharp-compounding-docs/insights/old.md": insight("Old tide tables", "standard", "TideTableLoader reads paper almanacs."),
		"csharp-compounding-docs/insights/new.md": strings.Replace(
			insight("New tide tables", "standard", "The loader of tides asks the harbour office."), "---\n", "---\nsupersedes: old.md\n", 1),
	}
	for i := range 12 {
		name := string(rune('a' + i))
		documents["csharp-compounding-docs/insights/other-"+name+".md"] = insight("Other "+name, "standard", "Notes "+name+" on lunch "+name+".")
	}
	root := newProject(t, config, documents)
	c.activate(t, root)
	return &assistant{c, root}
}

// call returns what an event adds to the conversation, "" for nothing.
func (h *assistant) call(t *testing.T, in arguments) string {
	t.Helper()
	out := h.answer(t, in)
	if out.Hook == nil {
		return ""
	}
	if out.Hook.Event != in["event"] || out.Hook.Context == "" || strings.Contains(out.Hook.Context, "\n") {
		t.Errorf("recall answers %+v, want one line for the same event", *out.Hook)
	}
	atMostTokens(t, "what recall adds", []byte(out.Hook.Context), 160)
	return out.Hook.Context
}

// answer returns what recall answers. Silence is an empty object.
func (h *assistant) answer(t *testing.T, in arguments) (out hooks.Answer) {
	t.Helper()
	got := h.ask(t, "recall", in)
	if err := json.Unmarshal(got.Structured, &out); err != nil || got.IsError || out == (hooks.Answer{}) && got.Text != "{}" {
		t.Fatalf("recall answers %s, %v", got.Text, err)
	}
	return out
}

func prompt(session, text string) arguments {
	return arguments{"event": "UserPromptSubmit", "session_id": session, "prompt": text}
}

func TestRecall_CanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	const question = "why does PgxPoolExhausted come, was the connection pool exhausted by leaked connections?"
	for _, test := range []struct {
		recall       string
		prompt, edit bool
	}{{"all", true, true}, {"prompt", true, false}, {"off", false, false}} {
		h := newHooks(t, `{"project_name": "p", "recall": "`+test.recall+`"}`)
		if got := h.call(t, prompt("s", question)); (got != "") != test.prompt {
			t.Errorf("%s: a prompt gives %q", test.recall, got)
		}
		edit := arguments{"event": "PreToolUse", "session_id": "s", "tool_name": "Edit", "file_path": "src/crane.go"}
		if got := h.call(t, edit); (got != "") != test.edit {
			t.Errorf("%s: an edit gives %q", test.recall, got)
		}
	}
}

// A hook is answered at once and with silence where there is no project.
func TestRecall_IsSilentWithoutAProject(t *testing.T) {
	t.Parallel()
	c := connect(t, setup(t).server, protocolVersions()["stateless"])
	result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "recall", Arguments: prompt("s", "anything")})
	if err != nil || result.IsError {
		t.Fatalf("%v, %v", result, err)
	}
}

// Every document that cites a file is pointed to in turn, and of a document that was replaced its successor.
func TestRecall_EachDocumentThatCitesAFile(t *testing.T) {
	t.Parallel()
	c := connect(t, setup(t).server, protocolVersions()["handshake"])
	const folder = "csharp-compounding-docs/insights/"
	files := map[string]string{
		"src/quay.go":         "package src\n",
		folder + "new.md":     strings.Replace(insight("New quays", "standard", "Quays are built of steel."), "---\n", "---\nsupersedes: quay-a.md\n", 1),
		folder + "refused.md": strings.Replace(insight("Wooden quays", "standard", "Wood for `src/quay.go`."), "---\n", "---\nstatus: rejected\n", 1),
	}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		files[folder+"quay-"+name+".md"] = insight("Quay "+name, "standard", "About `src/quay.go` and "+name+".")
	}
	h := &assistant{c, newProject(t, `{"project_name": "p"}`, files)}
	c.activate(t, h.root)
	edit := arguments{
		"event": "PreToolUse", "session_id": "1", "tool_name": "Edit",
		"file_path": filepath.Join(h.root, "src/quay.go"), "new_string": "x",
	}
	all := ""
	for range 6 {
		all += h.call(t, edit) + "\n"
	}
	for _, want := range []string{"new.md", "quay-b.md", "quay-c.md", "quay-d.md", "quay-e.md", "refused.md"} {
		if strings.Count(all, "./"+folder+want) != 1 {
			t.Errorf("%s is not pointed to once:\n%s", want, all)
		}
	}
	if !strings.Contains(all, "; rejected; ") {
		t.Errorf("no mark of the rejected document:\n%s", all)
	}
}
