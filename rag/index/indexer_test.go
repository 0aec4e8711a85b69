package index_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/test/ragtest"
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

func TestIndex_SecondBranchEmbedsNothing(t *testing.T) {
	t.Parallel()
	f := setup(t)
	files := []document.File{
		file("docs/a.md", section("One", "apples"), section("Two", "pears")), file("docs/b.md", "# B", "", "Something else."),
	}
	f.Add(t, f.Tenant, files...)
	if len(f.Fake.Texts()) == 0 {
		t.Fatal("the first branch embedded nothing")
	}
	f.Fake.Forget()
	f.Add(t, f.Branch(t, "feature/x"), files...)
	if texts := f.Fake.Texts(); len(texts) != 0 {
		t.Errorf("a second branch with the same files embedded %q", texts)
	}
	got := f.Rows(t, `SELECT concat_ws('|', t.branch_name, count(*)) FROM document_chunks c
		JOIN tenants t ON t.id = c.tenant_id GROUP BY t.branch_name ORDER BY 1`)
	if diff := cmp.Diff([]string{"feature/x|3", "main|3"}, got); diff != "" {
		t.Errorf("chunks (-want +got):\n%s", diff)
	}
}

func TestIndex_RenameEmbedsNothing(t *testing.T) {
	t.Parallel()
	f := setup(t)
	indexer := f.Index.Indexer(f.Tenant, catalog.Compounding, ragtest.AnyDocument{})
	f.Add(t, f.Tenant, file("docs/old.md", "# Title", "", "The same text."))
	f.Fake.Forget()
	if err := indexer.Remove(t.Context(), []string{"docs/old.md"}); err != nil {
		t.Fatal(err)
	}
	f.Add(t, f.Tenant, file("docs/new.md", "# Title", "", "The same text."))
	if texts := f.Fake.Texts(); len(texts) != 0 {
		t.Errorf("a rename embedded %q", texts)
	}
	if diff := cmp.Diff([]string{"docs/new.md"}, f.Rows(t, `SELECT relative_path FROM documents`)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
}

func TestIndex_EditedSectionIsAllThatIsEmbedded(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, file("docs/a.md", section("One", "apples"), section("Two", "pears"), section("Three", "plums")))
	f.Fake.Forget()
	f.Add(t, f.Tenant, file("docs/a.md", section("One", "apples"), section("Two", "quinces"), section("Three", "plums")))
	texts := f.Fake.Texts()
	if len(texts) != 1 || !strings.Contains(texts[0], "quinces") || !strings.HasPrefix(texts[0], "a\n## Two\n\n") {
		t.Errorf("embedded %q, want the section about quinces alone", texts)
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
	want := []string{"docs/good.md", "docs/refused.md"}
	if diff := cmp.Diff(want, f.Rows(t, `SELECT relative_path FROM documents ORDER BY 1`)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
}

func TestIndex_UnknownFolderIsInvalidDocType(t *testing.T) {
	t.Parallel()
	f := setup(t)
	failures, err := f.Index.Indexer(f.Tenant, catalog.Compounding, nothing{}).Index(t.Context(), []document.File{file("docs/x.md", "Text.")})
	if err != nil || len(failures) != 1 {
		t.Fatalf("failures %v, error %v", failures, err)
	}
	if got := apierror.AsError(failures[0].Err).Code; got != apierror.InvalidDocType {
		t.Errorf("code %s, want INVALID_DOC_TYPE", got)
	}
}

func TestIndex_NeedsNoOllama(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Fake.Close()
	f.AddText(t, f.Tenant, file("docs/a.md", "Some text."))
	got := f.Rows(t, `SELECT concat_ws('|', content, cardinality(terms), (lexical <#> lexical) < 0, promoted) FROM passages`)
	if diff := cmp.Diff([]string{"Some text.|1|t|f"}, got); diff != "" {
		t.Errorf("passages (-want +got):\n%s", diff)
	}
	if got := f.Rows(t, "SELECT hash::text FROM embeddings"); len(got) > 0 {
		t.Errorf("%d vectors without Ollama", len(got))
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

func TestKnown_TellsWhatIsIndexed(t *testing.T) {
	t.Parallel()
	f := setup(t)
	indexed := file("docs/a.md", "Text.")
	f.Add(t, f.Tenant, indexed)
	known, err := f.Index.Indexer(f.Tenant, catalog.Compounding, ragtest.AnyDocument{}).Known(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if stamp, ok := known["docs/a.md"]; !ok || !stamp.Proves(indexed.Stamp()) {
		t.Errorf("known %v, want the stamp of docs/a.md", known)
	}
}

// A document that an earlier version of the program has indexed is indexed again.
func TestKnown_OfAnotherFormat(t *testing.T) {
	t.Parallel()
	f := setup(t)
	indexed := file("docs/a.md", "Text.")
	f.AddText(t, f.Tenant, indexed)
	f.exec(t, "UPDATE documents SET schema_hash = '0:'")
	known, err := f.Index.Indexer(f.Tenant, catalog.Compounding, ragtest.AnyDocument{}).Known(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if stamp, ok := known["docs/a.md"]; !ok || stamp.Proves(indexed.Stamp()) {
		t.Errorf("known %v, want a stamp that proves nothing", known)
	}
}

// Documents of another format are read again from their files, and keep their vectors.
func TestIndex_AnotherDocumentFormatKeepsVectors(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, file("docs/a.md", "Text."))
	f.exec(t, "UPDATE documents SET schema_hash = '0.' || schema_hash, title = ''")
	f.Fake.Forget()
	f.Add(t, f.Tenant, file("docs/a.md", "Text."))
	if diff := cmp.Diff([]string{"a"}, f.Rows(t, "SELECT title FROM documents")); diff != "" {
		t.Errorf("title (-want +got):\n%s", diff)
	}
	if texts := f.Fake.Texts(); len(texts) > 0 {
		t.Errorf("%q was embedded again", texts)
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
