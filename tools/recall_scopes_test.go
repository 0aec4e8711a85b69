package tools_test

import (
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/hooks"
	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// Rules with scopes that people wrote for their assistants are heard by all of them, except by the one that loads them itself.
func TestRecall_RulesOfAssistants(t *testing.T) {
	t.Parallel()
	f := setup(t)
	c := connect(t, f.server, protocolVersions()["handshake"])
	files := map[string]string{
		".claude/rules/api.md":              "---\npaths: [\"src/api/**/*.ts\"]\n---\n# Handlers\n\n- Every handler validates its input.\n",
		".cursor/rules/tests.mdc":           "---\nglobs: **/*.test.ts, e2e/**\nalwaysApply: false\n---\n# Clocks\n\nTests never use the real clock.\n",
		".github/instructions/py.md":        "---\napplyTo: \"**/*.py\"\n---\n# Python\n\nLog with structlog.\n",
		".kiro/steering/sql.md":             "---\ninclusion: fileMatch\nfileMatchPattern: \"db/**/*.{sql,psql}\"\n---\n# SQL\n\nMigrations only go forward.\n",
		".claude/rules/wide.md":             "---\npaths: \"**\"\n---\n# Wide\n\nThis rule is for everything there is.\n",
		"packages/pay/AGENTS.md":            "# Payments\n\nAmounts are in cents.\n",
		"packages/pay/CLAUDE.md":            "# Payments\n\nAmounts are in cents.\n",
		"AGENTS.md":                         "# All\n\nEach assistant reads this by itself.\n",
		"csharp-compounding-docs/README.md": "# Documents\n\nOf this project.\n",
	}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		files["lib/"+name+".go"] = "package lib\n"
	}
	root := newProject(t, `{"project_name": "p", "documents": {"folders": ["packages"], "lenient": true}}`, files)
	repo := gitrepo.At(t, root)
	repo.Git("init", "-q")
	repo.Git("symbolic-ref", "HEAD", "refs/heads/feature/new-feature")
	repo.Commit()
	c.activate(t, root)
	h := &assistant{c, root}
	for file, want := range map[string]string{
		"src/api/a.ts": "api.md", "src/api/a.test.ts": "api.md", "e2e/x.ts": "tests.mdc", "x/y.py": "py.md", "db/1/a.psql": "sql.md",
		"packages/pay/src/a.go": "pay/AGENTS.md", "lib/a.go": "", "main.ts": "",
	} {
		got := h.call(t, arguments{"event": "PreToolUse", "session_id": file, "tool_name": "Write", "file_path": file, "content": "x"})
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s gets %q, want %q", file, got, want)
		}
	}
	for client, want := range map[string]bool{"claude": false, "cursor": true} {
		out := f.handler.Recall(t.Context(), hooks.Event{
			Event: hooks.Before, SessionID: client, ToolName: "Edit", FilePath: "packages/pay/CLAUDE.md", Client: client,
		})
		if out.Hook != nil { // a document itself
			t.Errorf("%s: an edit of a rule gets %+v", client, out.Hook)
		}
		write(t, root, "src/api/b.ts", "export {}\n")
		out = f.handler.Recall(t.Context(), hooks.Event{
			Event: hooks.Before, SessionID: client, ToolName: "Edit", FilePath: "src/api/b.ts", NewString: "x", Client: client,
		})
		if (out.Hook != nil) != want {
			t.Errorf("%s: an edit in the scope of Claude Code's rule gets %+v", client, out.Hook)
		}
	}
	found := h.ask(t, "semantic_search", arguments{"query": "does a handler validate its input?"})
	if !strings.Contains(found.Text, ".claude/rules/api.md") {
		t.Errorf("search does not find the rule: %s", found.Text)
	}
}

// A configuration may leave the rules out.
func TestRecall_WithoutRulesOfAssistants(t *testing.T) {
	t.Parallel()
	c := connect(t, setup(t).server, protocolVersions()["handshake"])
	root := newProject(t, `{"project_name": "p", "rules": false, "documents": {"lenient": true}}`, map[string]string{
		".claude/rules/api.md":         "---\npaths: [\"src/**\"]\n---\n# Handlers\n\n- Every handler validates its input.\n",
		"csharp-compounding-docs/a.md": "# Documents\n\nOf this project.\n",
	})
	c.activate(t, root)
	h := &assistant{c, root}
	got := h.call(t, arguments{"event": "PreToolUse", "session_id": "s", "tool_name": "Write", "file_path": "src/a.ts", "content": "x"})
	if got != "" {
		t.Errorf("an edit gets %q", got)
	}
}
