package workspace_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/apierror"
)

func TestRetire_NamesTheSuccessorInTheFileAndInTheIndex(t *testing.T) {
	t.Parallel()
	const adr = "docs/adr/"
	f := setup(t, map[string]string{
		adr + "0001-a.md": "# A\n\nText.\n", adr + "0002 b (new).md": "# B\n\nText.\n", adr + "c.md": "---\nstatus: accepted # 2024\n---\n# C\n",
		"docs/d.md": "# D\n",
	})
	f.Put(".csharp-compounding-docs/config.json", `{"project_name": "test-project", "documents": {"folders": ["docs"]}}`)
	active := f.activate(t, f.server(t), "main")
	want := f.files(t)
	for _, test := range []struct {
		path, by string
		want     workspace.Retired
		content  string
	}{
		{
			adr + "0001-a.md", "0002 b (new).md",
			workspace.Retired{Path: adr + "0001-a.md", By: adr + "0002 b (new).md", Status: "superseded by [0002 b new .md](./0002%20b%20%28new%29.md)"},
			"---\nstatus: \"superseded by [0002 b new .md](./0002%20b%20%28new%29.md)\"\n---\n\n# A\n\nText.\n",
		},
		{
			adr + "c.md", "docs/d.md",
			workspace.Retired{Path: adr + "c.md", By: "docs/d.md", Status: "superseded by ../d.md"},
			"---\nstatus: superseded by ../d.md # 2024\n---\n# C\n",
		},
		{
			"docs/d.md", f.Path(adr + "0002 b (new).md"),
			workspace.Retired{Path: "docs/d.md", By: adr + "0002 b (new).md", Status: "superseded by [0002 b new .md](./adr/0002%20b%20%28new%29.md)"},
			"---\nstatus: \"superseded by [0002 b new .md](./adr/0002%20b%20%28new%29.md)\"\n---\n\n# D\n",
		},
		{
			adr + "0002 b (new).md", "",
			workspace.Retired{Path: adr + "0002 b (new).md", Status: "deprecated"},
			"---\nstatus: deprecated\n---\n\n# B\n\nText.\n",
		},
	} {
		got, err := active.Retire(t.Context(), test.path, test.by)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.path, diff)
		}
		mode, _, _ := strings.Cut(want[test.path], " ")
		want[test.path] = mode + " " + test.content
	}
	if diff := cmp.Diff(want, f.files(t)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(f.fresh(t), f.columns(t)); diff != "" {
		t.Errorf("index (-fresh +retired):\n%s", diff)
	}
}

func TestRetire_RefusesAndChangesNothing(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{
		docs + "a.md": problem("A", "Text."), docs + "b.md": problem("B", "Text."),
		docs + "list.md":  strings.Replace(problem("C", "Text."), "\n---\n", "\nstatus: {is: accepted}\n---\n", 1),
		docs + "draft.md": strings.Replace(problem("D", "Text."), "\n---\n", "\ndraft: true\n---\n", 1),
		"README.md":       "# Read me\n",
	})
	active := f.activate(t, f.server(t), "main")
	files := f.files(t)
	for _, test := range []struct {
		path, by string
		code     apierror.Code
		says     string
	}{
		{"problems/missing.md", "", apierror.DocumentNotFound, "problems/missing.md"},
		{"../a.md", "", apierror.InvalidArgument, "leads out"},
		{"README.md", "", apierror.DocumentNotFound, "README.md"},
		{"problems/a.md", "gone.md", apierror.DocumentNotFound, "gone.md"},
		{"problems/a.md", "README.md", apierror.DocumentNotFound, "README.md"},
		{"problems/a.md", "../../../b.md", apierror.DocumentNotFound, "b.md"},
		{"problems/a.md", "a.md", apierror.InvalidArgument, "the document itself"},
		{"problems/list.md", "b.md", apierror.SchemaValidationFailed, "`status: superseded by b.md`"},
		{"problems/draft.md", "", apierror.SchemaValidationFailed, "still counts as proposed"},
	} {
		_, err := active.Retire(t.Context(), test.path, test.by)
		if err == nil {
			t.Errorf("%s was retired", test.path)
			continue
		}
		if e := apierror.AsError(err); e.Code != test.code || !strings.Contains(e.Error(), test.says) {
			t.Errorf("%s by %q: %s %q, want %s that says %q", test.path, test.by, e.Code, e, test.code, test.says)
		}
	}
	if diff := cmp.Diff(files, f.files(t)); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
}
