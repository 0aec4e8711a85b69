package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// init offers the plugin's hooks: at a terminal it asks, elsewhere it prints one line. They name
// the server as the registration does. With the plugin nothing is offered.
func TestInit_OffersHooks(t *testing.T) {
	t.Parallel()
	const offer = "init --hooks, or the plugin"
	for name, test := range map[string]struct {
		shared, user string // files of Claude Code
		typed        string // at a terminal
		arguments    []string
		want         string
		server       string // of the hooks, "" for no hooks
	}{
		"in a pipe":       {want: offer},
		"with .mcp.json":  {shared: `{"mcpServers": {"compound-docs": {"command": "sh"}}}`, want: offer},
		"with --hooks":    {arguments: []string{"--hooks"}, want: "added hooks", server: "compound-docs"},
		"another name":    {shared: `{"mcpServers": {"docs": {"command": "/x/compound-docs"}}}`, arguments: []string{"--yes"}, want: "added hooks", server: "docs"},
		"typed yes":       {typed: "y\n", want: "[y/N] ", server: "compound-docs"},
		"typed no":        {typed: "\n", want: offer},
		"with the plugin": {user: `{"enabledPlugins": {"cdocs@compound-docs": true}}`, arguments: []string{"--yes"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			environment, _ := fakeClaude(t, false)
			home := t.TempDir()
			environment = append(environment, "CLAUDE_CONFIG_DIR="+home)
			if test.user != "" {
				write(t, home, "settings.json", test.user)
			}
			root := newFolder(t)
			if test.shared != "" {
				write(t, root, ".mcp.json", test.shared)
			}
			var said string
			if arguments := append([]string{"init", root}, test.arguments...); test.typed != "" {
				said = onTerminal(t, test.typed, root, environment, arguments...)
			} else {
				said = mustRun(t, root, environment, arguments...).stdout
			}
			if !strings.Contains(said, test.want) || test.want == "" && strings.Contains(said, "hooks") {
				t.Errorf("init says %s, want %q", said, test.want)
			}
			file := filepath.Join(root, ".claude", "settings.local.json")
			text, err := os.ReadFile(file)
			if test.server == "" {
				if !os.IsNotExist(err) {
					t.Errorf("init writes %s, %v", text, err)
				}
				return
			}
			for _, want := range []string{`"server": "` + test.server + `"`, "/compound-docs critical\"", `"UserPromptSubmit"`} {
				if err != nil || !strings.Contains(string(text), want) || strings.Contains(string(text), "PLUGIN") {
					t.Errorf("the hooks have no %s: %s, %v", want, text, err)
				}
			}
			if again := mustRun(t, root, environment, "init", root, "--hooks").stdout; !strings.Contains(again, "has the hooks already") {
				t.Errorf("a second time init says %s", again)
			}
		})
	}
}
