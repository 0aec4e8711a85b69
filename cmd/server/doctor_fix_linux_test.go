package main_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// exec runs statements in the installation's database.
func (i *installation) exec(t *testing.T, statements string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), i.value("CDOCS_DATABASE_URL"))
	if err == nil {
		_, err = conn.Exec(t.Context(), statements)
		must(t, conn.Close(t.Context()))
	}
	must(t, err)
}

// value returns the value of a variable of the environment.
func (i *installation) value(name string) (value string) {
	for _, entry := range i.environment {
		if given, ok := strings.CutPrefix(entry, name+"="); ok {
			value = given
		}
	}
	return value
}

// folder is that of the installation, and of its user.
func (i *installation) folder() string { return filepath.Dir(i.home) }

// own has the installation run a database of its own.
func (i *installation) own(t *testing.T) {
	t.Helper()
	i.unset("CDOCS_DATABASE_URL")
	if up := i.run(t, "up"); up.code != 0 {
		t.Fatal(up.stderr)
	}
}

// sync makes the index.
func (i *installation) sync(t *testing.T) {
	t.Helper()
	if o := i.run(t, "sync"); o.code != 0 {
		t.Fatal(o.stderr)
	}
}

// claude puts a claude on the PATH that writes registrations as Claude Code does.
func (i *installation) claude(t *testing.T, registered string) {
	t.Helper()
	file := filepath.Join(i.folder(), ".claude.json")
	write(t, i.folder(), ".claude.json", registered)
	writeProgram(t, filepath.Join(i.folder(), "claude"), `
case "$2" in
add)
	while [ "$1" != -- ]; do shift; done
	printf '{"projects": {"%s": {"mcpServers": {"compound-docs": {"command": "%s", "args": ["serve"]}}}}}' "$PWD" "$2" >`+file+` ;;
remove | reset-project-choices)
	echo '{}' >`+file+` ;;
esac`)
}

// Each set-up is broken in one way, for real. doctor --fix mends it, and the doctor is content
// with it then.
func TestDoctor_MendsWhatIsBroken(t *testing.T) {
	t.Parallel()
	registration := func(command string) string {
		return fmt.Sprintf(`{"mcpServers": {"compound-docs": {"command": %q, "args": ["serve"]}}}`, command)
	}
	document := promotable + "a.md"
	for name, test := range map[string]struct {
		breaks      func(t *testing.T, i *installation)
		check, what string
	}{
		"no configuration": {func(t *testing.T, i *installation) {
			t.Helper()
			must(t, os.RemoveAll(filepath.Join(i.root, filepath.Dir(configPath))))
		}, "config", "has no configuration"},
		"an unreadable configuration": {func(t *testing.T, i *installation) {
			t.Helper()
			i.give(t)
			must(t, os.Chmod(filepath.Join(i.root, configPath), 0))
		}, "config", "may not be read"},
		"no folder of documents": {func(t *testing.T, i *installation) {
			t.Helper()
			write(t, i.root, configPath, `{"project_name": "p", "documents": {"folder": "docs/notes", "lenient": true}}`)
		}, "config", "no folder docs/notes yet"},
		"a home that is closed": {func(t *testing.T, i *installation) {
			t.Helper()
			i.give(t)
			must(t, os.Chmod(i.home, 0o500))
		}, "home folder", "may not write to it"},
		"a folder of documents that is closed": {func(t *testing.T, i *installation) {
			t.Helper()
			i.give(t)
			must(t, os.Chmod(filepath.Join(i.root, "csharp-compounding-docs"), 0o500))
		}, "home folder", "may not write to it"},
		"a document that is closed": {func(t *testing.T, i *installation) {
			t.Helper()
			i.give(t)
			must(t, os.Chmod(filepath.Join(i.root, document), 0))
		}, "files", "permission denied"},
		"a password that others can read": {func(t *testing.T, i *installation) {
			t.Helper()
			u, err := url.Parse(i.value("CDOCS_DATABASE_URL"))
			must(t, err)
			u.User = url.UserPassword(u.User.Username(), "s3cret")
			write(t, i.home, "settings.json", fmt.Sprintf(`{"database_url": %q}`, u))
			must(t, os.Chmod(filepath.Join(i.home, "settings.json"), 0o644))
		}, "settings", "others can read the password"},
		"no database of the name": {func(t *testing.T, i *installation) {
			t.Helper()
			u, err := url.Parse(i.value("CDOCS_DATABASE_URL"))
			must(t, err)
			u.Path = strings.TrimSuffix(u.Path, "/") + "_of_another_name"
			i.set("CDOCS_DATABASE_URL", u.String())
		}, "database", "does not exist"},
		"a pgvector that was not updated": {func(t *testing.T, i *installation) {
			t.Helper()
			casts := ""
			for _, of := range []string{"integer", "real", "double precision", "numeric"} {
				function := fmt.Sprintf("FUNCTION array_to_sparsevec(%s[], integer, boolean)", of)
				casts += fmt.Sprintf("ALTER EXTENSION vector DROP CAST (%s[] AS sparsevec); DROP CAST (%s[] AS sparsevec); "+
					"ALTER EXTENSION vector DROP %s; DROP %s;", of, of, function, function)
			}
			i.exec(t, casts+"UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'")
		}, "database", "pgvector 0.7.4 is too old"},
		"an index that is not valid": {func(t *testing.T, i *installation) {
			t.Helper()
			i.sync(t)
			i.exec(t, `UPDATE pg_index SET indisvalid = false
				WHERE indexrelid = (SELECT min(indexrelid::regclass::text) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
					WHERE relkind = 'i' AND indrelid::regclass::text LIKE 'embeddings_%' AND NOT indisunique)::regclass`)
		}, "schema", "indexes are not valid"},
		"an index that a REINDEX has left": {func(t *testing.T, i *installation) {
			t.Helper()
			i.sync(t)
			i.exec(t, `CREATE INDEX documents_path_ccnew ON documents (title);
				UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'documents_path_ccnew'::regclass`)
		}, "schema", "documents_path_ccnew"},
		"data that others may enter": {func(t *testing.T, i *installation) {
			t.Helper()
			i.own(t)
			i.run(t, "down")
			data, err := filepath.Glob(filepath.Join(i.home, "postgres", "*", "PG_VERSION"))
			if err != nil || len(data) != 1 {
				t.Fatal(data, err)
			}
			must(t, os.Chmod(filepath.Dir(data[0]), 0o755))
		}, "database", "others may enter"},
		"no embedding model":   {func(_ *testing.T, i *installation) { i.fake.RemoveModel("mxbai-embed-large") }, "ollama", "lacks the embedding model"},
		"no model that writes": {func(_ *testing.T, i *installation) { i.fake.RemoveModel("mistral") }, "ollama", "lacks the model mistral"},
		"a model that says nothing": {func(t *testing.T, i *installation) {
			t.Helper()
			i.fake.AddModel("gibberish", "1")
			i.fake.SetFaults(fakeollama.Faults{Meaningless: true})
			write(t, i.home, "settings.json", `{"embedding_model": "gibberish"}`)
			i.sync(t)
			i.fake.SetFaults(fakeollama.Faults{})
		}, "models", "searches go by words"},
		"passages without vectors": {func(t *testing.T, i *installation) {
			t.Helper()
			i.sync(t)
			i.exec(t, "DELETE FROM embeddings")
		}, "index", "passages have no vector"},
		"unused passages that nobody looks for": {func(t *testing.T, i *installation) {
			t.Helper()
			i.sync(t)
			i.exec(t, "UPDATE tenants SET first_seen = now() - interval '31 days', swept_at = NULL")
		}, "team", "for 31 days"},
		"a stale lock of git": {func(t *testing.T, i *installation) {
			t.Helper()
			write(t, i.root, ".git/index.lock", "")
			hourAgo := time.Now().Add(-time.Hour)
			must(t, os.Chtimes(filepath.Join(i.root, ".git/index.lock"), hourAgo, hourAgo))
		}, "git", "has left its lock"},
		"no registration": {func(t *testing.T, i *installation) {
			t.Helper()
			i.claude(t, "{}")
		}, "Claude Code", "does not start the server"},
		"a program that has moved": {func(t *testing.T, i *installation) {
			t.Helper()
			i.claude(t, registration("/nowhere/compound-docs"))
		}, "Claude Code", "there is no such program"},
		"a program of the repository's registration that has moved": {func(t *testing.T, i *installation) {
			t.Helper()
			i.claude(t, "{}")
			write(t, i.root, ".mcp.json", registration("/nowhere/compound-docs"))
		}, "Claude Code", "there is no such program"},
		"a program that may not be run": {func(t *testing.T, i *installation) {
			t.Helper()
			writeProgram(t, filepath.Join(i.folder(), "other"), "")
			must(t, os.Chmod(filepath.Join(i.folder(), "other"), 0o644))
			i.claude(t, registration(filepath.Join(i.folder(), "other")))
		}, "Claude Code", "this user may not run it"},
		"a program that is not on the PATH": {func(t *testing.T, i *installation) {
			t.Helper()
			hidden := filepath.Join(i.folder(), "hidden", "compound-docs")
			must(t, os.Mkdir(filepath.Dir(hidden), 0o755), os.Rename(i.program, hidden))
			i.program = hidden
			must(t, os.MkdirAll(filepath.Join(i.folder(), ".local", "bin"), 0o755))
			i.set("PATH", filepath.Join(i.folder(), ".local", "bin")+":"+i.value("PATH"))
			i.claude(t, registration("compound-docs"))
		}, "Claude Code", "there is no such program on the PATH"},
		"a server that was turned down": {func(t *testing.T, i *installation) {
			t.Helper()
			i.claude(t, fmt.Sprintf(`{"projects": {%q: {"disabledMcpjsonServers": ["compound-docs"]}}}`, i.root))
			write(t, i.root, ".mcp.json", registration(i.program))
		}, "Claude Code", "was turned down"},
		"a plugin whose server failed before": {func(t *testing.T, i *installation) {
			t.Helper()
			write(t, i.folder(), ".claude/settings.json", `{"enabledPlugins": {"cdocs@compound-docs": true}}`)
			write(t, i.folder(), ".claude/mcp-needs-auth-cache.json",
				fmt.Sprintf(`{"plugin:cdocs:compound-docs": {"timestamp": %d}}`, time.Now().UnixMilli()))
		}, "Claude Code", "does not try again before"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newInstallation(t)
			test.breaks(t, i)
			if before, _ := i.diagnose(t); !before.names(test.check, test.what, "") {
				t.Fatalf("before, %s does not say %q: %+v", test.check, test.what, before.Findings)
			}
			if o := i.run(t, "doctor", "--team", "--fix"); o.code == 0 || !strings.Contains(o.stderr, "not run: ") {
				t.Errorf("without leave doctor --fix ends with %d and says %s%s", o.code, o.stdout, o.stderr)
			}
			o := i.run(t, "doctor", "--team", "--fix", "--yes", "--json")
			var during struct {
				Fixed []struct {
					Command []string `json:"command"`
					Error   string   `json:"error"`
				} `json:"fixed"`
			}
			if err := json.Unmarshal([]byte(o.stdout), &during); err != nil || len(during.Fixed) == 0 || during.Fixed[0].Error != "" {
				t.Errorf("doctor --fix says %+v, %v", during, err)
			}
			after, _ := i.diagnose(t)
			if slices.ContainsFunc(after.Findings, func(f finding) bool {
				return f.Check == test.check && f.isBad() && !strings.Contains(f.What, "pgvector 0.8.0")
			}) {
				t.Errorf("after %s%s, %s is not well: %+v", o.stdout, o.stderr, test.check, after.Findings)
			}
		})
	}
}

// At a terminal a command is run when the user says yes.
func TestDoctor_AsksBeforeItMends(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	write(t, i.root, ".git/index.lock", "")
	hourAgo := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(filepath.Join(i.root, ".git/index.lock"), hourAgo, hourAgo))
	shown := onTerminal(t, "y\n", i.root, i.environment, "doctor", "--fix")
	if _, err := os.Stat(filepath.Join(i.root, ".git/index.lock")); !os.IsNotExist(err) || !strings.Contains(shown, "/.git/index.lock? [y/N] ") {
		t.Errorf("after yes the lock is there (%v), and the terminal shows %q", err, shown)
	}
}

// give has the doctor run as another user than root, to whom the installation belongs.
func (i *installation) give(t *testing.T) {
	t.Helper()
	i.unprivileged = true
	if os.Geteuid() != 0 {
		return
	}
	must(t, filepath.WalkDir(i.folder(), func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, nobody, nobody))
	}))
}
