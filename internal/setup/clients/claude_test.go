package clients_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/setup/clients"
)

func TestFindClaude(t *testing.T) {
	const (
		local  = `{"projects": {"ROOT": {"mcpServers": {"compound-docs": {"command": "command-l", "args": ["serve"]}}}}}`
		user   = `{"mcpServers": {"other": {"command": "x"}, "docs": {"command": "/opt/compound-docs"}}}`
		shared = `{"mcpServers": {"compound-docs": {"command": "shared"}}}`
	)
	tests := []struct{ name, user, shared, want string }{
		{"local before project", local, shared, "compound-docs of the user"},
		{"project before user", user, shared, "compound-docs of the project"},
		{"by its program", user, "", "docs of the user"},
		{"of another project", strings.ReplaceAll(local, "ROOT", "/elsewhere"), "", "none"},
		{"by its program on Windows", `{"mcpServers": {"docs": {"command": "C:\\Tools\\compound-docs.exe"}}}`, "", "docs of the user"},
		{"none", "", "", "none"},
		{"damaged", "{", "", "error"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			home, root := t.TempDir(), t.TempDir()
			t.Setenv("CLAUDE_CONFIG_DIR", home)
			putAll(t, map[string]string{
				home + "/.claude.json": strings.ReplaceAll(test.user, "ROOT", root), root + "/.mcp.json": test.shared,
			})
			found, err := clients.FindClaude(root)
			got := found.Name + " of the user"
			switch {
			case found.File == root+"/.mcp.json":
				got = found.Name + " of the project"
			case errors.Is(err, fs.ErrNotExist):
				got = "none"
			case err != nil:
				got = "error"
			}
			if got != test.want {
				t.Errorf("got %q (%v), want %q", got, err, test.want)
			}
		})
	}
}

func TestFindClaude_Plugin(t *testing.T) {
	for name, test := range map[string]struct {
		user, project string
		want          bool
	}{
		"enabled":             {`{"enabledPlugins": {"other@x": true, "cdocs@compound-docs": true}}`, "", true},
		"off in the project":  {`{"enabledPlugins": {"cdocs@compound-docs": true}}`, `{"enabledPlugins": {"cdocs@compound-docs": false}}`, false},
		"of the project":      {"", `{"enabledPlugins": {"cdocs@compound-docs": true}}`, true},
		"settings without it": {`{"model": "x"}`, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			home, root := t.TempDir(), t.TempDir()
			t.Setenv("CLAUDE_CONFIG_DIR", home)
			putAll(t, map[string]string{home + "/settings.json": test.user, root + "/.claude/settings.json": test.project})
			found, err := clients.FindClaude(root)
			if found.IsPlugin != test.want || (err == nil) != test.want {
				t.Errorf("found %+v (%v), want %t", found, err, test.want)
			}
		})
	}
}

// putAll writes the files that have a content.
func putAll(t *testing.T, files map[string]string) {
	t.Helper()
	for file, content := range files {
		if content != "" {
			put(t, file, content)
		}
	}
}

func TestClaudeCommand_QuotesAndHidesValues(t *testing.T) {
	t.Parallel()
	_, got := clients.ClaudeCommand("/opt/my tools/compound-docs", map[string]string{"CDOCS_HOME": "/home/s3cret"})
	want := `claude mcp add --env CDOCS_HOME="$CDOCS_HOME" --scope local compound-docs ` +
		`-- '/opt/my tools/compound-docs' serve`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
