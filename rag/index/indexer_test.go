package index_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/ragtest"
)

// nothing knows no doc-type.
type nothing struct{}

func (nothing) DocumentType(string) (document.DocType, bool) { return document.DocType{}, false }

func TestIndex_WritesDocumentChunksLinksAndPassages(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, file("docs/problems/pool.md",
		"---", "title: Pool exhausted", "summary: The pool ran dry", "date: 2026-01-02", "promotion_level: critical",
		"tags: [database, pool]", "related_docs: [../tools/pgx.md, csharp-notes.md]", "---",
		"See [the tool](../tools/pgx.md#top) and [the code](../codebase/%70ool.md).", "", section("Cause", "leaks"), section("Fix", "closing")))
	got := f.Rows(t, `SELECT concat_ws('|', relative_path, title, summary, doc_type, doc_date, promotion_level,
		chunk_count, line_count, file_mtime AT TIME ZONE 'UTC') FROM documents`)
	want := []string{"docs/problems/pool.md|Pool exhausted|The pool ran dry|problem|2026-01-02|critical|3|56|2023-11-14 22:13:20.123456"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
	got = f.Rows(t, `SELECT concat_ws('|', ordinal, header_path, start_line, end_line, promotion_level, heading)
		FROM document_chunks c JOIN passages p ON p.hash = c.passage_hash ORDER BY ordinal`)
	want = []string{
		"0||9|9|critical|Pool exhausted",
		"1|## Cause|11|32|critical|Pool exhausted\n## Cause",
		"2|## Fix|34|55|critical|Pool exhausted\n## Fix",
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
	indexer := f.Index.Indexer(f.Tenant, rag.Compounding, ragtest.AnyDocument{})
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

func TestIndex_OneModelAnswersForItsOwnVectorsOnly(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, file("docs/a.md", "Some text."))
	f.Fake.AddModel("mxbai-embed-large", "sha256:another")
	fresh := f.Branch(t, "main") // what a restarted server holds
	_, err := f.Searcher.Search(t.Context(), rag.Scope{Tenant: fresh, Collection: rag.Compounding}, rag.Query{Text: "text", Limit: 1})
	var ragErr *rag.Error
	if !errors.As(err, &ragErr) || ragErr.Code != rag.EmbeddingServiceError || !strings.Contains(err.Error(), "compound-docs reindex") {
		t.Errorf("search with another model: got %v, want an error that names reindex", err)
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
	if got := rag.AsError(failures[0].Err).Code; got != rag.SchemaValidationFailed {
		t.Errorf("code %s", got)
	}
	want := []string{"docs/good.md", "docs/refused.md"}
	if diff := cmp.Diff(want, f.Rows(t, `SELECT relative_path FROM documents ORDER BY 1`)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
}

func TestIndex_TextThatOllamaRefusesFailsItsDocumentAlone(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Fake.SetFaults(fakeollama.Faults{Reject: []string{"forbidden"}})
	failures := f.Add(t, f.Tenant, file("docs/refused.md", "Holds the forbidden word."), file("docs/good.md", "Good text."))
	if len(failures) != 1 || failures[0].Path != "docs/refused.md" {
		t.Fatalf("failures %v, want docs/refused.md", failures)
	}
	if diff := cmp.Diff([]string{"docs/good.md"}, f.Rows(t, `SELECT relative_path FROM documents`)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
}

func TestIndex_HalvesWhatIsTooLongForTheModel(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Fake.SetFaults(fakeollama.Faults{Window: 40})
	if failures := f.Add(t, f.Tenant, file("docs/long.md", section("Long", "a very long section"))); len(failures) > 0 {
		t.Fatalf("failures %v", failures)
	}
	chunks := f.Rows(t, `SELECT concat_ws('-', start_line, end_line) FROM document_chunks ORDER BY ordinal`)
	if len(chunks) < 3 || !strings.HasPrefix(chunks[0], "1-") || !strings.HasSuffix(chunks[len(chunks)-1], "-22") {
		t.Errorf("chunks %v, want several that cover lines 1 to 22", chunks)
	}
}

func TestIndex_UnknownFolderIsInvalidDocType(t *testing.T) {
	t.Parallel()
	f := setup(t)
	failures, err := f.Index.Indexer(f.Tenant, rag.Compounding, nothing{}).Index(t.Context(), []document.File{file("docs/x.md", "Text.")})
	if err != nil || len(failures) != 1 {
		t.Fatalf("failures %v, error %v", failures, err)
	}
	if got := rag.AsError(failures[0].Err).Code; got != rag.InvalidDocType {
		t.Errorf("code %s, want INVALID_DOC_TYPE", got)
	}
}

func TestIndex_OllamaAwayWritesNothing(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, file("docs/a.md", "First."))
	f.Fake.Close()
	_, err := f.Index.Indexer(f.Tenant, rag.Compounding, ragtest.AnyDocument{}).Index(t.Context(), []document.File{file("docs/a.md", "Second."), file("docs/b.md", "New.")})
	if rag.AsError(err).Code != rag.EmbeddingServiceError {
		t.Fatalf("got %v", err)
	}
	if got := rag.AsError(err).Details["circuit_state"]; got == nil {
		t.Error("the error does not tell the circuit's state")
	}
	if diff := cmp.Diff([]string{"First."}, f.Rows(t, `SELECT content FROM passages`)); diff != "" {
		t.Errorf("passages (-want +got):\n%s", diff)
	}
}

func TestKnown_TellsWhatIsIndexed(t *testing.T) {
	t.Parallel()
	f := setup(t)
	indexed := file("docs/a.md", "Text.")
	f.Add(t, f.Tenant, indexed)
	known, err := f.Index.Indexer(f.Tenant, rag.Compounding, ragtest.AnyDocument{}).Known(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if stamp, ok := known["docs/a.md"]; !ok || !stamp.Proves(indexed.Stamp()) {
		t.Errorf("known %v, want the stamp of docs/a.md", known)
	}
}
