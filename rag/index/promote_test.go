package index_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// columns is the index of a branch's documents, without the columns that differ between branches.
func (f *fixture) columns(t *testing.T, branch string) []string {
	t.Helper()
	return f.Rows(t, `
		SELECT line FROM (
			SELECT tenant_id, (to_jsonb(d) - '{id,tenant_id}'::text[])::text AS line FROM documents d
			UNION ALL
			SELECT c.tenant_id, d.relative_path || (to_jsonb(c) - '{document_id,tenant_id}'::text[])::text
			FROM document_chunks c JOIN documents d ON d.id = c.document_id
			UNION ALL
			SELECT l.tenant_id, d.relative_path || (to_jsonb(l) - '{document_id,tenant_id}'::text[])::text
			FROM document_links l JOIN documents d ON d.id = l.document_id
		) AS lines JOIN tenants t ON t.id = lines.tenant_id WHERE t.branch_name = $1 ORDER BY line`, branch)
}

func stamped(path string, content []byte, at time.Time) document.File {
	stamp := document.Stamp{Size: int64(len(content)), ModTime: at, Hash: sha256.Sum256(content)}
	return document.File{Path: path, Content: content, Stamp: stamp}
}

// promoted is the file with the level, saved a while later.
func promoted(t *testing.T, x *index.Indexer, before document.File, level catalog.Level) (after document.File) {
	t.Helper()
	content, _, err := x.WithLevel(before, level)
	if err != nil {
		t.Fatal(err)
	}
	return stamped(before.Path, content, before.Stamp.ModTime.Add(time.Minute+time.Nanosecond))
}

// After a promotion the index holds what indexing the file again would have made,
// and no other branch's documents have changed.
func TestPromote_EqualsIndexingAgain(t *testing.T) {
	t.Parallel()
	long := section("One", "apples") + "\n" + section("Two", "pears")
	for name, content := range map[string]string{
		"line replaced":           "---\ntitle: A\npromotion_level: standard # why\ntags: [x, y]\nrelated_docs: [b.md]\n---\n\n" + long,
		"line added":              "---\ntitle: A\ndate: 2026-01-02\n---\n# A\n\nSee [b](b.md).\n\n" + long,
		"questions":               "---\ntitle: A\nquestions: [Why?, How so?]\n---\nText.\n",
		"one passage":             "---\ntitle: A\n---\nText.\n",
		"no front matter":         "Some text.\n\n" + long,
		"front matter alone":      "---\ntitle: A\nsummary: All there is.\n---\n",
		"front matter alone, set": "---\nsummary: All there is.\npromotion_level: important\n---\n",
		"empty front matter":      "---\n---\nText.",
		"CRLF and BOM":            "\ufeff" + strings.ReplaceAll("---\ntitle: A\n---\nText.\n\n"+long, "\n", "\r\n"),
		"too long for the model":  "---\ntitle: A\n---\n## Long\n\n" + strings.Repeat("Words and more words, and plain ones.\n\n", 30),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			f.Fake.SetFaults(fakeollama.Faults{Window: 200})
			before := stamped("docs/a.md", []byte(content), time.Unix(1_700_000_000, 0))
			neighbour := file("docs/b.md", "Another document.")
			f.Add(t, f.Tenant, before, neighbour)
			f.Add(t, f.Branch(t, "untouched"), before, neighbour)
			untouched := f.columns(t, "untouched")

			f.Fake.Forget()
			x := indexer(f.Index, f.Tenant, catalog.Compounding)
			after := promoted(t, x, before, catalog.Critical)
			if failures, err := x.Index(t.Context(), []document.File{after}); len(failures) > 0 || err != nil {
				t.Fatalf("promote: %v, %v", failures, err)
			}
			if requests := f.Fake.Requests(""); len(requests) > 0 {
				t.Errorf("Ollama was asked: %v", requests)
			}
			f.Add(t, f.Branch(t, "again"), after, neighbour)
			if diff := cmp.Diff(f.columns(t, "again"), f.columns(t, "main")); diff != "" {
				t.Errorf("(-indexed again +promoted):\n%s", diff)
			}
			if diff := cmp.Diff(untouched, f.columns(t, "untouched")); diff != "" {
				t.Errorf("another branch (-before +after):\n%s", diff)
			}
			levels := f.Rows(t, `SELECT DISTINCT concat_ws('/', d.promotion_level, c.promotion_level)
				FROM documents d JOIN document_chunks c ON c.document_id = d.id JOIN tenants t ON t.id = d.tenant_id
				WHERE t.branch_name = 'main' AND d.relative_path = 'docs/a.md'`)
			if diff := cmp.Diff([]string{"critical/critical"}, levels); diff != "" {
				t.Errorf("levels (-want +got):\n%s", diff)
			}
		})
	}
}

// A reader during a promotion sees each document with chunks of the same level. So do answers that
// are filtered by level.
func TestPromote_IsAtomicToReaders(t *testing.T) {
	t.Parallel()
	f := setup(t)
	const promotions = 150
	before := file("docs/a.md", "---", "title: A", "promotion_level: standard", "---", section("One", "apples"), section("Two", "pears"), section("Three", "plums"))
	f.Add(t, f.Tenant, before)
	x := indexer(f.Index, f.Tenant, catalog.Compounding)
	finished := make(chan error, 1)
	go func() {
		for i := range promotions {
			level := catalog.Levels()[i%len(catalog.Levels())]
			content, _, err := x.WithLevel(before, level)
			after := stamped(before.Path, content, before.Stamp.ModTime)
			if err == nil {
				_, err = x.Index(t.Context(), []document.File{after})
			}
			if err != nil {
				finished <- err
				return
			}
			before = after
		}
		finished <- nil
	}()
	reads, seen := 0, map[string]bool{}
	for {
		select {
		case err := <-finished:
			if err != nil {
				t.Fatal(err)
			}
			if len(seen) != len(catalog.Levels()) {
				t.Errorf("%d reads saw the levels %v: the test shows nothing", reads, seen)
			}
			return
		default:
		}
		got := f.Rows(t, `SELECT DISTINCT concat_ws(' ', d.promotion_level, c.promotion_level)
			FROM documents d JOIN document_chunks c ON c.document_id = d.id`)
		level, _, _ := strings.Cut(got[0], " ")
		want := []string{fmt.Sprintf("%s %s", level, level)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("a reader sees (-want +got):\n%s", diff)
		}
		reads, seen[level] = reads+1, true
	}
}
