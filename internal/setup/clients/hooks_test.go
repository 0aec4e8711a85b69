package clients_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/setup/clients"
)

const oneHook = `{"hooks": {"PreToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "compound-docs recall --hook"}]}]}}`

// Hooks are added behind those of others, whose text and comments stay, and only once.
func TestPlanHooks(t *testing.T) {
	t.Parallel()
	const file = ".claude/settings.local.json"
	added := `{
        "matcher": "Edit",
        "hooks": [
          {
            "type": "command",
            "command": "compound-docs recall --hook"
          }
        ]
      }`
	for name, test := range map[string]struct{ old, want string }{
		"no file": {"", "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      " + added + "\n    ]\n  }\n}\n"},
		"other settings": {
			"{\n  \"model\": \"x\" // mine\n}\n",
			"{\n  \"model\": \"x\", // mine\n  \"hooks\": {\n    \"PreToolUse\": [\n      " + added + "\n    ]\n  }\n}\n",
		},
		"hooks of others": {
			"{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"hooks\": []} // theirs\n    ]\n  }\n}\n",
			"{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"hooks\": []}, // theirs\n      " + added + "\n    ]\n  }\n}\n",
		},
		"an empty list": {`{"hooks": {"PreToolUse": []}}`, "{\"hooks\": {\"PreToolUse\": [\n      " + added + "\n    ]}}"},
		"another form":  {`{"hooks": {"PreToolUse": 1}}`, ""},
		"a list":        {`{"hooks": []}`, ""},
		"no JSON":       {`{`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			if err := os.Mkdir(filepath.Join(root, ".claude"), 0o700); err != nil {
				t.Fatal(err)
			}
			if test.old != "" {
				put(t, filepath.Join(root, file), test.old)
			}
			change, err := clients.PlanHooks(root, "claude", file, []byte(oneHook))
			if test.want == "" {
				if err == nil || errors.Is(err, clients.ErrRegistered) || !strings.Contains(err.Error(), "add them by hand") {
					t.Errorf("it answers %v and %s, want an error that says what to do", err, change.Content)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(change.Content)); diff != "" {
				t.Errorf("the file (-want +got):\n%s", diff)
			}
			saved := "{\"permissions\": \"saved since the plan\"}"
			put(t, filepath.Join(root, file), saved)
			if err := change.Write(); !errors.Is(err, contain.ErrChanged) {
				t.Errorf("a file that was saved since the plan: %v", err)
			}
			change, err = clients.PlanHooks(root, "claude", file, []byte(oneHook))
			if err != nil {
				t.Fatal(err)
			}
			if err := change.Write(); err != nil {
				t.Fatal(err)
			}
			if _, err := clients.PlanHooks(root, "claude", file, []byte(oneHook)); !errors.Is(err, clients.ErrRegistered) {
				t.Errorf("a second time: %v, want that it has the hooks", err)
			}
		})
	}
}

// examples are files with hooks as the clients' own documentation shows them.
var examples = map[string]string{
	"antigravity": `{
  "lore": {
    "PreInvocation": [{"type": "command", "command": "lore", "timeout": 10}]
  }
}
`,
	"copilot": "", // a file of its own
	"kiro":    "",
	"codex": `{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          {
            "type": "command",
            "command": "/usr/bin/python3 \"$(git rev-parse --show-toplevel)/.codex/hooks/pre_tool_use_policy.py\"",
            "statusMessage": "Checking Bash command"
          }
        ]
      }
    ]
  }
}
`,
	"cursor": `{
  "version": 1,
  "hooks": {
    "afterFileEdit": [{ "command": "./hooks/format.sh" }]
  }
}
`,
	"gemini": `{
  "hooks": {
    "AfterTool": [
      {
        "matcher": "write_file|replace",
        "hooks": [
          {
            "name": "auto-format",
            "type": "command",
            "command": "$GEMINI_PROJECT_DIR/.gemini/hooks/format.sh",
            "timeout": 5000
          }
        ]
      }
    ]
  }
}
`,
}

// Each client with hooks gets a new file, or keeps what an example of its documentation has, as testdata shows.
func TestClient_HasHooks(t *testing.T) {
	t.Parallel()
	for _, c := range clients.All() {
		file, hooks := c.Hooks(clients.ServerName)
		if _, has := examples[c.Name]; (file == "") == has {
			t.Errorf("%s: hooks are in %q", c.Name, file)
		}
		if file == "" {
			continue
		}
		if _, elsewhere := c.Hooks("/opt/a b/compound-docs"); !strings.Contains(string(elsewhere), `"'/opt/a b/compound-docs' recall --hook`) {
			t.Errorf("%s starts another program than the one given: %s", c.Name, elsewhere)
		}
		for kind, old := range map[string]string{"new": "", "filled": examples[c.Name]} {
			if kind == "filled" && old == "" {
				continue
			}
			root := t.TempDir()
			put(t, filepath.Join(root, file), old)
			change, err := clients.PlanHooks(root, c.Name, file, hooks)
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", c.Name+".hooks."+kind+".json")
			if *update {
				put(t, golden, string(change.Content))
			}
			if diff := cmp.Diff(read(t, golden), string(change.Content)); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", c.Name, kind, diff)
			}
			if err := change.Write(); err != nil {
				t.Fatal(err)
			}
			if _, err := clients.PlanHooks(root, c.Name, file, hooks); !errors.Is(err, clients.ErrRegistered) {
				t.Errorf("%s a second time: %v, want that it has the hooks", c.Name, err)
			}
		}
	}
}
