package docset_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// Links of site generators lead where these lead, for the index as for lint and the page. A want in brackets is no
// document, and "" is missing.
func TestRead_ResolvesLinksOfSiteGenerators(t *testing.T) {
	t.Parallel()
	tests := []struct{ link, want string }{
		{"b", "docs/solutions/b.md"},
		{"./b/", "docs/solutions/b.md"},
		{"b#part", "docs/solutions/b.md"},
		{"b?plain=1", "docs/solutions/b.md"},
		{"b.html", "docs/solutions/b.md"},
		{"./b.HTML#part", "docs/solutions/b.md"},
		{"../guides/start.html", "docs/guides/start.md"},
		{"page.htm", "docs/solutions/page.md"},
		{"../b/", "docs/solutions/b.md"},
		{"../b", "docs/solutions/b.md"},
		{"../guides/start/", "docs/guides/start.md"},
		{"../../guides/start/", "docs/guides/start.md"},
		{"../top/", "docs/top.md"},
		{"/docs/guides/start", "docs/guides/start.md"},
		{"/guides/start.md", "docs/guides/start.md"}, // from the root of a bundle
		{"../guides/tour/", "docs/guides/tour.md"},
		{"deep/", "docs/solutions/deep/index.md"},
		{"./tokens", "docs/solutions/tokens.mdx"},
		{"tokens.html#part", "docs/solutions/tokens.mdx"},
		{"/docs/guides/api/", "docs/guides/api/index.mdx"},
		{"tokens.md", ""},
		{"kept.html", "[docs/solutions/kept.html]"},
		{`{{< ref "b.md" >}}`, "docs/solutions/b.md"},
		{`{{< relref "start" >}}`, "docs/guides/start.md"},
		{`{{% ref "/guides/start.md#x" %}}`, "docs/guides/start.md"},
		{`{{<ref b>}}`, "docs/solutions/b.md"},
		{"{% link _posts/2024-01-02-x.md %}", "docs/_posts/2024-01-02-x.md"},
		{"{% post_url 2024-01-02-x %}", "docs/_posts/2024-01-02-x.md"},
		{"{{ site.baseurl }}{% link guides/start.md %}#x", "docs/guides/start.md"},
		{"{{ site.baseurl }}/b", "docs/solutions/b.md"},
		{"{{ '/guides/start/' | relative_url }}", "docs/guides/start.md"},
		{"@site/docs/guides/start.md", "docs/guides/start.md"},
		{"@site/docs/solutions/b.md#x", "docs/solutions/b.md"},
		{"@site/guides/start.mdx", ""},
		{"@site/static/a.png", "none"},
		{"../../src/", "[src]"},
		{"../../src", "[src]"},
		{"..", "[docs]"},
		{"../guides/", "[docs/guides]"},
		{"../../Makefile", "[Makefile]"},
		{"../adr/0001-one.md", "[docs/adr/0001-one.md]"},
		{"../adr/", "[docs/adr]"},
		{"rake.html#run", "docs/solutions/rake.html.md"}, // from another file with such a name
		{"/manual/start.html", "docs/manual/start.html.md"},
		{"gone", ""},
		{"gone.html", ""},
		{"../../gone/", ""},
		{`{{< ref "gone.md" >}}`, ""},
		{"{{ .Page.Something }}", "none"},
		{"{{unknown}}/b", "none"},
	}
	repo := gitrepo.New(t)
	repo.Put(".csharp-compounding-docs/config.json", `{"project_name": "site", "documents": {"folder": "docs", "lenient": true}}`)
	for _, page := range []string{
		"solutions/b", "solutions/page", "solutions/deep/index", "guides/start", "guides/tour", "top", "_posts/2024-01-02-x",
		"solutions/rake.html", "manual/start.html",
	} {
		repo.Put("docs/"+page+".md", "A page.\n")
	}
	for _, other := range []string{"docs/solutions/tokens.mdx", "docs/guides/api/index.mdx", "src/main.go", "Makefile", "docs/solutions/kept.html", "architecture/adr/0001-one.md"} {
		repo.Put(other, "Another file.\n")
	}
	repo.Must(os.Symlink("../architecture/adr", repo.Path("docs/adr")))
	source := func(i int) string {
		name := "docs/solutions/from" + strconv.Itoa(i)
		if strings.HasSuffix(tests[i].want, ".html.md") {
			name += ".html"
		}
		return name + ".md"
	}
	for i, test := range tests {
		repo.Put(source(i), "See [text]("+test.link+").\n")
	}
	p, err := project.Load(repo.Root)
	repo.Must(err)
	set, err := docset.Read(t.Context(), p)
	repo.Must(err)
	indexed := indexedLinks(t, p, set)
	for i, test := range tests {
		got := "none"
		for _, target := range set.Find(source(i)).Targets {
			switch {
			case target.Missing:
				got = ""
			case target.Document == nil:
				got = "[" + target.Path + "]"
			default:
				got = target.Path
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s leads to (-want +got):\n%s", test.link, diff)
		}
		if set.Find(got) == nil {
			got = ""
		}
		if indexed[source(i)] != got {
			t.Errorf("%s leads to %q in the index, to %q in the files", test.link, indexed[source(i)], got)
		}
	}
}
