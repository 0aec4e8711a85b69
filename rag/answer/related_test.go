package answer_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/answer"
)

// related_docs are followed in each form that writers use: relative to the document if
// there is one at that path, else to the docs folder.
func TestAsk_FollowsRelatedDocs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, related, want string
		others              []string
	}{
		{"relative to the document", "../tools/x.md", "docs/tools/x.md", nil},
		{"with an anchor", "../tools/x.md#sec", "docs/tools/x.md", nil},
		{"relative to the docs folder", "tools/x.md", "docs/tools/x.md", nil},
		{"to the docs folder with an anchor", "tools/x.md#sec", "docs/tools/x.md", nil},
		{"to the docs folder with a dot", "./tools/x.md", "docs/tools/x.md", nil},
		{"to the repository", "docs/tools/x.md", "docs/tools/x.md", nil},
		{"to the repository with a slash", "/docs/tools/x.md", "docs/tools/x.md", nil},
		{"to the repository with a dot", "./docs/tools/x.md#sec", "docs/tools/x.md", nil},
		{"below the document's folder first", "tools/x.md", "docs/problems/tools/x.md", []string{"docs/problems/tools/x.md"}},
		{"a file at the top", "x.md", "docs/x.md", []string{"docs/x.md"}},
		{"beside the document first", "x.md", "docs/problems/x.md", []string{"docs/x.md", "docs/problems/x.md"}},
		{"a name with a #", "tools/c#.md", "docs/tools/c#.md", []string{"docs/tools/c#.md"}},
		{"a name with a # and an anchor", "tools/c#.md#top", "docs/tools/c#.md", []string{"docs/tools/c#.md"}},
		{"a name with a space", "tools/a b.md", "docs/tools/a b.md", []string{"docs/tools/a b.md"}},
		{"to itself", "problems/pool.md", "", nil},
		{"out of the repository", "../../tools/x.md", "", nil},
		{"elsewhere", "https://example.org/docs/tools/x.md", "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			f.Add(t, f.Tenant, file("docs/problems/pool.md", "---", "related_docs: ['"+test.related+"']", "---", "The connection pool ran dry."))
			for _, other := range append(test.others, "docs/tools/x.md") {
				f.Add(t, f.Tenant, file(other, "Bananas are yellow."))
			}
			answered := ask(t, f, answer.Question{
				Query: rag.Query{Text: "why did the connection pool run dry", MinScore: 0.4, Limit: 1}, MaxDepth: 1, MaxLinked: 5,
			})
			if diff := cmp.Diff(test.want, strings.Join(linkedPaths(answered), ", ")); diff != "" {
				t.Errorf("linked (-want +got):\n%s", diff)
			}
		})
	}
}
