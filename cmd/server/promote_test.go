package main_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/indexstate"
	"github.com/compound-docs/compound-docs/test/ragtest"
)

const promotable = "csharp-compounding-docs/problems/"

// levels is every document with its own level and those of its chunks.
func levels(t *testing.T, pool *pgxpool.Pool) []string {
	t.Helper()
	lines, err := indexstate.Lines(t.Context(), pool, `
		SELECT concat_ws(' ', d.relative_path, d.promotion_level, string_agg(DISTINCT c.promotion_level::text, ','))
		FROM documents d JOIN document_chunks c ON c.project_id = d.project_id AND c.document_id = d.id
		GROUP BY d.project_id, d.id ORDER BY d.relative_path`)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// The line that a promotion adds can make a document count as long, and change its passages.
func TestServe_PromotesDocumentsOfEveryLength(t *testing.T) {
	t.Parallel()
	head := "---\ntitle: Long\ndate: 2026-01-02\nsummary: Long\nsignificance: correctness\nproblem_type: bug\n" +
		"symptoms: [it fails]\nroot_cause: a mistake\nsolution: correct it\n---\n# Long\n\nOne.\n\n## Part\n\nTwo.\n"
	files := map[string]string{}
	for lines := 498; lines <= 502; lines++ {
		files[fmt.Sprintf("%s%d.md", promotable, lines)] = head + strings.Repeat("\n", lines-strings.Count(head, "\n"))
	}
	root := newProject(t, files)
	fake, databaseURL := fakeollama.Start(t), ragtest.IndexURL(t)
	session := connect(t, server(t, "CDOCS_DATABASE_URL="+databaseURL, "CDOCS_OLLAMA_HOST="+fake.URL(), "CDOCS_LOG_LEVEL=warn"))
	activateWhole(t, session, root)
	want := []string{}
	for path := range files {
		var answer toolError
		arguments := map[string]any{"document_path": path, "promotion_level": "important"}
		if call(t, session, "update_promotion_level", arguments, &answer) {
			t.Errorf("%s: %+v", path, answer)
		}
		want = append(want, fmt.Sprintf("%s %[2]s %[2]s", path, "important"))
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, levels(t, indexstate.OpenPool(t, databaseURL))); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}
