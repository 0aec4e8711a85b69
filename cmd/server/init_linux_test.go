package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/postgres"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// Without a PostgreSQL all but the database is there, and nothing is installed.
func TestInit_WithoutPostgreSQL(t *testing.T) {
	t.Parallel()
	for name, arguments := range map[string][]string{"init": {"init"}, "with leave": {"init", "--yes"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newInstallation(t)
			i.unset("CDOCS_DATABASE_URL")
			writeProgram(t, filepath.Join(filepath.Dir(i.program), "apt-get"), "echo apt-get runs >&2")
			got := i.run(t, arguments...)
			if got.code != 1 || !strings.Contains(got.stdout, "error    database     this program came without a PostgreSQL") ||
				!strings.Contains(got.stdout, "→ install compound-docs from one of its packages, which contain PostgreSQL") ||
				!strings.Contains(got.stdout, "config: ") {
				t.Errorf("init ends with %d, and says %s%s", got.code, got.stdout, got.stderr)
			}
			if strings.Contains(got.stderr, "apt-get runs") {
				t.Error("init installs something")
			}
		})
	}
}

// init names the PostgreSQL beside the program.
func TestInit_NamesTheDatabase(t *testing.T) {
	t.Parallel()
	bundle, ok := strings.CutSuffix(testenv.Programs(t), "/"+postgres.Bin)
	if !ok {
		t.Skip("the tests run with another PostgreSQL than the bundled one")
	}
	i := newInstallation(t)
	i.unset("CDOCS_DATABASE_URL")
	must(t, os.Symlink(bundle, filepath.Join(filepath.Dir(i.program), "postgresql")))
	if got := i.run(t, "init"); got.code != 0 || !strings.Contains(got.stdout, "database     PostgreSQL 18.") {
		t.Errorf("init ends with %d, and says %s%s", got.code, got.stdout, got.stderr)
	}
}

// A repository that cannot be written to gets a sentence that says so.
func TestInit_InARepositoryThatCannotBeWrittenTo(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	i.unprivileged = true
	must(t, os.RemoveAll(filepath.Join(i.root, filepath.Dir(configPath))), os.Chmod(i.root, 0o555))
	got := i.run(t, "init")
	if got.code != 1 || !strings.Contains(got.stderr, "nothing can be written in "+i.root+": ") ||
		!strings.Contains(got.stderr, "run it as a user who may, or in a copy") {
		t.Errorf("init ends with %d, and says %s%s", got.code, got.stdout, got.stderr)
	}
}

// A name of --documents that leads nowhere, and a folder that cannot be written, are said with what to do.
func TestInit_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	const full = "/proc/self" // nobody can make a file there
	root := newFolder(t)
	write(t, root, "docs/pool.md", "# Pool\n")
	got := run(t, root, []string{"HOME=" + t.TempDir()}, "init", "--documents", "dosc")
	if want := "documents: 0 markdown files in dosc\n  if the name is wrong, correct documents.folders in " + root; !strings.Contains(got.stdout, want) {
		t.Errorf("init does not say %q: %s", want, got.stdout)
	}
	got = run(t, root, []string{"HOME=" + t.TempDir()}, "init", "--documents", ".,docs")
	if want := "documents: 0 markdown files in docs\n  its files count for the whole repository"; !strings.Contains(got.stdout, want) {
		t.Errorf("init does not say %q: %s", want, got.stdout)
	}
	must(t, os.RemoveAll(filepath.Join(root, filepath.Dir(configPath))))
	write(t, root, ".git/HEAD", "ref: refs/heads/main\n")
	write(t, root, ".gitignore", "docs/\n")
	must(t, os.RemoveAll(filepath.Join(root, filepath.Dir(configPath))))
	said := run(t, root, []string{"HOME=" + t.TempDir()}, "init").stdout
	if want := "to search what git ignores, name it: compound-docs init --documents docs\n"; !strings.Contains(said, want) {
		t.Errorf("init does not say %q: %s", want, said)
	}
	if said := run(t, root, []string{"HOME=" + t.TempDir()}, "init", "--documents", "docs").stdout; !strings.Contains(said, "documents: 1 markdown file in docs\n") {
		t.Errorf("init --documents docs says %s", said)
	}
	for want, arguments := range map[string][]string{
		"write " + full + "/c/settings.json":               {"init"}, // of a PostgreSQL that only this shell names
		"; CDOCS_HOME names another folder for it":         {"init", "--embedder", "bge-m3"},
		"init --client windsurf --print shows what to add": {"init", "--client", "windsurf"},
	} {
		environment := []string{"HOME=" + full, "CDOCS_HOME=" + full + "/c"}
		if len(arguments) > 1 {
			environment = append(environment, testenv.EnvPrograms+"=")
		}
		got := run(t, root, environment, arguments...)
		if got.code == 0 || !strings.Contains(got.stdout+got.stderr, want) {
			t.Errorf("%v ends with %d and does not say %q: %s%s", arguments, got.code, want, got.stdout, got.stderr)
		}
	}
}
