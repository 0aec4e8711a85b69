package clients_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/setup/clients"
)

var update = flag.Bool("update", false, "write the files of testdata")

// filled are files that somebody has written, with comments and an order of their own.
var filled = map[string]string{
	"antigravity": "",
	"copilot":     "",
	"kiro":        "",
	"AGENTS.md":   "# Ours\n\nRun the tests with `make test`.",
	"CLAUDE.md":   "@AGENTS.md\n",
	"codex":       "# mine\nmodel = \"o5\"\n\n[mcp_servers.other]\ncommand = \"x\" # theirs\n\n",
	"cursor":      "{\n    // theirs\n    \"mcpServers\": {\n        \"other\": {\"command\": \"x\"}, // kept\n    },\n    \"z\": 1\n}\n",
	"gemini":      "{\"theme\":\"dark\",\"mcpServers\":{\"other\":{\"command\":\"x\"}}}",
	"goose":       "GOOSE_MODEL: m\nz: 1 # theirs\n",
	"opencode":    "{\n  \"$schema\": \"https://opencode.ai/config.json\"\n}\n",
	"vscode":      "{\n\t\"servers\": {},\n\t\"inputs\": [] /* none */\n}\n",
	"windsurf":    "",
	"zed":         "// Zed settings\n{\n  \"tab_size\": 2,\n}\n",
}

func plan(t *testing.T, c clients.Client, folder string) (clients.Change, error) {
	t.Helper()
	program := clients.ServerName
	if c.ForUser {
		program = "/opt/a b/compound-docs"
	}
	return c.Plan(folder, program, map[string]string{"CDOCS_OLLAMA_HOST": "http://h:1", "CDOCS_HOME": "/h"})
}

// Each client's file, new and with what somebody has written, becomes what testdata has. What was there stays to
// the byte, and a second run changes nothing. An entry in TOML or YAML is added by the user, here at the end.
func TestRegister(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(len(filled), len(clients.All())); diff != "" {
		t.Error("not every client has a file:", diff)
	}
	for _, c := range clients.All() {
		for _, kind := range []string{"new", "filled"} {
			t.Run(c.Name+" "+kind, func(t *testing.T) {
				t.Parallel()
				folder := t.TempDir()
				var old []byte
				if kind == "filled" {
					old = []byte(filled[c.Name])
					change, err := plan(t, c, folder)
					if err != nil {
						t.Fatal(err)
					}
					put(t, filepath.Join(folder, change.File), filled[c.Name])
				}
				change, err := plan(t, c, folder)
				if err != nil {
					t.Fatal(err)
				}
				if change.Pasted {
					change.Content = append(old, change.Content...)
				}
				if err := change.Write(); err != nil {
					t.Fatal(err)
				}
				file := filepath.Join(folder, change.File)
				got := read(t, file)
				golden := filepath.Join("testdata", strings.TrimSuffix(c.Name, ".md")+"."+kind+filepath.Ext(change.File))
				if *update {
					put(t, golden, got)
				}
				if diff := cmp.Diff(read(t, golden), got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", change.File, diff)
				}
				rest := got
				for line := range strings.SplitSeq(strings.TrimSpace(filled[c.Name]), "\n") {
					if kind == "filled" && strings.Trim(line, "{}[], \t") != "" && c.Name != "gemini" && c.Name != "vscode" {
						var found bool
						if _, rest, found = strings.Cut(rest, strings.TrimRight(line, ",")); !found {
							t.Errorf("the line %q is not there any more", line)
						}
					}
				}
				if _, err := plan(t, c, folder); !errors.Is(err, clients.ErrRegistered) {
					t.Errorf("a second time: %v, want that it has the server", err)
				}
			})
		}
	}
}

// A file that is no configuration stays as it is, and so does what a link leads to.
func TestRegister_ChangesNothingElse(t *testing.T) {
	t.Parallel()
	for _, c := range clients.All() {
		folder, outside := t.TempDir(), filepath.Join(t.TempDir(), "victim")
		change, err := plan(t, c, folder)
		if err != nil {
			t.Fatal(err)
		}
		put(t, outside, "{}")
		file := filepath.Join(folder, change.File)
		put(t, file, "")
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(outside, file); err != nil {
			t.Skip("no symbolic links here:", err)
		}
		if change, err := plan(t, c, folder); err == nil {
			if err := change.Write(); err == nil {
				t.Errorf("%s: a file outside was replaced", c.Name)
			}
		}
		if got := read(t, outside); got != "{}" {
			t.Errorf("%s: the file that a link leads to has %q", c.Name, got)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		const broken = "extensions: [1\n{\"mcpServers\": 3, \"servers\": 3, \"mcp\": 3, \"context_servers\": 3"
		put(t, file, broken)
		if _, err := plan(t, c, folder); err == nil && !change.Pasted && !c.Paragraph {
			t.Errorf("%s: a file that is broken is changed", c.Name)
		}
	}
}

func put(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// A file in a form that the entry cannot be added to safely stays as it is, and the error says
// what to add by hand.
func TestRegister_LeavesUnusualFilesAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ client, content string }{
		"brackets":              {"cursor", strings.Repeat("[", 1<<20)},
		"brackets in an object": {"cursor", `{"mcpServers": ` + strings.Repeat(`{"a":`, 100_000)},
		"a list":                {"gemini", "[]"},
		"another program":       {"cursor", `{"mcpServers": {"compound-docs": {"command": "evil"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := clients.All()[slices.IndexFunc(clients.All(), func(known clients.Client) bool { return known.Name == c.client })]
			folder := t.TempDir()
			change, err := plan(t, client, folder)
			if err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(folder, change.File), c.content)
			_, err = plan(t, client, folder)
			if err == nil || errors.Is(err, clients.ErrRegistered) || !strings.Contains(err.Error(), "add the server by hand") {
				t.Errorf("the error is %v, want one that says what to add by hand", err)
			}
		})
	}
}

// Forms that are unusual and harmless get the entry, and entries that start this program by
// another path count.
func TestRegister_ReadsEachForm(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		client, content string
		want            error
	}{
		"another path":     {"zed", "// mine\n{\"context_servers\": {\"compound-docs\": {\"command\": \"/bin/compound-docs\"}}}", clients.ErrRegistered},
		"another name":     {"copilot", `{"mcpServers": {"docs": {"command": "/x/compound-docs"}}}`, clients.ErrRegistered},
		"a table of TOML":  {"codex", "[mcp_servers.other]\ncommand = \"x\"\n[mcp_servers.compound-docs]\ncommand = \"y\"\n", clients.ErrRegistered},
		"tables of others": {"codex", "[projects.\"/src/compound-docs\"]\ntrust_level = \"trusted\"\n", nil},
		"a key of YAML":    {"goose", "extensions:\n  compound-docs:\n    enabled: false\n", clients.ErrRegistered},
		"through npx":      {"cursor", `{"mcpServers": {"compound-docs": {"command": "npx", "args": ["-y", "compound-docs"]}}}`, clients.ErrRegistered},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := clients.All()[slices.IndexFunc(clients.All(), func(known clients.Client) bool { return known.Name == c.client })]
			folder := t.TempDir()
			change, err := plan(t, client, folder)
			if err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(folder, change.File), c.content)
			if _, err := plan(t, client, folder); !errors.Is(err, c.want) {
				t.Errorf("the error is %v, want %v", err, c.want)
			}
		})
	}
}
