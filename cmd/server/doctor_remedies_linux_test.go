package main_test

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/gitrepo"
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

// sync makes the index.
func (i *installation) sync(t *testing.T) {
	t.Helper()
	if o := i.run(t, "sync"); o.code != 0 {
		t.Fatal(o.stderr)
	}
}

// Each set-up is broken in one way, for real. The doctor prints a command that mends it, and is
// content after that command.
func TestDoctor_PrintsWhatMends(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		breaks      func(t *testing.T, i *installation)
		check, what string
		command     string // a pattern of the command in the remedy
	}{
		"no configuration": {func(t *testing.T, i *installation) {
			t.Helper()
			must(t, os.RemoveAll(filepath.Join(i.root, filepath.Dir(configPath))))
		}, "config", "has no configuration", "compound-docs init .+"},
		"an unreadable configuration": {func(t *testing.T, i *installation) {
			t.Helper()
			i.give(t)
			must(t, os.Chmod(filepath.Join(i.root, configPath), 0))
		}, "config", "may not be read", "chmod u[+]rwX .+"},
		"no folder of documents": {func(t *testing.T, i *installation) {
			t.Helper()
			write(t, i.root, configPath, `{"project_name": "p", "documents": {"folder": "docs/notes", "lenient": true}}`)
		}, "config", "no folder docs/notes yet", "mkdir -p [^,]+"},
		"a password that others can read": {func(t *testing.T, i *installation) {
			t.Helper()
			u, err := url.Parse(i.value("CDOCS_DATABASE_URL"))
			must(t, err)
			u.User = url.UserPassword(u.User.Username(), "s3cret")
			write(t, i.home, "settings.json", fmt.Sprintf(`{"database_url": %q}`, u))
			must(t, os.Chmod(filepath.Join(i.home, "settings.json"), 0o644))
		}, "config", "others can read the address", "chmod 600 .+"},
		"no database of the name": {func(t *testing.T, i *installation) {
			t.Helper()
			u, err := url.Parse(i.value("CDOCS_DATABASE_URL"))
			must(t, err)
			u.Path = strings.TrimSuffix(u.Path, "/") + "_of_another_name"
			i.set("CDOCS_DATABASE_URL", u.String())
		}, "database", "does not exist", "compound-docs up"},
		"no embedding model": {func(_ *testing.T, i *installation) { i.fake.RemoveModel("mxbai-embed-large") }, "models", "lacks the embedding model", "compound-docs up"},
		"an Ollama host with the path of another API": {func(_ *testing.T, i *installation) {
			i.set("CDOCS_OLLAMA_HOST", i.fake.URL()+"/v1")
		}, "models", "/v1: HTTP 404", `export \S+`},
		"a model that writes makes the vectors": {func(t *testing.T, i *installation) {
			t.Helper()
			write(t, i.home, "settings.json", `{"embedding_model": "mistral"}`)
		}, "models", "mistral writes answers", "compound-docs init .+"},
		"a model that says nothing": {func(t *testing.T, i *installation) {
			t.Helper()
			i.fake.AddModel("gibberish", "1")
			i.fake.SetFaults(fakeollama.Faults{Meaningless: true})
			write(t, i.home, "settings.json", `{"embedding_model": "gibberish"}`)
			i.sync(t)
			i.fake.SetFaults(fakeollama.Faults{})
		}, "models", "searches go by words", "compound-docs init .+"},
		"passages without vectors": {func(t *testing.T, i *installation) {
			t.Helper()
			i.sync(t)
			i.exec(t, "DELETE FROM embeddings")
		}, "index", "passages have no vector", "compound-docs sync"},
		"a lock that git left": {func(t *testing.T, i *installation) {
			t.Helper()
			write(t, i.root, ".git/index.lock", "")
		}, "index", "nothing is indexed while", "rm [^,]+"},
		"a shallow clone": {func(t *testing.T, i *installation) {
			t.Helper()
			must(t, os.RemoveAll(filepath.Join(i.root, ".git")))
			origin := gitrepo.New(t)
			origin.Git("init", "-q", "-b", "main")
			origin.Put("a.md", "# A\n")
			origin.Commit()
			origin.Put("a.md", "# B\n")
			origin.Commit()
			origin.Git("clone", "-q", "--bare", "--depth", "1", "file://"+origin.Root, filepath.Join(i.root, ".git"))
			origin.Git("-C", i.root, "config", "core.bare", "false")
		}, "index", "this clone has only the newest commits", "git -C .+"},
		"a configuration that is a folder": {func(t *testing.T, i *installation) {
			t.Helper()
			must(t, os.Remove(filepath.Join(i.root, configPath)), os.Mkdir(filepath.Join(i.root, configPath), 0o700))
		}, "config", "is not a regular file", "mv .+"},
		"a worktree whose repository is gone": {func(t *testing.T, i *installation) {
			t.Helper()
			must(t, os.RemoveAll(filepath.Join(i.root, ".git")))
			write(t, i.root, ".git", "gitdir: /nowhere/.git/worktrees/a\n")
		}, "index", "names a git folder that is not there", "rm .+"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newInstallation(t)
			test.breaks(t, i)
			before, _ := i.diagnose(t)
			command := before.command(test.check, test.what, test.command)
			if command == "" {
				t.Fatalf("before, %s does not say %q with %q: %+v", test.check, test.what, test.command, before.Findings)
			}
			if variable, ok := strings.CutPrefix(command, "export "); ok {
				i.environment = append(i.environment, variable)
			}
			var o outcome
			if regexp.MustCompile("^(DROP|REINDEX|CREATE|ALTER|GRANT) ").MatchString(command) {
				i.exec(t, command)
			} else {
				o = i.shell(t, command)
			}
			after, _ := i.diagnose(t)
			if slices.ContainsFunc(after.Findings, func(f finding) bool {
				return f.Check == test.check && f.isBad() && !strings.Contains(f.What, "pgvector 0.8.0")
			}) {
				t.Errorf("after %s: %s%s, %s is not well: %+v", command, o.stdout, o.stderr, test.check, after.Findings)
			}
			if test.check == "database" { // indexing works again
				i.sync(t)
			}
		})
	}
}

// command returns the part of a finding's remedy that matches a pattern, "" for none.
func (d diagnosis) command(check, what, pattern string) string {
	for _, f := range d.Findings {
		if f.isBad() && f.Check == check && strings.Contains(f.What, what) {
			return regexp.MustCompile(pattern).FindString(f.Fix)
		}
	}
	return ""
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
