package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// testNames returns the names of all tests of the module.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	declaration := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	names := map[string]bool{}
	err := filepath.WalkDir(sourceRoot, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, found := range declaration.FindAllSubmatch(source, -1) {
			names[string(found[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Each row of the threat model names tests that show it.
func TestSecurityPage_NamesTestsThatExist(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(sourceRoot, "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	names, named, defences, rows := testNames(t), regexp.MustCompile("`(Test\\w+)`"), false, 0
	for line := range strings.Lines(string(page)) {
		switch {
		case strings.HasPrefix(line, "| defended |"):
			defences = true
		case !strings.HasPrefix(line, "|"):
			defences = false
		case defences && !strings.HasPrefix(line, "|---"):
			rows++
			found := named.FindAllStringSubmatch(line, -1)
			if len(found) == 0 {
				t.Errorf("no test is named in the row %s", line)
			}
			for _, name := range found {
				if !names[name[1]] {
					t.Errorf("there is no test %s", name[1])
				}
			}
		}
	}
	if rows < 20 {
		t.Errorf("the page has %d rows of defences", rows)
	}
}
