package workspace_test

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/test/fakeollama"
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

// With Ollama away such a document has the new level all the same, and its vectors
// follow when Ollama is back.
func TestPromote_OfWhatTheIndexDoesNotHoldWithOllamaAway(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docs + "a.md": withLevel("standard")})
	s := f.server(t)
	active := f.activate(t, s, "main")
	if _, err := f.pool.Exec(t.Context(), `TRUNCATE documents, passages CASCADE`); err != nil {
		t.Fatal(err)
	}
	f.fake.SetFaults(fakeollama.Faults{Status: http.StatusServiceUnavailable, Message: "away"})
	promote(t, active, "problems/a.md", catalog.Critical)
	if diff := cmp.Diff([]string{docs + "a.md critical/critical"}, f.levels(t)); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("-rw------- "+withLevel("critical"), f.files(t)[docs+"a.md"]); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
	s.Close()
	f.fake.SetFaults(fakeollama.Faults{})
	f.activate(t, f.server(t), "main")
	if diff := cmp.Diff(f.fresh(t), f.columns(t)); diff != "" {
		t.Errorf("index (-fresh +healed):\n%s", diff)
	}
}

// A server that dies between the file and the index leaves work for the next
// sync; one that dies before that leaves a hidden file, which the next activation removes.
func TestPromote_ACrashIsHealed(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docs + "a.md": withLevel("standard"), docs + "b.md": problem("B", "Text.")})
	first := f.server(t)
	f.activate(t, first, "main")
	first.Close()

	f.Put(docs+".compound-docs-CRASHED", withLevel("critical"))
	f.Put(docs+".compound-docs-WRITING", withLevel("critical"))
	hourAgo := time.Now().Add(-time.Hour)
	f.Must(os.Chtimes(f.Path(docs+".compound-docs-CRASHED"), hourAgo, hourAgo))
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
	eventually(t, "the hidden file is removed", func() bool {
		_, err := os.Stat(f.Path(docs + ".compound-docs-CRASHED"))
		return errors.Is(err, fs.ErrNotExist)
	})
	if _, err := os.Stat(f.Path(docs + ".compound-docs-WRITING")); err != nil {
		t.Errorf("one that may be written just now: %v", err)
	}
}

// The server that indexes sees the same edits as saves. Readers see whole files, and documents of
// one level, at any moment.
func TestPromote_ReadersSeeOneLevel(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docs + "a.md": withLevel("standard")})
	active := f.activate(t, f.server(t), "main")
	follower := f.activate(t, f.server(t), "main")
	versions := []string{withLevel("standard"), withLevel("important"), withLevel("critical")}
	finished := make(chan error, 2)
	for _, a := range []*workspace.Project{active, follower} {
		go func() {
			var err error
			for i := 0; i < 60 && err == nil; i++ {
				_, _, err = a.Promote(t.Context(), "problems/a.md", catalog.Levels()[i%3])
			}
			finished <- err
		}()
	}
	seen := map[string]bool{}
	for running := 2; running > 0; {
		select {
		case err := <-finished:
			running--
			if err != nil {
				t.Error(err)
			}
		default:
		}
		content, err := os.ReadFile(f.Path(docs + "a.md"))
		if err != nil || !slices.Contains(versions, string(content)) {
			t.Fatalf("a reader of the file sees %q, %v", content, err)
		}
		levels := f.levels(t)
		level := levels[0][strings.LastIndex(levels[0], "/")+1:]
		if diff := cmp.Diff([]string{docs + "a.md " + level + "/" + level}, levels); diff != "" {
			t.Fatalf("a reader of the index sees (-want +got):\n%s", diff)
		}
		seen[level] = true
	}
	if len(seen) != len(versions) {
		t.Errorf("the levels %v were seen: the test shows nothing", seen)
	}
	want := f.fresh(t)
	eventually(t, "the index is that of the last edit", func() bool { return cmp.Equal(want, f.columns(t)) })
}
