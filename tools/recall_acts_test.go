package tools_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/hooks"
	"github.com/compound-docs/compound-docs/internal/project"
)

func command(session, line string) arguments {
	return arguments{"event": "PreToolUse", "session_id": session, "tool_name": "Bash", "command": line}
}

func after(event, session, line, output string) arguments {
	return arguments{"event": event, "session_id": session, "tool_name": "Bash", "command": line, "error": output}
}

const script = "#!/bin/sh\nset -eu\ncurl -sf http://localhost/health || exit 1\nfor i in 0 1 2; do\n" +
	"  kubectl -n streaming \\\n    delete pvc data-$i\ndone\necho \"all of the disks are new\"\ntar czf logs.tgz logs && mv logs.tgz /srv\n"

const warned = "kubectl -n streaming delete pvc/data-0"

// Before a command runs, after it failed and before a text is written, recall points to the document that
// speaks of it, and quotes the rule or the remedy.
func TestRecall_PointsToWhatAnActNeeds(t *testing.T) {
	t.Parallel()
	f := setup(t)
	h := newHooksOn(t, `{"project_name": "p"}`, f)
	for name, test := range map[string]struct {
		event arguments
		want  []string
	}{
		"a command":           {command("1", warned), []string{"insights/claims.md:", "(for this command; 2025-01-15; critical)", "its disk is gone"}},
		"an everyday command": {command("2", "kubectl get pods -n streaming && git status"), nil},
		"a failure": {
			after("PostToolUseFailure", "3", "bin/tide", "Exit code 1\n\x1b[31mtide import: no almanac for day 2 of harbour 9\x1b[0m"),
			[]string{"problems/tide.md:", "Fill the gap of the almanac by hand"},
		},
		"another failure": {after("PostToolUseFailure", "4", "go test ./...", "Exit code 1\n--- FAIL: TestTide\nwant 3, got 4"), nil},
		"a new file": {
			arguments{"event": "PreToolUse", "session_id": "5", "tool_name": "Write", "file_path": "db/1.sql", "content": "alter table ships add column x int;"},
			[]string{"insights/ships.md:", "(for this edit; 2025-01-15"},
		},
		"an edit": {
			arguments{"event": "PreToolUse", "session_id": "6", "tool_name": "Edit", "file_path": "db/2.sql", "new_string": "ALTER TABLE ships ADD COLUMN x int;"},
			[]string{"insights/ships.md:"},
		},
		"a script with a command": {
			arguments{"event": "PreToolUse", "session_id": "9", "tool_name": "Write", "file_path": "ops/clean.sh", "content": script},
			[]string{"insights/claims.md:", "(for this edit; 2025-01-15"},
		},
		"an edit of a script": {
			arguments{"event": "PreToolUse", "session_id": "10", "tool_name": "Edit", "file_path": "ops/clean.sh", "new_string": "kubectl -n streaming delete pvc \"$1\""},
			[]string{"insights/claims.md:"},
		},
		"a script that mentions a command": {
			arguments{"event": "PreToolUse", "session_id": "11", "tool_name": "Write", "file_path": "ops/clean.sh", "content": "# kubectl -n x delete pvc\necho done\n"}, nil,
		},
		"the second rule of a document": {command("14", "sh ./flood -x --all"), []string{"insights/ships.md:", `"Floods are for the harbour office."`}},
		"a statement for a tool of another server": {
			arguments{"event": "PreToolUse", "session_id": "15", "tool_name": "mcp__pg__query", "sql": "alter table ships add column x int"}, nil, // no trigger for a client
		},
		"a file that a command writes": {
			command("16", "cat > db/4.sql <<'EOF'\nALTER TABLE ships ADD COLUMN x int;\nEOF"), []string{"insights/ships.md:", "for this edit"},
		},
		"an everyday edit": {
			arguments{"event": "PreToolUse", "session_id": "7", "tool_name": "Edit", "file_path": "db/3.sql", "new_string": "SELECT 1"}, nil,
		},
		"an edit below a folder which is cited":          {arguments{"event": "PreToolUse", "session_id": "12", "tool_name": "Edit", "file_path": "app/jobs/a.go", "new_string": "x"}, []string{"insights/jobs.md:", "cites app/jobs/"}},
		"an edit below a folder of a project's overview": {arguments{"event": "PreToolUse", "session_id": "13", "tool_name": "Edit", "file_path": "app/models/a.go", "new_string": "x"}, nil},
		"a command that edits a file which is cited":     {command("8", "sed -i s/a/b/ src/crane.go"), []string{"insights/crane.md:"}},
	} {
		got := h.call(t, test.event)
		for _, want := range test.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: recall says %q, want %q in it", name, got, want)
			}
		}
		if test.want == nil && got != "" {
			t.Errorf("%s: recall says %q, want silence", name, got)
		}
	}
	if again := h.call(t, command("1", warned)); again != "" {
		t.Errorf("a second time in the session: %q", again)
	}
	for late, want := range map[bool]string{false: "", true: "insights/claims.md:"} {
		out := f.handler.Recall(t.Context(), hooks.Event{
			Event: hooks.Failure, SessionID: fmt.Sprintf("late-%t", late), ToolName: "Bash", Command: warned, Error: "Exit code 1\nno", Late: late,
		})
		if said := cmp.Or(out.Hook, &hooks.Output{}).Context; said == "" != (want == "") || !strings.Contains(said, want) {
			t.Errorf("a failure, with an event before it %t: %q", !late, said)
		}
	}
	for root, want := range map[string]bool{h.root: true, t.TempDir(): false} { // the project that must answer
		out := f.handler.Recall(t.Context(), hooks.Event{
			Event: hooks.Before, SessionID: root, ToolName: "Bash", Command: warned, Root: root,
		})
		if (out.Hook != nil) != want {
			t.Errorf("for the project at %s: %+v", root, out.Hook)
		}
	}
}

// A user who wants it has the assistant denied a call once that a critical document warns of. A repository
// cannot turn that on.
func TestRecall_Guards(t *testing.T) {
	t.Parallel()
	settings := project.DefaultSettings()
	settings.Recall, settings.RecallVisible = project.RecallGuard, true
	h := newHooksOn(t, `{"project_name": "p"}`, setupWith(t, settings))
	decide := func(in arguments) (decision, reason, message string) {
		t.Helper()
		out := h.answer(t, in)
		hook := cmp.Or(out.Hook, &hooks.Output{})
		return hook.Decision, hook.Reason, out.Message
	}
	decision, reason, message := decide(command("s", warned))
	if decision != "deny" || !strings.Contains(reason, "insights/claims.md:") || !strings.Contains(reason, "repeat it") || message == "" {
		t.Errorf("first: %q, %q; the person sees %q", decision, reason, message)
	}
	if decision, reason, _ := decide(command("s", warned)); decision != "" || reason != "" {
		t.Errorf("the second time: %q, %q", decision, reason)
	}
	standard := arguments{"event": "PreToolUse", "session_id": "s", "tool_name": "Write", "file_path": "db/1.sql", "content": "ALTER TABLE ships ADD COLUMN x"}
	if decision, _, message := decide(standard); decision != "" || message == "" {
		t.Errorf("a document that is not critical: %q, and the person sees %q", decision, message)
	}
	if decision, _, _ := decide(arguments{"event": "PreToolUse", "session_id": "s", "tool_name": "Edit", "file_path": "src/crane.go", "new_string": "x"}); decision != "deny" {
		t.Errorf("an edit of a cited file: %q", decision)
	}
}

// Hooks search the collections that the user's settings name: by default the project's own documents, which are
// those of documents.folders too.
func TestRecall_SearchesTheCollectionsOfTheSettings(t *testing.T) {
	t.Parallel()
	own := project.DefaultSettings().RecallCollections
	for name, test := range map[string]struct {
		collections []string
		docs        string // what the configuration says of docs/
		want        string
	}{
		"default":                   {own, `"external_docs": {"path": "./docs"}`, "own"},
		"docs that are the project": {own, `"documents": {"folders": ["docs"]}`, "own docs"},
		"the handbook alone":        {[]string{"handbook"}, `"external_docs": {"path": "./docs"}`, "handbook"},
		"all":                       {[]string{"compounding", "external", "handbook"}, `"external_docs": {"path": "./docs"}`, "own docs handbook"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings := project.DefaultSettings()
			settings.RecallCollections = test.collections
			f := setupWith(t, settings)
			text := func(title, word string) string {
				return title + "\n\n" + word + "PoolError: the " + word + " connection pool was exhausted by leaked connections of the importer. " +
					"Never drain it.\n"
			}
			documents := map[string]string{
				"csharp-compounding-docs/insights/own.md": declaring("{run: Ownctl drain}", insight("The own pool", "standard", text("", "Own"))),
				"docs/docs.md": "---\ntriggers: [{run: Docsctl drain}]\n---\n\n" + text("# The pool of the docs", "Docs"),
			}
			handbook := map[string]string{"handbook/handbook.md": text("# The pool of the handbook", "Handbook")}
			for i := range 12 {
				lunch := fmt.Sprintf("# Other %d\n\nNotes %d on lunch %d.\n", i, i, i)
				documents[fmt.Sprintf("docs/other-%d.md", i)], handbook[fmt.Sprintf("handbook/other-%d.md", i)] = lunch, lunch
				documents[fmt.Sprintf("csharp-compounding-docs/insights/other-%d.md", i)] = insight(fmt.Sprint("Other ", i), "standard", lunch)
			}
			f.ingest(t, handbook)
			c := connect(t, f.server, protocolVersions()["handshake"])
			h := &assistant{c, newProject(t, `{"project_name": "p", `+test.docs+`}`, documents)}
			c.activate(t, h.root)
			for _, word := range []string{"Own", "Docs", "Handbook"} {
				searched := strings.Contains(test.want, strings.ToLower(word))
				question := prompt("prompt "+word, "why does "+word+"PoolError come, was the connection pool exhausted by leaked connections?")
				if got := h.call(t, question); strings.Contains(got, strings.ToLower(word)+".md:") != searched {
					t.Errorf("about %s a prompt gets %q", word, got)
				}
				// What the handbook quotes is not compared with commands.
				quotes := searched && word != "Handbook"
				if got := h.call(t, command("command "+word, word+"ctl drain -v --all")); strings.Contains(got, strings.ToLower(word)+".md:") != quotes {
					t.Errorf("about %s a command gets %q", word, got)
				}
			}
		})
	}
}

// A trigger may be as wide as all files, name documents, and say as little as two words. An edit of a file is answered
// with the lines of the document that cite it.
func TestRecall_WideAndShortTriggers(t *testing.T) {
	t.Parallel()
	c := connect(t, setup(t).server, protocolVersions()["handshake"])
	const folder = "csharp-compounding-docs/insights/"
	long := strings.Repeat("Ships come and go with the tide, and nobody counts them at night.\n\n", 60)
	h := &assistant{c, newProject(t, `{"project_name": "p"}`, map[string]string{
		"src/quay.go":         "package src\n",
		"src/it.go":           "package src\n",
		folder + "what.md":    insight("What is it", "standard", "`src/it.go` counts the tides."),
		folder + "licence.md": declaring(`{edit: "**", new: true, say: Add a licence.}`, insight("The licence", "standard", "Each file names its licence at the top.")),
		folder + "install.md": declaring(`{run: npm install, say: Use pnpm.}`, insight("Packages", "standard", "Another manager would write a second file of locked versions.")),
		folder + "writing.md": declaring(`{edit: "`+folder+`*.md", writes: TODO}`, insight("Writing", "standard", "No document has a TODO: it is written when it is true.")),
		folder + "quays.md":   insight("Quays", "standard", long+"Before you change `src/quay.go`, ask the harbour master.\n"),
	})}
	c.activate(t, h.root)
	for name, test := range map[string]struct {
		event arguments
		want  string
	}{
		"a new file":            {arguments{"event": "PreToolUse", "tool_name": "Write", "file_path": "src/new.go", "content": "x"}, `"Add a licence."`},
		"a short sentence":      {command("2", "npm install"), `"Use pnpm."`},
		"an edited document":    {arguments{"event": "PreToolUse", "tool_name": "Edit", "file_path": folder + "quays.md", "new_string": "TODO"}, "writing.md"},
		"a title of stop words": {arguments{"event": "PreToolUse", "tool_name": "Edit", "file_path": "src/it.go", "new_string": "x"}, "counts the tides"},
		"a cited file":          {arguments{"event": "PreToolUse", "tool_name": "Edit", "file_path": "src/quay.go", "new_string": "x"}, "ask the harbour master"},
	} {
		test.event["session_id"] = name
		if got := h.call(t, test.event); !strings.Contains(got, test.want) {
			t.Errorf("%s gets %q, want %s", name, got, test.want)
		}
	}
}
