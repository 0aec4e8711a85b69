package session_test

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/fakeollama"
	"github.com/compound-docs/compound-docs/internal/session"
	"github.com/compound-docs/compound-docs/project"
	"github.com/compound-docs/compound-docs/rag"
)

// levels is the promotion level of each document, of its chunks, and in its
// front matter.
func (f *fixture) levels(t *testing.T) []string {
	t.Helper()
	return f.rows(t, `SELECT concat_ws(' ', d.relative_path, d.promotion_level, string_agg(DISTINCT c.promotion_level::text, ','),
			d.frontmatter ->> 'promotion_level')
		FROM documents d JOIN document_chunks c ON c.document_id = d.id
		GROUP BY d.id, d.project_id, d.relative_path, d.promotion_level, d.frontmatter ORDER BY 1`)
}

// files is every file of the repository with its mode and content, or what it
// links to.
func (f *fixture) files(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(f.root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		path := filepath.Join(f.root, name)
		if info.Mode()&fs.ModeSymlink != 0 {
			files[name], err = os.Readlink(path)
			return err
		}
		content, err := os.ReadFile(path)
		files[name] = info.Mode().String() + " " + string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// withLevel is a document of several chunks with a promotion line.
func withLevel(level string) string {
	body := "About apples.\n\n## Cause\n\n" + strings.Repeat("It grows on trees, and falls from them.\n", 30) +
		"\n## Remedy\n\n" + strings.Repeat("It is picked before that.\n", 30)
	return strings.Replace(problem("A", body), "---\ntitle", "---\npromotion_level: '"+level+"' # agreed\ntitle", 1)
}

func promote(t *testing.T, active *session.Active, path string, level rag.Level) (previous rag.Level) {
	t.Helper()
	name, previous, err := active.Promote(t.Context(), path, level)
	if err != nil {
		t.Fatal(err)
	}
	if name != "problems/a.md" {
		t.Errorf("promoted %q, want problems/a.md", name)
	}
	return previous
}

func TestPromote_ChangesOneLineAndTheLevels(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ before, after string }{
		"replaced": {withLevel("standard"), withLevel("critical")},
		"added": {
			problem("A", "Text."),
			strings.Replace(problem("A", "Text."), "\n---\n", "\npromotion_level: critical\n---\n", 1),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t, map[string]string{docs + "a.md": test.before, docs + "b.md": problem("B", "See [a](a.md).")})
			path := filepath.Join(f.root, docs, "a.md")
			if err := os.Chmod(path, 0o664); err != nil { //nolint:gosec // a mode that umasks take from
				t.Fatal(err)
			}
			active := f.activate(t, f.server(t), "main")
			want := f.files(t)
			want[docs+"a.md"] = "-rw-rw-r-- " + test.after
			if previous := promote(t, active, "problems/a.md", rag.Critical); previous != rag.Standard {
				t.Errorf("previous level %s, want standard", previous)
			}
			promoted := documents(t, f.pool, "main")
			if diff := cmp.Diff(want, f.files(t)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			wantLevels := []string{docs + "a.md critical critical critical", docs + "b.md standard standard"} //nolint:dupword // of document, chunks and front matter
			if diff := cmp.Diff(wantLevels, f.levels(t)); diff != "" {
				t.Errorf("levels (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(f.freshIndex(t, "main"), promoted); diff != "" {
				t.Errorf("index (-fresh +promoted):\n%s", diff)
			}
			f.indexEqualsDisk(t, "main")
		})
	}
}

func TestPromote_TakesEveryFormOfPath(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docs + "a.md": problem("A", "Text.")})
	active := f.activate(t, f.server(t), "main")
	previous := rag.Standard
	for i, path := range []string{
		"problems/a.md", "./problems/a.md", docs + "a.md", "./" + docs + "a.md", "problems//./a.md",
		"problems/../problems/a.md", filepath.Join(active.Project.Root, docs, "a.md"),
	} {
		level := rag.Levels()[(i+1)%3]
		if got := promote(t, active, path, level); got != previous {
			t.Errorf("%s had the level %s, want %s", path, got, previous)
		}
		previous = level
	}
}

func TestPromote_WithOllamaAway(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docs + "a.md": withLevel("standard")})
	s := f.server(t)
	active := f.activate(t, s, "main")
	f.fake.Close()
	promote(t, active, "problems/a.md", rag.Important)
	if diff := cmp.Diff([]string{docs + "a.md important important important"}, f.levels(t)); diff != "" { //nolint:dupword // as above
		t.Errorf("levels (-want +got):\n%s", diff)
	}
}

func TestPromote_RefusesAndChangesNothing(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{
		docs + "a.md":                                      withLevel("standard"),
		docs + "incomplete.md":                             "---\ntitle: Incomplete\nsignificance: huge\n---\n\nText.\n",
		docs + "anchored.md":                               strings.Replace(problem("B", "Text."), "\n---\n", "\npromotion_level: &x standard\n---\n", 1),
		docs + "folder.md/x.txt":                           "",
		"csharp-compounding-docs/elsewhere/a.md":           problem("C", "Text."),
		"csharp-compounding-docs/notes/a.md":               "---\npromotion_level: standard\n---\nText.\n",
		"csharp-compounding-docs/schemas/note.schema.json": `{"type": "object", "properties": {"promotion_level": {"enum": ["standard", "important"]}}}`,
		"manual/guide.md":                                  "# Guide\n", "manual/guide.txt": "Guide\n", "README.md": "# Read me\n",
	})
	f.write(t, ".csharp-compounding-docs/config.json", `{"project_name": "test-project",
		"external_docs": {"path": "./manual", "include_patterns": ["**/*.md", "**/*.txt"]},
		"custom_doc_types": [{"name": "note", "description": "A note.", "folder": "notes", "schema_file": "./schemas/note.schema.json"}]}`)
	for link, target := range map[string]string{docs + "link.md": "a.md", docs + "outside.md": "/etc/hostname"} {
		if err := os.Symlink(target, filepath.Join(f.root, link)); err != nil {
			t.Fatal(err)
		}
	}
	active := f.activate(t, f.server(t), "main")
	files, index := f.files(t), documents(t, f.pool, "main")
	for _, test := range []struct {
		path string
		code rag.Code
		says string
	}{
		{"problems/missing.md", rag.DocumentNotFound, "problems/missing.md"},
		{"manual/missing.md", rag.DocumentNotFound, "manual/missing.md"},
		{"README.md", rag.DocumentNotFound, "csharp-compounding-docs"},
		{"manual/guide.md", rag.ExternalDocsNotPromotable, "external docs"},
		{"./manual/guide.md", rag.ExternalDocsNotPromotable, "external docs"},
		{"manual/guide.txt", rag.ExternalDocsNotPromotable, "external docs"},
		{filepath.Join(active.Project.Root, "manual/guide.md"), rag.ExternalDocsNotPromotable, "external docs"},
		{"../a.md", rag.InvalidArgument, "leads out"},
		{"problems/../../README.md", rag.InvalidArgument, "leads out"},
		{"/etc/hosts.md", rag.InvalidArgument, "leads out"},
		{"problems/a.txt", rag.InvalidArgument, "markdown"},
		{"problems/incomplete.md", rag.SchemaValidationFailed, "root_cause"},
		{"problems/anchored.md", rag.SchemaValidationFailed, "write it as `promotion_level: standard`"},
		{"notes/a.md", rag.SchemaValidationFailed, "promotion_level"},
		{"elsewhere/a.md", rag.InvalidDocType, "elsewhere/a.md"},
		{"problems/link.md", rag.FileSystemError, "points to, a.md"},
		{"problems/outside.md", rag.FileSystemError, "problems/outside.md"},
		{"problems/folder.md", rag.FileSystemError, "not a regular file"},
	} {
		_, _, err := active.Promote(t.Context(), test.path, rag.Critical)
		if err == nil {
			t.Errorf("%s was promoted", test.path)
			continue
		}
		if e := rag.AsError(err); e.Code != test.code || !strings.Contains(e.Error(), test.says) {
			t.Errorf("%s: %s %q, want %s that says %q", test.path, e.Code, e, test.code, test.says)
		}
	}
	if diff := cmp.Diff(files, f.files(t)); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(index, documents(t, f.pool, "main")); diff != "" {
		t.Errorf("index (-before +after):\n%s", diff)
	}
}

func TestPromote_NamesTheFieldsThatAreWrong(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docs + "a.md": strings.Replace(problem("A", "Text."), "root_cause: a mistake\n", "severity: dire\n", 1)})
	_, _, err := f.activate(t, f.server(t), "main").Promote(t.Context(), "problems/a.md", rag.Critical)
	violations, ok := rag.AsError(err).Details["violations"].([]project.Violation)
	if !ok {
		t.Fatalf("%v has no violations", err)
	}
	fields := []string{}
	for _, v := range violations {
		fields = append(fields, v.Field)
	}
	slices.Sort(fields)
	if diff := cmp.Diff([]string{"root_cause", "severity"}, fields); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

// A document that the index holds in another version, or not at all, is indexed
// as a whole.
func TestPromote_OfWhatTheIndexDoesNotHold(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"older version": `UPDATE documents SET content_hash = '\x00', line_count = 1`,
		"not at all":    `DELETE FROM documents`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t, map[string]string{docs + "a.md": withLevel("standard")})
			active := f.activate(t, f.server(t), "main")
			if _, err := f.pool.Exec(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
			promote(t, active, "problems/a.md", rag.Critical)
			if diff := cmp.Diff(f.freshIndex(t, "main"), documents(t, f.pool, "main")); diff != "" {
				t.Errorf("index (-fresh +promoted):\n%s", diff)
			}
		})
	}
}

// With Ollama away such a document's file has the new level, and the caller is
// told that the index has yet to follow. It does when Ollama is back.
func TestPromote_OfWhatTheIndexDoesNotHoldWithOllamaAway(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docs + "a.md": withLevel("standard")})
	s := f.server(t)
	active := f.activate(t, s, "main")
	if _, err := f.pool.Exec(t.Context(), `TRUNCATE documents, passages CASCADE`); err != nil {
		t.Fatal(err)
	}
	f.fake.SetFaults(fakeollama.Faults{Status: http.StatusServiceUnavailable, Message: "away"})
	_, _, err := active.Promote(t.Context(), "problems/a.md", rag.Critical)
	e := rag.AsError(err)
	if e == nil || e.Code != rag.EmbeddingServiceError || !strings.Contains(e.Error(), "the file has the new level, and the index will follow") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff("-rw------- "+withLevel("critical"), f.files(t)[docs+"a.md"]); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
	s.Close()
	f.fake.SetFaults(fakeollama.Faults{})
	f.activate(t, f.server(t), "main")
	f.indexEqualsDisk(t, "main")
}

// A server that dies between the file and the index leaves work for the next
// sync; one that dies before that leaves a hidden file that nobody looks at.
func TestPromote_ACrashIsHealed(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docs + "a.md": withLevel("standard"), docs + "b.md": problem("B", "Text.")})
	first := f.server(t)
	f.activate(t, first, "main")
	first.Close()

	f.write(t, docs+".compound-docs-CRASHED", withLevel("critical"))
	f.write(t, docs+".a.md", withLevel("critical"))
	f.write(t, docs+"new", withLevel("important"))
	if err := os.Rename(filepath.Join(f.root, docs, "new"), filepath.Join(f.root, docs, "a.md")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{docs + "a.md standard standard standard", docs + "b.md standard standard"}, f.levels(t)); diff != "" { //nolint:dupword // as above
		t.Fatalf("levels after the crash (-want +got):\n%s", diff)
	}
	f.fake.Forget()
	active := f.activate(t, f.server(t), "main")
	if diff := cmp.Diff([]string{docs + "a.md important important important", docs + "b.md standard standard"}, f.levels(t)); diff != "" { //nolint:dupword // as above
		t.Errorf("levels after the next sync (-want +got):\n%s", diff)
	}
	if texts := f.fake.Texts(); len(texts) > 0 {
		t.Errorf("the sync embedded %q again", texts)
	}
	if status := active.Status(t.Context()); !status.Current() {
		t.Errorf("status %+v", status)
	}
}

// The server that indexes sees the same edits as saves. Whoever reads meanwhile
// sees whole files, and documents of one level.
func TestPromote_ReadersSeeOneLevel(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docs + "a.md": withLevel("standard")})
	active := f.activate(t, f.server(t), "main")
	follower := f.activate(t, f.server(t), "main")
	versions := []string{withLevel("standard"), withLevel("important"), withLevel("critical")}
	finished := make(chan error, 2)
	for _, a := range []*session.Active{active, follower} {
		go func() {
			var err error
			for i := 0; i < 60 && err == nil; i++ {
				_, _, err = a.Promote(t.Context(), "problems/a.md", rag.Levels()[i%3])
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
		content, err := os.ReadFile(filepath.Join(f.root, docs, "a.md"))
		if err != nil || !slices.Contains(versions, string(content)) {
			t.Fatalf("a reader of the file sees %q, %v", content, err)
		}
		levels := f.levels(t)
		level := strings.Fields(levels[0])[1]
		if diff := cmp.Diff([]string{docs + "a.md " + level + " " + level + " " + level}, levels); diff != "" {
			t.Fatalf("a reader of the index sees (-want +got):\n%s", diff)
		}
		seen[level] = true
	}
	if len(seen) != len(versions) {
		t.Errorf("the levels %v were seen: the test shows nothing", seen)
	}
	f.indexEqualsDisk(t, "main")
}
