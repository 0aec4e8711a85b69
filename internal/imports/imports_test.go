package imports_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/imports"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/test/gitrepo"
)

const (
	docs   = "csharp-compounding-docs/"
	record = "# 7. Use PostgreSQL\n\nDate: 2024-03-01\n\n## Context\n\nA store is needed.\n\n## Decision\n\n" +
		"We use \"PostgreSQL\", as [two](0002-cache.md) and [the web](https://example.com/a.md) say.\n"
	solved = "---\ntitle: Pool exhausted\ndate: 2025-02-03\ntags: [pool]\nproblem_type: performance_issue\n---\n\n## Symptoms\n\n" +
		"Requests wait\nfor ever.\n\n## Root cause\n\nA leak.\n\n## Solution\n\nClose it.\n"
	changelog = "# Changelog\n\n## [Unreleased]\n\n- Later\n\n## [1.2.0](https://example.com/v1.2.0) (2024-05-06)\n\n- One\n- Two\n\n## 1.0\n\n- No date\n"
)

// find returns what is proposed in a repository, with its project.
func find(t *testing.T, repo *gitrepo.Repo, memory string, sources ...string) (*project.Project, []imports.Proposal) {
	t.Helper()
	repo.Put(".csharp-compounding-docs/config.json", `{"project_name": "p"}`)
	p, err := project.Load(repo.Root)
	if err != nil {
		t.Fatal(err)
	}
	proposals, unfit, err := imports.Find(t.Context(), p, sources, memory)
	if err != nil || len(unfit) > 0 {
		t.Fatal(unfit, err)
	}
	return p, proposals
}

// What is proposed are valid documents with the text of their sources.
func TestFind_ProposesDocuments(t *testing.T) {
	t.Parallel()
	repo := gitrepo.New(t)
	repo.Put("docs/adr/0007-use-postgresql.md", record)
	repo.Put("docs/adr/0002-cache.md", "# Cache\n\n2024-01-01\n\nNone.\n")
	repo.Put("docs/solutions/pool.md", solved)
	repo.Put("docs/solutions/note.md", "# A note\n\n2025-01-01\n\nNo more.\n")
	repo.Put("CHANGELOG.md", changelog)
	repo.Put(docs+"codebase/store.md", "---\ndoc_type: codebase\ntitle: The store\ndate: 2023-01-01\nsummary: s\nsignificance: architectural\n"+
		"knowledge_type: architecture_decision\nscope: system\n---\n\nA store is needed, and PostgreSQL is what we use.\n")
	p, proposals := find(t, repo, "")
	var got []string
	for _, proposal := range proposals {
		near := ""
		if len(proposal.Neighbours) > 0 {
			near = proposal.Neighbours[0].Path
		}
		got = append(got, strings.Join([]string{proposal.Source, proposal.Path, proposal.Summary, near}, " | "))
	}
	want := []string{
		"docs/adr/0002-cache.md | " + docs + "codebase/0002-cache.md | Cache | ",
		"docs/adr/0007-use-postgresql.md | " + docs + "codebase/0007-use-postgresql.md | " +
			`We use "PostgreSQL", as two and the web say. | ` + docs + "codebase/store.md",
		"docs/solutions/note.md | " + docs + "insights/note.md | A note | ",
		"docs/solutions/pool.md | " + docs + "problems/pool.md | Close it. | ",
		"CHANGELOG.md | " + docs + "insights/release-1-2-0.md | - One - Two | ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("proposals (-want +got):\n%s", diff)
	}
	wantContent := "---\ndoc_type: problem\ntitle: \"Pool exhausted\"\ndate: 2025-02-03\nsummary: \"Close it.\"\nsignificance: correctness\n" +
		"problem_type: performance\nroot_cause: \"A leak.\"\nsolution: \"Close it.\"\nsymptoms: [\"Requests wait for ever.\"]\ntags: [\"pool\"]\n---\n\n" +
		strings.SplitN(solved, "---\n\n", 2)[1]
	if diff := cmp.Diff(wantContent, proposals[3].Content); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
	if !strings.Contains(proposals[1].Content, "[two](../../docs/adr/0002-cache.md) and [the web](https://example.com/a.md)") {
		t.Errorf("links lead elsewhere:\n%s", proposals[1].Content)
	}
	for _, proposal := range proposals {
		repo.Put(proposal.Path, proposal.Content)
	}
	set, err := docset.Read(t.Context(), p)
	if err != nil || len(set.Documents) != len(proposals)+1 {
		t.Fatalf("%d documents, %v", len(set.Documents), err)
	}
	for _, d := range set.Documents {
		if d.Err != nil {
			t.Error(d.Err)
		}
	}
	if _, again := find(t, repo, ""); len(again) > 0 {
		t.Errorf("what is there is proposed again: %+v", again)
	}
}

// Claude Code's memory is read if it is named, and only what was named is looked into.
func TestFind_TakesWhatIsNamed(t *testing.T) {
	t.Parallel()
	repo := gitrepo.New(t)
	repo.Put("docs/adr/0007-use-postgresql.md", record)
	memory := t.TempDir()
	if err := os.WriteFile(filepath.Join(memory, "testing.md"), []byte("---\nname: How we test\ncreated: 2026-01-02\n---\n\nOn real parts.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, proposals := find(t, repo, memory)
	if len(proposals) != 1 || proposals[0].Path != docs+"insights/testing.md" || proposals[0].Source != filepath.Join(memory, "testing.md") ||
		!strings.Contains(proposals[0].Content, "date: 2026-01-02\n") {
		t.Errorf("proposals %+v, want the memory alone", proposals)
	}
	p, _ := find(t, repo, memory)
	if _, _, err := imports.Find(t.Context(), p, []string{"docs/none"}, ""); err == nil || !strings.Contains(err.Error(), "docs/none") {
		t.Errorf("a source that is not there: %v", err)
	}
	if _, _, err := imports.Find(t.Context(), p, nil, filepath.Join(memory, "none")); err == nil || !strings.Contains(err.Error(), "noted nothing") {
		t.Errorf("a memory that is not there: %v", err)
	}
	if _, _, err := imports.Find(t.Context(), p, []string{"../other"}, ""); err == nil {
		t.Error("a source outside the repository is read")
	}
}
