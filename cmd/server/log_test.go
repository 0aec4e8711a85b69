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

// Every call is one line: at info how long it took, at error why it failed.
func TestServe_LogsCallsInOneLineEach(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	command, log := logged(t, "info", environment...)
	session := connect(t, command)
	root := newProject(t, map[string]string{
		"csharp-compounding-docs/tools/a.md": document("Alpha pools", "Pools of alpha."),
		"csharp-compounding-docs/tools/b.md": document("Beta pools", "Pools of beta."),
	})
	var ignored map[string]any
	call(t, session, "activate_project", activation(root), &ignored)
	arguments := map[string]any{"query": "pools", "min_relevance_score": 0}
	call(t, session, "semantic_search", arguments, &ignored)
	call(t, session, "rag_query", arguments, &ignored)
	call(t, session, "list_doc_types", map[string]any{}, &ignored)
	call(t, session, "search_external_docs", arguments, &ignored)
	call(t, session, "semantic_search", map[string]any{"query": "pools", "limit": 0}, &ignored)
	if _, err := session.Text(t.Context(), "no_such_tool", nil); err == nil {
		t.Error("a tool that does not exist answers")
	}
	must(t, session.Close())
	log.mustHave(t, 1, `level=INFO msg="tool call" tool=activate_project ms=\d+`)
	log.mustHave(t, 1, `level=INFO msg="tool call" tool=semantic_search ms=\d+$`)
	log.mustHave(t, 1, `level=INFO msg="tool call" tool=rag_query ms=\d+$`)
	log.mustHave(t, 1, `level=INFO msg="tool call" tool=list_doc_types ms=\d+$`)
	log.mustHave(t, 1, `level=ERROR msg="tool call failed" tool=search_external_docs code=EXTERNAL_DOCS_NOT_CONFIGURED .*ms=\d+`)
	log.mustHave(t, 1, `level=ERROR msg="tool call failed" tool=semantic_search code=INVALID_ARGUMENT .*ms=\d+`)
	log.mustHave(t, 1, `level=ERROR msg="tool call refused" tool=no_such_tool .*ms=\d+`)
	log.mustHave(t, 7, `msg="tool `)
}
