package claude

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	const (
		local  = `{"projects": {"ROOT": {"mcpServers": {"compound-docs": {"command": "command-l", "args": ["serve"]}}}}}`
		user   = `{"mcpServers": {"other": {"command": "x"}, "docs": {"command": "/opt/compound-docs"}}}`
		shared = `{"mcpServers": {"compound-docs": {"command": "shared"}}}`
		reject = `{"projects": {"ROOT": {"disabledMcpjsonServers": ["compound-docs"]}}}`
	)
	tests := []struct{ name, user, shared, want string }{
		{"local before project", local, shared, "local command-l"},
		{"project before user", user, shared, "project shared"},
		{"rejected", reject, shared, "project shared rejected"},
		{"by its program", user, "", "user /opt/compound-docs"},
		{"of another project", strings.ReplaceAll(local, "ROOT", "/elsewhere"), "", "none"},
		{"by its program on Windows", `{"mcpServers": {"docs": {"command": "C:\\Tools\\compound-docs.exe"}}}`, "", `user C:\Tools\compound-docs.exe`},
		{"none", "", "", "none"},
		{"damaged", "{", "", "error"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			home, root := t.TempDir(), t.TempDir()
			t.Setenv("CLAUDE_CONFIG_DIR", home)
			put(t, filepath.Join(home, ".claude.json"), strings.ReplaceAll(test.user, "ROOT", root))
			put(t, filepath.Join(root, ".mcp.json"), test.shared)
			found, err := Find(root)
			got := found.Scope + " " + found.Command
			switch {
			case errors.Is(err, fs.ErrNotExist):
				got = "none"
			case err != nil:
				got = "error"
			case found.Rejected:
				got += " rejected"
			}
			if got != test.want {
				t.Errorf("got %q (%v), want %q", got, err, test.want)
			}
		})
	}
}

func TestFind_Plugin(t *testing.T) {
	for name, test := range map[string]struct{ user, project, want string }{
		"enabled":             {`{"enabledPlugins": {"other@x": true, "cdocs@compound-docs": true}}`, "", "plugin"},
		"off in the project":  {`{"enabledPlugins": {"cdocs@compound-docs": true}}`, `{"enabledPlugins": {"cdocs@compound-docs": false}}`, ""},
		"of the project":      {"", `{"enabledPlugins": {"cdocs@compound-docs": true}}`, "plugin"},
		"settings without it": {`{"model": "x"}`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			home, root := t.TempDir(), t.TempDir()
			t.Setenv("CLAUDE_CONFIG_DIR", home)
			put(t, filepath.Join(home, "settings.json"), test.user)
			if err := os.Mkdir(filepath.Join(root, ".claude"), 0o700); err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(root, ".claude", "settings.json"), test.project)
			found, err := Find(root)
			if ok := err == nil; ok != (test.want != "") || ok && found.Scope != test.want {
				t.Errorf("found %+v (%v), want scope %q", found, err, test.want)
			}
		})
	}
}

func TestFind_TakesAWindowsPathInAnySpelling(t *testing.T) {
	home := t.TempDir()
	t.Setenv("CLAUDE_CONFIG_DIR", home)
	put(t, filepath.Join(home, ".claude.json"), `{"projects": {"C:/Users/me/repo": {"mcpServers": {"compound-docs": {"command": "x"}}}}}`)
	for root, want := range map[string]bool{
		"C:/Users/me/repo": true, `C:\Users\me\repo`: true, `c:\Users\me\repo`: true, `C:\Users\me\repo2`: false, `D:\Users\me\repo`: false,
	} {
		if _, err := Find(root); (err == nil) != want {
			t.Errorf("found in %s: %v, want %v", root, err, want)
		}
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if text == "" {
		return
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAddCommand_QuotesAndHidesValues(t *testing.T) {
	t.Parallel()
	_, got := AddCommand("/opt/my tools/compound-docs", map[string]string{"CDOCS_DATABASE_URL": "postgres://u:s3cret@h/d"})
	want := `claude mcp add --env CDOCS_DATABASE_URL="$CDOCS_DATABASE_URL" --scope local compound-docs ` +
		`-- '/opt/my tools/compound-docs' serve`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
