package page_test

import (
	"slices"
	"strings"
	"testing"
)

// A wikilink leads to a page of the same collection.
func TestWrite_ExternalWikilinks(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{"both.md": "# Own\n\n[[both]] [[only]]\n"})
	f.Put(".csharp-compounding-docs/config.json", `{"project_name": "pages", "documents": {"lenient": true}, "external_docs": {"path": "vault"}}`)
	f.Put("vault/a.md", "# A\n\n[[both]] [[only]]\n")
	f.Put("vault/notes/both.md", "# Both\n")
	f.Put("vault/notes/only.md", "# Only\n")
	for _, d := range f.write(t).content.Documents {
		if want := []string{"vault/notes/both.md", "vault/notes/only.md"}; d.Path == "vault/a.md" && !slices.Equal(d.Links, want) {
			t.Errorf("%s leads to %q, want %q", d.Path, d.Links, want)
		}
		if d.Path != "vault/a.md" && len(d.Links) > 0 {
			t.Errorf("%s leads to %q", d.Path, d.Links)
		}
		if has := strings.Count(d.HTML, "<a "); d.Path == "vault/a.md" && has != 2 {
			t.Errorf("%d links in %s", has, d.HTML)
		}
	}
}
