package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// Each set-up is broken in one way, for real: the doctor names it, and the command that mends it.
func TestDoctor_NamesWhatIsBroken(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name             string
		breaks           func(t *testing.T, i *installation)
		check, what, fix string
		code             int
	}{
		{"no PostgreSQL", func(_ *testing.T, i *installation) {
			i.unset("CDOCS_DATABASE_URL")
		}, "database", "this program came without a PostgreSQL", "install", 1},
		{"a pgvector with a known fault", func(t *testing.T, i *installation) {
			t.Helper()
			setPgvector(t, i.value("CDOCS_DATABASE_URL"), "0.8.3")
		}, "database", "pgvector 0.8.3 may damage the index", "install pgvector 0.8.4 or newer", 0},
		{"tables of an earlier build", func(t *testing.T, i *installation) {
			t.Helper()
			i.sync(t)
			i.exec(t, "ALTER TABLE document_links RENAME relation TO supersedes")
		}, "database", "which lack document_links.relation", "name another database in CDOCS_DATABASE_URL", 1},
		{"more failed files than the index names", func(t *testing.T, i *installation) {
			t.Helper()
			for n := range 21 {
				write(t, i.root, fmt.Sprintf("%s%d.md", promotable, n), "---\ntitle: [\n---\n")
			}
			i.run(t, "sync")
		}, "index", "21 files not indexed", "run: compound-docs lint", 0},
		{"a misspelt model", func(t *testing.T, i *installation) {
			t.Helper()
			write(t, i.home, "settings.json", `{"embedding_model": "mxbai-embed-larg"}`)
		}, "models", "It has mistral:latest, mxbai-embed-large:latest", "if the name is wrong, correct embedding_model in ", 0},
		{"an assistant's program that is gone", func(t *testing.T, i *installation) {
			t.Helper()
			write(t, i.root, ".codex/config.toml", "[mcp_servers.compound-docs]\ncommand = \"/gone/compound-docs\"\n")
		}, "config", "/.codex/config.toml starts /gone/compound-docs, which is not there", "run: ${EDITOR:-vi} ", 0},
		{"Claude Code's program that is gone", func(t *testing.T, i *installation) {
			t.Helper()
			write(t, i.folder(), ".claude.json", fmt.Sprintf(`{"projects": {%q: {"mcpServers": {"compound-docs": {"command": "/gone/x"}}}}}`, i.root))
		}, "config", "starts /gone/x, which is not there", "run: ${EDITOR:-vi} ", 0},
		{"a name that is not on the PATH", func(t *testing.T, i *installation) {
			t.Helper()
			i.set("PATH", "/usr/bin:/bin")
			write(t, i.root, "opencode.json", `{"mcp": {"compound-docs": {"command": ["compound-docs", "serve"]}}}`)
		}, "config", "/opencode.json starts compound-docs, which is not there", "or put its folder on the PATH", 0},
		{
			"wrong dimensions", func(_ *testing.T, i *installation) { i.fake.SetFaults(fakeollama.Faults{Dimensions: 2048}) },
			"models", "2048 dimensions", "ollama pull mxbai-embed-large", 1,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			i := newInstallation(t)
			test.breaks(t, i)
			found, code := i.diagnose(t)
			for _, f := range found.Findings {
				if strings.Contains(f.What+f.Fix, "s3cret") {
					t.Errorf("a finding has the password: %+v", f)
				}
				if f.isBad() && f.Fix == "" {
					t.Errorf("a finding without a remedy: %+v", f)
				}
			}
			if !found.names(test.check, test.what, test.fix) || code != test.code {
				t.Errorf("exit code %d, want %d with %s: %q and %q in %+v", code, test.code, test.check, test.what, test.fix, found.Findings)
			}
		})
	}
}

// The worst is on top, and a program that a repository names is not run.
func TestDoctor_SaysFirstWhatMattersFirst(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	i.set("CDOCS_OLLAMA_HOST", "http://127.0.0.1:1")
	write(t, i.root, configPath, "{}")
	writeProgram(t, filepath.Join(i.root, "compound-docs"), "echo compound-docs v0.0.9 | tee "+filepath.Join(i.home, "ran"))
	write(t, i.root, ".mcp.json", fmt.Sprintf(`{"mcpServers": {"compound-docs": {"command": %q}}}`, filepath.Join(i.root, "compound-docs")))
	o := i.run(t, "doctor")
	if !regexp.MustCompile(`^1 error, 1 warning\n\nerror    config .*\n.*→ .*\nwarning  models .*\n.*→ .*\nok `).MatchString(o.stdout) || o.code != 1 {
		t.Errorf("doctor ends with %d and prints %s", o.code, o.stdout)
	}
	if _, err := os.Stat(filepath.Join(i.home, "ran")); err == nil {
		t.Error("doctor has run a program of the repository")
	}
}
