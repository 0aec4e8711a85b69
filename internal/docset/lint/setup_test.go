package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/docset/lint"
	"github.com/compound-docs/compound-docs/internal/project"
)

const (
	docs   = "csharp-compounding-docs/"
	config = ".csharp-compounding-docs/config.json"
)

// check returns what lint finds in a repository, one line a finding.
func check(t *testing.T, root string) []string {
	t.Helper()
	return lines(run(t, root))
}

// run returns the report of a repository with a valid configuration.
func run(t *testing.T, root string) lint.Report {
	t.Helper()
	p, err := project.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	set, err := docset.Read(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	report, err := lint.Run(t.Context(), p, set)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func lines(report lint.Report) []string {
	found := []string{}
	for _, f := range report.Findings {
		found = append(found, fmt.Sprintf("%s:%d: %s %s: %s", strings.TrimPrefix(f.Path, docs), f.Line, f.Severity, f.Check, f.Message))
	}
	return found
}

// insight returns an insight of 2026-01-02 with more lines of front matter, and a text.
func insight(title, more, text string) string {
	return "---\ndoc_type: insight\ntitle: " + title + "\ndate: 2026-01-02\nsummary: s\nsignificance: behavioral\n" +
		"insight_type: domain_knowledge\nimpact_area: team\n" + more + "---\n" + text + "\n"
}

// learning returns a document as the compound-engineering plugin writes them, with the
// fields given.
func learning(fields string) string {
	return "---\ndate: 2026-01-02\n" + fields + "applies_when: [a queue is slow]\n---\n# Slow queues\n\nSee [b](b.md) and [c](../codebase/c.md).\n"
}

// codebase returns a document of 2026-01-02 about a file.
func codebase(file string) string {
	return "---\ndoc_type: codebase\ntitle: c\ndate: 2026-01-02\nsummary: s\nsignificance: architectural\n" +
		"knowledge_type: code_pattern\nscope: module\nfiles_involved:\n  - " + file + "\n---\nSee [a](../insights/a.md).\n"
}

const prose = "The queue drains slowly because every worker waits on one shared advisory lock while " +
	"another transaction vacuums partitions, rebuilds indexes, refreshes statistics and archives events overnight."
