package rag_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag"
)

// Copies of a document are one result, and what the document replaces comes behind it, whichever copy says so.
func TestSearch_CopiesAreOneResult(t *testing.T) {
	t.Parallel()
	f := setup(t)
	guide := []string{"# Guide", "", "The connection pool has twenty connections."}
	rule := []string{"---", "supersedes: old.md", "---", "# Rule", "", "The rule is for requests."}
	f.AddText(t, f.Tenant,
		file("docs/guide.md", guide...), file("docs/guide 2.md", guide...), file("docs/guide - Copy.md", guide...),
		file("docs/archive/a.md", guide...), file("i18n/de/docs/guide.md", guide...), file("a.md", "# Other", "", "The connection pool."),
		file("docs/old.md", "# Old", "", "The rule has one connection."),
		file("docs/rule.md", rule...), file("docs/rule 2.md", rule...),
		file("i18n/de/docs/old.md", "---", "superseded_by: rule.md", "---", "# Alt", "", "The gangway of the ferry has a rule."),
		file("i18n/de/docs/rule.md", rule...))
	for _, test := range []struct {
		query string
		want  []string
	}{
		{"connection pool", []string{
			"docs/guide.md ", "a.md ", "docs/rule.md ", "docs/old.md superseded by ./docs/rule.md",
		}},
		{"the rule of the gangway of the ferry", []string{
			"docs/rule.md ", "i18n/de/docs/old.md superseded by ./i18n/de/docs/rule.md", "docs/old.md superseded by ./docs/rule.md",
		}},
		{"i18n/de/docs/guide.md", []string{"i18n/de/docs/guide.md "}},
	} {
		hits, err := f.Searcher.Search(t.Context(), f.Scope(), rag.Query{Text: test.query, Limit: 10, Mode: rag.Lexical})
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, hit := range hits.Documents {
			got = append(got, hit.Path+" "+hit.Mark())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.query, diff)
		}
	}
}
