package main_test

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/tail"
)

// lineLog keeps what a server logs.
type lineLog struct{ tail.Whole }

// matching returns the lines that match the pattern.
func (l *lineLog) matching(pattern string) (lines []string) {
	for line := range strings.Lines(l.String()) {
		if regexp.MustCompile(pattern).MatchString(strings.TrimSpace(line)) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// mustHave fails unless just n lines match.
func (l *lineLog) mustHave(t *testing.T, n int, pattern string) {
	t.Helper()
	if got := l.matching(pattern); len(got) != n {
		t.Errorf("%d log lines match %s, want %d:\n%s\nof\n%s", len(got), pattern, n, strings.Join(got, "\n"),
			strings.Join(l.matching("."), "\n"))
	}
}

func logged(t *testing.T, level string, environment ...string) (*exec.Cmd, *lineLog) {
	t.Helper()
	log := &lineLog{}
	command := server(t, append(environment, "CDOCS_LOG_LEVEL="+level)...)
	command.Stderr = log
	return command, log
}

func document(title, text string) string {
	return "---\ntitle: " + title + "\ndate: 2026-01-02\nsummary: " + title + "\nsignificance: correctness\n" +
		"knowledge_type: gotcha\ntool_name: t\nversion: \"1\"\n---\n\n# " + title + "\n\n" + text + "\n"
}
