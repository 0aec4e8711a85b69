package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each row of the threat model names tests that show it. TestDocumentation_NamesTestsThatExist looks for them.
func TestSecurityPage_NamesTests(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(sourceRoot, "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	named, defences, rows := regexp.MustCompile("`Test\\w+`"), false, 0
	for line := range strings.Lines(string(page)) {
		switch {
		case strings.HasPrefix(line, "| defended |"):
			defences = true
		case !strings.HasPrefix(line, "|"):
			defences = false
		case defences && !strings.HasPrefix(line, "|---"):
			rows++
			if !named.MatchString(line) {
				t.Errorf("no test is named in the row %s", line)
			}
		}
	}
	if rows < 20 {
		t.Errorf("the page has %d rows of defences", rows)
	}
}
