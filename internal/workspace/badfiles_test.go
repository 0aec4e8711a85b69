package workspace_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func indexedPaths(t *testing.T, f *fixture) []string {
	t.Helper()
	return f.rows(t, `SELECT relative_path FROM documents ORDER BY relative_path COLLATE "C"`)
}

// The project's own documents are indexed even if the external folder is corrupt.
func TestActive_CorruptExternalFolder(t *testing.T) {
	t.Parallel()
	spoil := map[string]func(f *fixture){
		"missing":          func(*fixture) {},
		"a file":           func(f *fixture) { f.Put("manual", "x") },
		"a link out":       func(f *fixture) { f.Must(os.Symlink(os.TempDir(), f.Path("manual"))) },
		"a link to itself": func(f *fixture) { f.Must(os.Symlink("manual", f.Path("manual"))) },
	}
	for name, spoilt := range spoil {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t, map[string]string{"manual/m.md": "# Manual\n", docs + "a.md": problem("A", "About apples.")})
			f.Put(".csharp-compounding-docs/config.json", `{"project_name": "test-project", "external_docs": {"path": "./manual"}}`)
			s := f.server(t)
			active := f.activate(t, s, "main")
			f.Remove("manual")
			spoilt(f)
			eventually(t, "it is told of", func() bool { return active.Status().Waiting != "" })
			f.Put(docs+"b.md", problem("B", "About bananas."))
			eventually(t, "the project's own documents are indexed", func() bool {
				got := found(t, s, "bananas")
				return len(got) == 2
			})
			f.Remove("manual")
			f.Put("manual/n.md", "# Another manual\n")
			eventually(t, "the folder is indexed when it is there again", func() bool {
				current, err := s.Active(t.Context())
				return err == nil && current.Status().Current() &&
					cmp.Equal([]string{docs + "a.md", docs + "b.md", "manual/n.md"}, indexedPaths(t, f))
			})
		})
	}
}
