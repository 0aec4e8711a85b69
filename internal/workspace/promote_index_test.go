package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/catalog"
)

// A document that the index holds in another version, or not at all, is indexed
// as a whole.
func TestPromote_OfWhatTheIndexDoesNotHold(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"older version": `UPDATE documents SET content_hash = '\x00', char_count = 1`,
		"not at all":    `DELETE FROM documents`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t, map[string]string{docs + "a.md": withLevel("standard")})
			active := f.activate(t, f.server(t), "main")
			if _, err := f.pool.Exec(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
			promote(t, active, "problems/a.md", catalog.Critical)
			if diff := cmp.Diff(f.fresh(t), f.columns(t)); diff != "" {
				t.Errorf("index (-fresh +promoted):\n%s", diff)
			}
		})
	}
}

// A server that dies between the file and the index leaves work for the next sync. One that dies before that leaves a
// hidden file, which is no document.
func TestPromote_ACrashIsHealed(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docs + "a.md": withLevel("standard"), docs + "b.md": problem("B", "Text.")})
	first := f.server(t)
	f.activate(t, first, "main")
	first.Close()

	f.Put(docs+".compound-docs-CRASHED", withLevel("critical"))
	f.Put(docs+".a.md", withLevel("critical"))
	f.Put(docs+"new", withLevel("important"))
	f.Must(os.Rename(filepath.Join(f.Root, docs, "new"), f.Path(docs+"a.md")))
	if diff := cmp.Diff([]string{docs + "a.md standard/standard", docs + "b.md standard/standard"}, f.levels(t)); diff != "" {
		t.Fatalf("levels after the crash (-want +got):\n%s", diff)
	}
	f.fake.Forget()
	active := f.activate(t, f.server(t), "main")
	if diff := cmp.Diff([]string{docs + "a.md important/important", docs + "b.md standard/standard"}, f.levels(t)); diff != "" {
		t.Errorf("levels after the next sync (-want +got):\n%s", diff)
	}
	if texts := f.fake.Texts(); len(texts) > 0 {
		t.Errorf("the sync embedded %q again", texts)
	}
	if status := active.Status(); !status.Current() {
		t.Errorf("status %+v", status)
	}
}
