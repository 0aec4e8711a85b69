package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// Each set-up is broken in one way, for real: the doctor names it, and the command that mends it.
func TestDoctor_NamesWhatIsBroken(t *testing.T) {
	t.Parallel()
	const (
		files = "mount -t tmpfs none /usr/share/postgresql"
		old   = files + "\nfor bin in /usr/lib/postgresql/*; do e=/usr/share/postgresql/${bin##*/}/extension; mkdir -p $e; " +
			"echo \"default_version = '0.5.1'\" >$e/vector.control; done"
	)
	tests := []struct {
		name             string
		breaks           func(t *testing.T, i *installation)
		check, what, fix string
		code             int
	}{
		{"no PostgreSQL", func(_ *testing.T, i *installation) {
			i.unset("CDOCS_DATABASE_URL")
			i.namespace = withoutPostgreSQL
		}, "database", "has no PostgreSQL 15 or newer", "install", 1},
		{"no pgvector", func(t *testing.T, i *installation) {
			t.Helper()
			needsMachinesPostgreSQL(t)
			i.unset("CDOCS_DATABASE_URL")
			i.namespace = files
		}, "database", "without it", "install", 1},
		{"old pgvector", func(t *testing.T, i *installation) {
			t.Helper()
			needsMachinesPostgreSQL(t)
			i.unset("CDOCS_DATABASE_URL")
			i.namespace = old
		}, "database", "without it", "install", 1},
		{"a pgvector with a known fault", func(t *testing.T, i *installation) {
			t.Helper()
			i.asRole(t, "UPDATE pg_extension SET extversion = '0.8.3' WHERE extname = 'vector'; GRANT CREATE ON SCHEMA public TO {role}")
		}, "database", "pgvector 0.8.3 may damage the index", "install pgvector 0.8.4 or newer", 0},
		{"a pgvector that is too old", func(t *testing.T, i *installation) {
			t.Helper()
			i.asRole(t, "UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'; GRANT CREATE ON SCHEMA public TO {role}")
		}, "database", "pgvector 0.7.4 is too old", "ALTER EXTENSION vector UPDATE", 1},
		{"no server at the URL", func(_ *testing.T, i *installation) {
			i.set("CDOCS_DATABASE_URL", "postgres://u:s3cret@127.0.0.1:1/d")
		}, "database", "no PostgreSQL server answers at 127.0.0.1:1", "CDOCS_DATABASE_URL", 1},
		{
			"wrong password", func(t *testing.T, i *installation) {
				t.Helper()
				i.set("CDOCS_DATABASE_URL", withPassword(t))
			},
			"database", "password authentication failed", "export CDOCS_DATABASE_URL=", 1,
		},
		{"an unknown host", func(_ *testing.T, i *installation) {
			i.set("CDOCS_DATABASE_URL", "postgres://u:s3cret@nosuch.invalid/d")
		}, "database", "the host nosuch.invalid of the database is not found", "correct the host in CDOCS_DATABASE_URL", 1},
		{
			"no Ollama", func(_ *testing.T, i *installation) { i.set("CDOCS_OLLAMA_HOST", "http://127.0.0.1:1") },
			"ollama", "127.0.0.1:1", "CDOCS_OLLAMA_HOST", 0,
		},
		{"a misspelt model", func(t *testing.T, i *installation) {
			t.Helper()
			write(t, i.home, "settings.json", `{"embedding_model": "mxbai-embed-larg"}`)
		}, "ollama", "It has mistral:latest, mxbai-embed-large:latest", "if the name is wrong, correct embedding_model in ", 0},
		{"another service", func(_ *testing.T, i *installation) {
			i.fake.SetFaults(fakeollama.Faults{Body: "<html>welcome</html>"})
		}, "ollama", "no valid JSON", "another service may listen there", 1},
		{
			"wrong dimensions", func(_ *testing.T, i *installation) { i.fake.SetFaults(fakeollama.Faults{Dimensions: 2048}) },
			"models", "2048 dimensions", "ollama pull mxbai-embed-large", 1,
		},
		{
			"a model that knows nothing", func(t *testing.T, i *installation) {
				t.Helper()
				i.fake.SetFaults(fakeollama.Faults{Meaningless: true})
				i.serve(t)
			},
			"models", "searches go by words", "ollama pull mxbai-embed-large", 0,
		},
		{"invalid schema", func(t *testing.T, i *installation) {
			t.Helper()
			write(t, i.root, configPath, `{"project_name": "p", "custom_doc_types":
				[{"name": "x", "description": "x", "folder": "x", "schema_file": "schemas/x.json"}]}`)
			write(t, i.root, "csharp-compounding-docs/schemas/x.json", `{"type": "nothing"}`)
		}, "config", "x.json", "${EDITOR:-vi} ", 1},
		{"a place without markdown", func(t *testing.T, i *installation) {
			t.Helper()
			write(t, i.root, configPath, `{"project_name": "p", "documents": {"folders": ["doc/adr", "*.md"]}}`)
			write(t, i.root, "README.md", "# A\n")
		}, "files", "there is no markdown in doc/adr", "correct or remove it", 0},
		{"no git", func(t *testing.T, i *installation) {
			t.Helper()
			i.set("PATH", i.folder())
		}, "git", "git is not installed", "install git", 0},
		{"a home that is read-only", func(_ *testing.T, i *installation) {
			i.namespace = "mount --bind " + i.home + " " + i.home + "\nmount -o remount,bind,ro " + i.home
		}, "home folder", "is on a read-only file system", "set CDOCS_HOME to a folder that this user may write to", 1},
		{"root-owned folder", func(_ *testing.T, i *installation) {
			i.unprivileged = true
			if os.Geteuid() != 0 {
				i.set("CDOCS_HOME", "/usr/lib")
			}
		}, "home folder", "belongs to another user", "; or set CDOCS_HOME to a folder that ", 1},
		{"root-owned folder of the program", func(t *testing.T, i *installation) {
			t.Helper()
			if os.Geteuid() != 0 {
				t.Skip("only root can make it")
			}
			i.unprivileged = true
			own := filepath.Join(i.home, ".csharp-compounding-docs")
			must(t, os.Mkdir(own, 0o755))
			i.set("CDOCS_HOME", own)
		}, "home folder", "belongs to another user", "sudo chown -R ", 1},
		{"no folder of the user", func(_ *testing.T, i *installation) {
			i.unprivileged = true
			i.unset("CDOCS_HOME")
			i.set("HOME", "/nowhere/at/all")
		}, "home folder", "/ belongs to another user", "; or set CDOCS_HOME to a folder that ", 1},
		{"damaged settings", func(t *testing.T, i *installation) {
			t.Helper()
			write(t, i.home, "settings.json", `{"log_level": 3}`)
		}, "settings", "log_level", "${EDITOR:-vi} ", 1},
		{"another database than the client's", func(t *testing.T, i *installation) {
			t.Helper()
			write(t, i.root, ".mcp.json", `{"mcpServers": {"compound-docs":
				{"command": "sh", "env": {"CDOCS_DATABASE_URL": "postgres://u:s3cret@elsewhere/d"}}}}`)
		}, "Claude Code", "another CDOCS_DATABASE_URL", "CDOCS_DATABASE_URL", 0},
		{"a document that YAML cannot read", func(t *testing.T, i *installation) {
			t.Helper()
			write(t, i.root, promotable+"bad.md", "---\ntitle: [\n---\n")
		}, "files", promotable + "bad.md is not indexed: line 3: the front matter is not valid YAML", "correct the file", 0},
		{"a document that is too large", func(t *testing.T, i *installation) {
			t.Helper()
			write(t, i.root, promotable+"large.md", strings.Repeat("word ", 1<<20))
		}, "files", promotable + "large.md is not indexed: has 5242880 bytes", "correct the file", 0},
		{"a merge conflict in the text of a document", func(t *testing.T, i *installation) {
			t.Helper()
			write(t, i.root, promotable+"a.md", strings.ReplaceAll(problem, "%", "A")+conflict)
		}, "files", "a.md is found with both sides of a merge conflict, from line ", "and keep one side", 0},
		{"a merge conflict in the front matter of a document", func(t *testing.T, i *installation) {
			t.Helper()
			write(t, i.root, promotable+"a.md", "---\n"+conflict+"---\n")
		}, "files", "a.md is not indexed: line 2: git has left the marks of a merge conflict", "keep one side", 0},
		{"a full disk", func(_ *testing.T, i *installation) {
			i.namespace = "mount -t tmpfs -o size=8m none " + i.home
		}, "home folder", "is full, with 8 MiB left", "make room on that disk", 1},
		{"another version in the settings of Claude Code", func(t *testing.T, i *installation) {
			t.Helper()
			writeProgram(t, filepath.Join(i.home, "compound-docs"), "echo compound-docs v0.0.9")
			write(t, i.folder(), ".claude.json", fmt.Sprintf(`{"mcpServers": {"compound-docs": {"command": %q}}}`, filepath.Join(i.home, "compound-docs")))
		}, "Claude Code", "which is version v0.0.9: this is dev", "claude mcp remove ", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			i := newInstallation(t)
			test.breaks(t, i)
			found, code := i.diagnose(t)
			if i.serves {
				until(t, "the doctor names "+test.what, patience, func() bool {
					found, code = i.diagnose(t)
					return found.names(test.check, test.what, test.fix)
				})
			}
			for _, f := range found.Findings {
				if strings.Contains(f.What+f.Fix, "s3cret") || strings.Contains(f.What+f.Fix, "wr0ng") {
					t.Errorf("a finding has the password: %+v", f)
				}
				if strings.Contains(f.Fix, "chown") && !strings.Contains(f.Fix, "csharp-compounding-docs") {
					t.Errorf("a remedy changes the owner of a folder that is not the program's own: %+v", f)
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

// Every file of a folder of documents is indexed, or named with the reason.
func TestDoctor_AccountsForEveryFile(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	must(t, exec.CommandContext(t.Context(), "git", "init", "-q", i.root).Run())
	write(t, i.root, configPath, `{"project_name": "p", "documents": {"folders": ["docs", "packages/*/docs"], "lenient": true}}`)
	write(t, i.home, "settings.json", `{"sources": ["cursor", "github"]}`)
	write(t, i.root, ".cursor/rules/a.mdc", "---\nglobs: *.go\n---\n# A\n\nText.\n")
	write(t, i.root, ".gitignore", "docs/_build/\ndocs/private/\nvenv/\n*.local.md\n")
	for _, name := range []string{"docs/guide.md", "docs/intro.mdx", "docs/old.markdown", "packages/a/docs/adr/1.md"} {
		write(t, i.root, name, "# A\n\nText.\n")
	}
	reasons := map[string][]string{
		"git ignores it": {"docs/private/", "docs/me.local.md"},
		"written by others or made by a program": {
			"docs/_build/", "docs/node_modules/", "docs/venv/", "packages/a/docs/vendor/",
		},
		"a template": {"docs/adr/template.md", "docs/adr/_template.md", "docs/0000-template.md", "docs/new.md", "docs/note.md"},
		"a copy that a program left": {
			"docs/x (conflicted copy).md", "docs/x.sync-conflict-20240102-101112-ABC.md", "docs/~$x.md",
		},
		"no markdown": {"docs/guides/_category_.json", "docs/x.orig", "docs/x.md~", "docs/x.rst"},
		"says little of this project, or is read by assistants themselves": {"docs/CHANGELOG.md", "docs/AGENTS.md"},
	}
	for _, names := range reasons {
		for _, name := range names {
			if strings.HasSuffix(name, "/") {
				name += "x.md"
			}
			write(t, i.root, name, "# {{title}}\n\nText.\n")
		}
	}
	write(t, i.root, "vendor/y/README.md", "# y\n")
	for _, picture := range []string{"docs/images/x.png", "docs/X.JPG", "packages/a/docs/flow.drawio", "docs/me.local.md.svg"} {
		write(t, i.root, picture, "") // nobody misses it
	}
	found, code := i.diagnose(t)
	var says []string
	for _, f := range found.Findings {
		if f.Check == "files" {
			says = append(says, f.What)
		}
	}
	want := []string{
		"all 6 files can be indexed", // with one of the installation
		"files of sources: cursor (" + filepath.Join(i.root, ".cursor/rules") + "): 1, github (" + filepath.Join(i.root, ".github") + "): 0",
	}
	for why, names := range reasons {
		slices.Sort(names)
		want = append(want, "left out ("+why+"): "+strings.Join(names, ", "))
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, says); diff != "" || code != 0 {
		t.Errorf("exit code %d, -want +got\n%s", code, diff)
	}
}

// conflict is what git leaves in a file.
const conflict = "<<<<<<< ours\ntitle: one\n=======\ntitle: two\n>>>>>>> theirs\n"

// The worst is on top, and a program that a repository names is not run.
func TestDoctor_SaysFirstWhatMattersFirst(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	i.set("CDOCS_OLLAMA_HOST", "http://127.0.0.1:1")
	write(t, i.root, configPath, "{}")
	writeProgram(t, filepath.Join(i.root, "compound-docs"), "echo compound-docs v0.0.9 | tee "+filepath.Join(i.home, "ran"))
	write(t, i.root, ".mcp.json", fmt.Sprintf(`{"mcpServers": {"compound-docs": {"command": %q}}}`, filepath.Join(i.root, "compound-docs")))
	o := i.run(t, "doctor")
	if !regexp.MustCompile(`^1 error, 1 warning\n\nerror    config .*\n.*→ .*\nwarning  ollama .*\n.*→ .*\nok `).MatchString(o.stdout) || o.code != 1 {
		t.Errorf("doctor ends with %d and prints %s", o.code, o.stdout)
	}
	if _, err := os.Stat(filepath.Join(i.home, "ran")); err == nil {
		t.Error("doctor has run a program of the repository")
	}
}

func TestDoctor_AllIsWell(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	write(t, i.root, configPath, `{"project_name": "test-project", "external_docs": {"path": "./docs"}}`)
	write(t, i.root, "docs/setup.md", "# Setup\n")
	found, code := i.diagnose(t)
	if code != 0 || found.Severity != "ok" {
		t.Errorf("exit code %d, and %+v", code, found)
	}
	if text := mustRun(t, i.root, i.environment, "doctor").stdout; !strings.HasPrefix(text, "all is well\n\nok ") {
		t.Errorf("doctor prints %s", text)
	}
}
