package index_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// nothing knows no doc-type.
type nothing struct{}

func (nothing) Rules(string) (project.Rules, bool) { return project.Rules{}, false }

func TestIndex_WritesDocumentChunksLinksAndPassages(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, file("docs/problems/pool.md",
		"---", "title: Pool exhausted", "summary: The pool ran dry", "date: 2026-01-02", "promotion_level: critical",
		"tags: [database, pool]", "related_docs: [../tools/pgx.md, csharp-notes.md]", "---",
		"See [the tool](../tools/pgx.md#top) and [the code](../codebase/%70ool.md).", "", section("Cause", "leaks"), section("Fix", "closing")))
	got := f.Rows(t, `SELECT concat_ws('|', relative_path, title, summary, doc_type, doc_date, promotion_level,
		chunk_count, file_mtime AT TIME ZONE 'UTC') FROM documents`)
	want := []string{"docs/problems/pool.md|Pool exhausted|The pool ran dry|problem|2026-01-02|critical|3|2023-11-14 22:13:20.123456"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
	got = f.Rows(t, `SELECT concat_ws('|', ordinal, header_path, start_line, end_line, promotion_level, heading)
		FROM document_chunks c JOIN passages p ON p.hash = c.passage_hash ORDER BY ordinal`)
	want = []string{
		"0||1|8|critical|Pool exhausted",
		"1||9|9|critical|Pool exhausted",
		"2|## Cause|11|32|critical|Pool exhausted\n## Cause",
		"3|## Fix|34|55|critical|Pool exhausted\n## Fix",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("chunks (-want +got):\n%s", diff)
	}
	got = f.Rows(t, `SELECT target_path FROM document_links ORDER BY ordinal`)
	want = []string{"docs/tools/pgx.md", "docs/codebase/pool.md", "docs/problems/csharp-notes.md"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}

// Only passages whose heading or text is new to the project are embedded.
func TestIndex_EmbedsOnlyNewText(t *testing.T) {
	t.Parallel()
	before := []document.File{file("docs/a.md", section("One", "apples"), section("Two", "pears")), file("docs/b.md", "# B", "", "Something else.")}
	for _, test := range []struct {
		name   string
		change func(t *testing.T, f *fixture)
		want   []string // beginnings of the texts
	}{
		{"a second branch", func(t *testing.T, f *fixture) { t.Helper(); f.Add(t, f.Branch(t, "feature/x"), before...) }, nil},
		{"a new name", func(t *testing.T, f *fixture) {
			t.Helper()
			if err := indexer(f.Index, f.Tenant, catalog.Compounding).Remove(t.Context(), []string{"docs/b.md"}); err != nil {
				t.Fatal(err)
			}
			f.Add(t, f.Tenant, file("docs/new.md", "# B", "", "Something else."))
		}, nil},
		{"another format of documents", func(t *testing.T, f *fixture) {
			t.Helper()
			f.exec(t, "UPDATE documents SET schema_hash = '0.' || schema_hash, title = ''")
			f.Add(t, f.Tenant, before...)
			if diff := cmp.Diff([]string{"a", "B"}, f.Rows(t, "SELECT title FROM documents ORDER BY relative_path")); diff != "" {
				t.Errorf("titles (-want +got):\n%s", diff)
			}
		}, nil},
		{"an edited section", func(t *testing.T, f *fixture) {
			t.Helper()
			f.Add(t, f.Tenant, file("docs/a.md", section("One", "apples"), section("Two", "quinces")))
		}, []string{"a\n## Two\n\n## Two\n\nSentence 0 says something about quinces"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			f.Add(t, f.Tenant, before...)
			f.Fake.Forget()
			test.change(t, f)
			var got []string
			for _, text := range f.Fake.Texts() {
				beginning, _, _ := strings.Cut(text, " and how")
				got = append(got, beginning)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("embedded (-want +got):\n%s", diff)
			}
		})
	}
}

func TestIndex_BadDocumentsAreReportedAndTheRestGoesOn(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, file("docs/bad.md", "---", "title: Was good", "---", "Text."))
	failures := f.Add(t, f.Tenant,
		file("docs/bad.md", "---", "title: [unclosed", "---", "Text."),
		file("docs/refused.md", "Holds the word forbidden."),
		file("docs/good.md", "Good text."))
	if len(failures) != 1 || failures[0].Path != "docs/bad.md" {
		t.Fatalf("failures %v, want docs/bad.md", failures)
	}
	if got := apierror.AsError(failures[0].Err).Code; got != apierror.SchemaValidationFailed {
		t.Errorf("code %s", got)
	}
	want := []string{"docs/good.md", "docs/refused.md"} // no answer comes from text that is gone
	if diff := cmp.Diff(want, f.Rows(t, `SELECT relative_path FROM documents ORDER BY 1`)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	failures, err := f.Index.Indexer(f.Tenant, catalog.Compounding, nothing{}).Index(t.Context(), []document.File{file("docs/x.md", "Text.")})
	if err != nil || len(failures) != 1 {
		t.Fatalf("in a folder without a doc-type: failures %v, error %v", failures, err)
	}
	if got := apierror.AsError(failures[0].Err).Code; got != apierror.InvalidDocType {
		t.Errorf("code %s, want INVALID_DOC_TYPE", got)
	}
}

// Terms of one word differ between projects, and are the same on every branch.
func TestIndex_TermsBelongToAProject(t *testing.T) {
	t.Parallel()
	f := setup(t)
	key := catalog.TenantKey{Project: "another-project", Branch: "main", PathHash: "0123456789abcdef"}
	other, err := f.Index.Tenant(t.Context(), key, "/other")
	if err != nil {
		t.Fatal(err)
	}
	for _, tenant := range []*catalog.Tenant{f.Tenant, f.Branch(t, "feature/x"), other} {
		f.AddText(t, tenant, file("docs/a.md", "# Connections", "", "The pool ran dry."))
	}
	if got := f.Rows(t, "SELECT count(DISTINCT terms)::text || ' of ' || count(*) FROM passages"); got[0] != "2 of 2" {
		t.Errorf("%s passages have terms of their own, want 2 of 2", got[0])
	}
}

// Known has a stamp that proves a file unchanged, but not if an earlier version of the program has indexed it.
func TestKnown(t *testing.T) {
	t.Parallel()
	f := setup(t)
	indexed := file("docs/a.md", "Text.")
	f.AddText(t, f.Tenant, indexed)
	for _, proves := range []bool{true, false} {
		known, err := indexer(f.Index, f.Tenant, catalog.Compounding).Known(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if stamp, ok := known["docs/a.md"]; !ok || stamp.Proves(indexed.Stamp) != proves {
			t.Errorf("known %v, want a stamp of docs/a.md that proves it unchanged: %t", known, proves)
		}
		f.exec(t, "UPDATE documents SET schema_hash = '0:'")
	}
}

// Text that somebody has altered in the database is written again, and nothing else is embedded.
func TestIndexer_AgainRestoresAlteredText(t *testing.T) {
	t.Parallel()
	f := setup(t)
	files := []document.File{file("docs/a.md", "Honest."), file("docs/b.md", "Untouched.")}
	f.Add(t, f.Tenant, files...)
	f.exec(t, "UPDATE passages SET content = 'Poisoned.' WHERE content = 'Honest.'")
	f.Fake.Forget()
	x := indexer(f.Index, f.Tenant, catalog.Compounding)
	x.Again = true
	if failures, err := x.Index(t.Context(), files); err != nil || len(failures) > 0 {
		t.Fatalf("failures %v, error %v", failures, err)
	}
	f.Embed(t, f.Tenant, catalog.Compounding)
	if diff := cmp.Diff([]string{"Honest.", "Untouched."}, f.Rows(t, "SELECT content FROM passages ORDER BY 1")); diff != "" {
		t.Errorf("passages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a\n\nHonest."}, f.Fake.Texts()); diff != "" {
		t.Errorf("embedded again (-want +got):\n%s", diff)
	}
}
