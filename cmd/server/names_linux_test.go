package main_test

import (
	"os"
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
