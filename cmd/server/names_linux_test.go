package main_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// A document is found by either Unicode form of its path, whichever the disk has.
func TestCommands_FindNamesInEitherForm(t *testing.T) {
	t.Parallel()
	nfc := func(name string) string { return norm.NFC.String(name) }
	nfd := func(name string) string { return norm.NFD.String(name) }
	for _, test := range []struct{ name, onDisk, given string }{
		{"a name from macOS", nfd(promotable + "Größe-überlauf.md"), nfc(promotable + "Größe-überlauf.md")},
		{"a name from Linux", nfc(promotable + "Größe-überlauf.md"), nfd(promotable + "Größe-überlauf.md")},
		{"a folder from macOS", promotable + nfd("Éte") + nfc("/École.md"), nfc(promotable + "Éte/École.md")},
		{"Korean", nfd(promotable + "연결-풀.md"), nfc(promotable + "연결-풀.md")},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			i := newInstallation(t)
			write(t, i.root, test.onDisk, strings.ReplaceAll(problem, "%", "Größe"))
			write(t, i.root, promotable+"b.md", strings.ReplaceAll(problem, "%", "Later"))
			i.sync(t)
			for _, arguments := range [][]string{
				{"about", test.given},
				{"promote", test.given, "important"},
				{"retire", test.given, "--by", promotable + "b.md"},
				{"sync"},
			} {
				if o := i.run(t, arguments...); o.code != 0 {
					t.Errorf("%q ends with %d: %s%s", arguments, o.code, o.stdout, o.stderr)
				}
			}
			text, err := os.ReadFile(filepath.Join(i.root, test.onDisk))
			if err != nil || !strings.Contains(string(text), "important") || !strings.Contains(string(text), "superseded by") {
				t.Errorf("%v, and the file has %s", err, text)
			}
			files, err := os.ReadDir(filepath.Dir(filepath.Join(i.root, test.onDisk)))
			if same := strings.Count(strings.Join(names(files), " "), ".md"); err != nil || same > 3 { // one of the installation and two of the test
				t.Errorf("%v, and %d files", err, same)
			}
			if o := i.run(t, "search", "Größe", "--json"); !strings.Contains(o.stdout, nfc(test.given)) {
				t.Errorf("search prints %s", o.stdout)
			}
		})
	}
}

func names(files []os.DirEntry) (all []string) {
	for _, file := range files {
		all = append(all, file.Name())
	}
	return all
}

// ownedByAnother makes the installation's repository one of git, which belongs to another user.
func ownedByAnother(t *testing.T, i *installation) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	for _, arguments := range [][]string{
		{"init", "-q", "-b", "main", i.root},
		{"-C", i.root, "add", "-A"},
		{"-C", i.root, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "x", "--date", "2024-03-04T12:00:00Z"},
	} {
		must(t, exec.CommandContext(t.Context(), "git", arguments...).Run())
	}
	must(t, filepath.WalkDir(i.root, func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, 65534, 65534))
	}))
}

// In a container the files may belong to another user. Git does not read their history then.
func TestCommands_SayThatGitDoesNotTrust(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	write(t, i.root, configPath, `{"project_name": "p", "documents": {"folders": ["docs"]}}`)
	write(t, i.root, "docs/pool.md", "# The pool is exhausted\n\nRaise the limit.\n")
	ownedByAnother(t, i)
	const want = "git config --global --add safe.directory"
	o := i.run(t, "search", "pool exhausted", "--json")
	if !strings.Contains(strings.Join(strings.Fields(o.stderr), " "), want) && !strings.Contains(o.stdout, want) || o.code != 0 {
		t.Errorf("search ends with %d and prints %s%s", o.code, o.stdout, o.stderr)
	}
	if !strings.Contains(o.stdout, `"date": ""`) {
		t.Errorf("a document has a date: %s", o.stdout)
	}
	must(t, exec.CommandContext(t.Context(), "chown", "-R", "0:0", i.root).Run())
	write(t, i.root, "docs/pool.md", "# The pool is exhausted\n\nRaise its limit.\n")
	o = i.run(t, "search", "pool exhausted", "--json")
	if strings.Contains(o.stderr+o.stdout, want) || !strings.Contains(o.stdout, `"date": "2024-03-04"`) {
		t.Errorf("search prints %s%s", o.stdout, o.stderr)
	}
}
