package workspace_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/test/indexstate"
	"github.com/compound-docs/compound-docs/test/ragtest"
)

// levels is the promotion level of each document and of its chunks.
func (f *fixture) levels(t *testing.T) []string {
	t.Helper()
	return f.rows(t, `SELECT d.relative_path || ' ' || concat_ws('/', d.promotion_level, string_agg(DISTINCT c.promotion_level::text, ','))
		FROM documents d JOIN document_chunks c ON c.document_id = d.id
		GROUP BY d.id, d.project_id, d.relative_path, d.promotion_level ORDER BY 1`)
}

// columns is the content of the index without columns that differ between indexes, and without the
// time of a file, which is stored once it is old enough to tell changes by.
func (f *fixture) columns(t *testing.T) []string {
	t.Helper()
	return f.rows(t, `
		SELECT (to_jsonb(d) - '{project_id,tenant_id,id,file_mtime,file_ctime,file_inode}'::text[])::text FROM documents d
		UNION ALL
		SELECT d.relative_path || (to_jsonb(c) - '{project_id,tenant_id,document_id}'::text[])::text
		FROM document_chunks c JOIN documents d ON d.project_id = c.project_id AND d.id = c.document_id
		UNION ALL
		SELECT d.relative_path || (to_jsonb(l) - '{project_id,tenant_id,document_id}'::text[])::text
		FROM document_links l JOIN documents d ON d.project_id = l.project_id AND d.id = l.document_id
		ORDER BY 1`)
}

// fresh returns columns of a new index of the same files.
func (f *fixture) fresh(t *testing.T) []string {
	t.Helper()
	other := &fixture{Repo: f.Repo, databaseURL: ragtest.IndexURL(t), fake: f.fake}
	other.pool = indexstate.OpenPool(t, other.databaseURL)
	other.activate(t, other.server(t), "main")
	return other.columns(t)
}

// files is every file of the repository with its mode and content, or what it
// links to.
func (f *fixture) files(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(f.Root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		path := filepath.Join(f.Root, name)
		if info.Mode()&fs.ModeSymlink != 0 {
			files[name], err = os.Readlink(path)
			return err
		}
		content, err := os.ReadFile(path)
		files[name] = info.Mode().String() + " " + string(content)
		return err
	})
	f.Must(err)
	return files
}

// withLevel is a document of several chunks with a promotion line.
func withLevel(level string) string {
	body := "About apples.\n\n## Cause\n\n" + strings.Repeat("It grows on trees, and falls from them.\n", 30) +
		"\n## Remedy\n\n" + strings.Repeat("It is picked before that.\n", 30)
	return strings.Replace(problem("A", body), "---\ntitle", "---\npromotion_level: '"+level+"' # agreed\ntitle", 1)
}

func promote(t *testing.T, active *workspace.Project, path string, level catalog.Level) (previous catalog.Level) {
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

func TestPromote_TakesEveryFormOfPath(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docs + "a.md": problem("A", "Text.")})
	active := f.activate(t, f.server(t), "main")
	previous := catalog.Standard
	for i, path := range []string{
		"problems/a.md", "./problems/a.md", docs + "a.md", "./" + docs + "a.md", "problems//./a.md",
		"problems/../problems/a.md", filepath.Join(active.Definition.Root, docs, "a.md"),
	} {
		level := catalog.Levels()[(i+1)%3]
		if got := promote(t, active, path, level); got != previous {
			t.Errorf("%s had the level %s, want %s", path, got, previous)
		}
		previous = level
	}
}

// With all folders of the repository, a path may be relative to the docs folder too, as the commands promise.
func TestPromote_FindsTheDocsFolderAmongAllFolders(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{
		docs + "a.md": problem("A", "Text."), "changelog.md": "# Changes\n",
		configFile: `{"project_name": "p", "documents": {"folders": ["."]}}`,
	})
	active := f.activate(t, f.server(t), "main")
	if name, _, err := active.Promote(t.Context(), "problems/a.md", catalog.Critical); err != nil || name != docs+"a.md" {
		t.Errorf("promoted %q: %v, want %s", name, err, docs+"a.md")
	}
	_, _, err := active.Promote(t.Context(), "changelog.md", catalog.Critical)
	if err == nil || !strings.Contains(err.Error(), "left out because of its name") {
		t.Errorf("a changelog: %v, want that it is left out", err)
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
	f.Put(".csharp-compounding-docs/config.json", `{"project_name": "test-project",
		"external_docs": {"path": "./manual", "include_patterns": ["**/*.md", "**/*.txt"]},
		"custom_doc_types": [{"name": "note", "description": "A note.", "folder": "notes", "schema_file": "./schemas/note.schema.json"}]}`)
	for link, target := range map[string]string{docs + "link.md": "a.md", docs + "outside.md": "/etc/hostname"} {
		f.Must(os.Symlink(target, filepath.Join(f.Root, link)))
	}
	active := f.activate(t, f.server(t), "main")
	files, index := f.files(t), f.columns(t)
	for _, test := range []struct {
		path string
		code apierror.Code
		says string
	}{
		{"problems/missing.md", apierror.DocumentNotFound, "problems/missing.md"},
		{"manual/missing.md", apierror.DocumentNotFound, "manual/missing.md"},
		{"README.md", apierror.DocumentNotFound, "csharp-compounding-docs"},
		{"manual/guide.md", apierror.ExternalDocsNotPromotable, "external docs"},
		{"./manual/guide.md", apierror.ExternalDocsNotPromotable, "external docs"},
		{"manual/guide.txt", apierror.ExternalDocsNotPromotable, "external docs"},
		{filepath.Join(active.Definition.Root, "manual/guide.md"), apierror.ExternalDocsNotPromotable, "external docs"},
		{"../a.md", apierror.InvalidArgument, "leads out"},
		{"problems/../../README.md", apierror.InvalidArgument, "leads out"},
		{"/etc/hosts.md", apierror.InvalidArgument, "leads out"},
		{"problems/a.txt", apierror.InvalidArgument, "markdown"},
		{"problems/incomplete.md", apierror.SchemaValidationFailed, "root_cause"},
		{"problems/anchored.md", apierror.SchemaValidationFailed, "write it as `promotion_level: critical`"},
		{"notes/a.md", apierror.SchemaValidationFailed, "promotion_level"},
		{"elsewhere/a.md", apierror.InvalidDocType, "elsewhere/a.md"},
		{"problems/link.md", apierror.FileSystemError, "points to, problems/a.md"},
		{"problems/outside.md", apierror.FileSystemError, "problems/outside.md"},
		{"problems/folder.md", apierror.FileSystemError, "not a regular file"},
	} {
		_, _, err := active.Promote(t.Context(), test.path, catalog.Critical)
		if err == nil {
			t.Errorf("%s was promoted", test.path)
			continue
		}
		if e := apierror.AsError(err); e.Code != test.code || !strings.Contains(e.Error(), test.says) {
			t.Errorf("%s: %s %q, want %s that says %q", test.path, e.Code, e, test.code, test.says)
		}
	}
	if diff := cmp.Diff(files, f.files(t)); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(index, f.columns(t)); diff != "" {
		t.Errorf("index (-before +after):\n%s", diff)
	}
}
