package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The page has every command, and man finds no fault in it.
func TestManual(t *testing.T) {
	t.Parallel()
	commands, err := os.ReadFile("../../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	page := manual(string(commands))
	sections := 0
	for line := range strings.Lines(string(commands)) {
		if name, ok := strings.CutPrefix(line, "### "); ok {
			sections++
			if !strings.Contains(page, "\n.SS "+strings.ReplaceAll(name, "-", `\-`)) {
				t.Errorf("the page lacks %s", name)
			}
		}
	}
	if sections < 15 {
		t.Errorf("docs/commands.md has only %d commands", sections)
	}
	if _, err := exec.LookPath("man"); err != nil {
		t.Skip("man is not on this machine")
	}
	show := exec.CommandContext(t.Context(), "man", "--warnings", "--local-file", "-")
	show.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "MANPAGER=cat", "MANWIDTH=100")
	show.Stdin = strings.NewReader(page)
	shown, err := show.CombinedOutput()
	if err != nil || strings.Contains(string(shown), "warning") && strings.Contains(string(shown), "<standard input>") {
		t.Errorf("%v: %s", err, shown)
	}
	for _, want := range []string{"NAME", "compound-docs search", "--min-relevance-score FLOAT: minimum relevance"} {
		if !strings.Contains(string(shown), want) {
			t.Errorf("man does not show %q: %s", want, shown)
		}
	}
}
