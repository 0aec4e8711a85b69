package workspace_test

import (
	_ "embed"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

const solutions = "docs/solutions/"

// solution is a document as the compound-engineering plugin writes it.
//
//go:embed testdata/solution.md
var solution string

// loose are documents without the front matter that a doc-type asks for.
func loose() map[string]string {
	return map[string]string{
		"database-issues/pool.md": solution,
		"conventions/names.md":    "# Names of jobs\n\nA job is called like what it makes.\n\nSee [the pool](../database-issues/pool.md).\n",
		"untitled.md":             "About nothing in particular.\n",
		"broken.md":               "---\ntitle: \"Foo\n---\n\n# Broken\n\nText.\n",
		"rule.md":                 "---\n\n# Rule\n\nA line is above the title.\r\n",
		"caf\u00e9.md":            "# Caf\xe9\n\nNot UTF-8.\n",
		"odd.md":                  "---\ndoc_type: guide\ntitle: [a, list]\ndate: yesterday\npromotion_level: huge\nsignificance: none\n---\n\n# Odd\n",
		"named.md":                "---\ndoc_type: insight\ndate: 2025-06-07T08:09:10Z\npromotion_level: important\n---\n\n# Named\n",
		"site/node_modules/x.md":  "# Not ours\n",
	}
}

const lenientConfig = `{"project_name": "test-project", "documents": {"folder": "docs/solutions", "lenient": true}}`

// setupLoose is setup with loose documents, committed on 2024-05-06, in a lenient project.
func setupLoose(t *testing.T) *fixture {
	t.Helper()
	f := setup(t, map[string]string{".csharp-compounding-docs/config.json": lenientConfig})
	for name, content := range loose() {
		f.Put(solutions+name, content)
	}
	f.Git("init", "-q", "-b", "main")
	f.Git("add", "-A")
	f.Git("commit", "-q", "-m", "work", "--date", "2024-05-06T12:00:00Z")
	return f
}

// described has what the index says of each document.
func (f *fixture) described(t *testing.T) []string {
	t.Helper()
	return f.rows(t, `SELECT concat_ws(' | ', collection, replace(relative_path, 'docs/solutions/', ''), title, doc_type, doc_date, promotion_level)
		FROM documents ORDER BY relative_path COLLATE "C"`)
}

func TestActive_TakesLooseDocuments(t *testing.T) {
	t.Parallel()
	f := setupLoose(t)
	f.Put(solutions+"new.md", "# New\n\nIt is not committed.\n")
	f.Must(os.Chtimes(f.Path(solutions+"new.md"), time.Time{}, time.Date(2023, 2, 3, 12, 0, 0, 0, time.Local)))
	s := f.server(t)
	active := f.activate(t, s, "main")
	if status := active.Status(); status.FailedCount > 0 {
		t.Errorf("failed: %+v", status.Failed)
	}
	want := []string{
		"compounding | broken.md | Broken | problem | 2024-05-06 | standard",
		"compounding | caf\u00e9.md | Caf\ufffd | problem | 2024-05-06 | standard",
		"compounding | conventions/names.md | Names of jobs | style | 2024-05-06 | standard",
		"compounding | database-issues/pool.md | Jobs exhaust the connection pool | problem | 2026-03-04 | standard",
		"compounding | named.md | Named | insight | 2025-06-07 | important",
		"compounding | new.md | New | problem | 2023-02-03 | standard",
		"compounding | odd.md | Odd | problem | 2024-05-06 | standard",
		"compounding | rule.md | Rule | problem | 2024-05-06 | standard",
		"compounding | untitled.md | untitled | problem | 2024-05-06 | standard",
	}
	if diff := cmp.Diff(want, f.described(t)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	if summaries := f.rows(t, `SELECT summary FROM documents WHERE relative_path LIKE '%names.md'`); summaries[0] != "A job is called like what it makes." {
		t.Errorf("summary %q, want the first paragraph", summaries)
	}
	links := f.rows(t, `SELECT target_path || ' ' || fallback_path FROM document_links ORDER BY 1`)
	wantLinks := []string{
		"docs/solutions/database-issues/conventions/names.md docs/solutions/conventions/names.md", "docs/solutions/database-issues/pool.md ",
	}
	if diff := cmp.Diff(wantLinks, links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	types, err := active.DocTypes(t.Context())
	f.Must(err)
	counts := map[string]int{}
	for _, docType := range types {
		counts[docType.Name] = docType.Documents
	}
	if diff := cmp.Diff(map[string]int{"problem": 7, "insight": 1, "codebase": 0, "tool": 0, "style": 1}, counts); diff != "" {
		t.Errorf("documents by type (-want +got):\n%s", diff)
	}
}

// A commit after the first sync dates what it adds.
func TestActive_AsksGitAgainAfterACommit(t *testing.T) {
	t.Parallel()
	f := setupLoose(t)
	active := f.activate(t, f.server(t), "main")
	f.Put(solutions+"new.md", "# New\n\nText.\n")
	f.Git("add", "-A")
	f.Git("commit", "-q", "-m", "work", "--date", "2024-07-08T12:00:00Z")
	f.Put(solutions+"new.md", "# New\n\nAnother text.\n")
	if _, err := active.IndexFile(t.Context(), solutions+"new.md"); err != nil {
		t.Fatal(err)
	}
	if dates := f.rows(t, `SELECT doc_date FROM documents WHERE relative_path LIKE '%new.md'`); dates[0] != "2024-07-08" {
		t.Errorf("the date is %q, want that of the commit", dates)
	}
}

func TestPromote_AddsFrontMatter(t *testing.T) {
	t.Parallel()
	f := setupLoose(t)
	active := f.activate(t, f.server(t), "main")
	want := f.files(t)
	for name, added := range map[string]string{
		"conventions/names.md": "---\npromotion_level: critical\n---\n\n", "untitled.md": "---\npromotion_level: critical\n---\n\n",
		"rule.md": "---\npromotion_level: critical\n---\n\n", "caf\u00e9.md": "---\npromotion_level: critical\n---\n\n",
	} {
		if _, previous, err := active.Promote(t.Context(), name, catalog.Critical); err != nil || previous != catalog.Standard {
			t.Errorf("%s: previous level %s, %v", name, previous, err)
		}
		want[solutions+name] = strings.Replace(want[solutions+name], " ", " "+added, 1)
	}
	if _, _, err := active.Promote(t.Context(), "odd.md", catalog.Important); err != nil {
		t.Error(err)
	}
	want[solutions+"odd.md"] = strings.Replace(want[solutions+"odd.md"], "huge", "important", 1)
	_, _, err := active.Promote(t.Context(), "broken.md", catalog.Critical)
	if e := apierror.AsError(err); err == nil || e.Code != apierror.SchemaValidationFailed || !strings.Contains(e.Error(), "not valid YAML") {
		t.Errorf("front matter that cannot be read: %v", err)
	}
	if diff := cmp.Diff(want, f.files(t)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(f.fresh(t), f.columns(t)); diff != "" {
		t.Errorf("index (-fresh +promoted):\n%s", diff)
	}
	_, _, err = active.Promote(t.Context(), "missing.md", catalog.Critical)
	if e := apierror.AsError(err); e.Code != apierror.DocumentNotFound || !strings.Contains(e.Error(), "./docs/solutions/example.md") {
		t.Errorf("a missing document: %v", err)
	}
}
