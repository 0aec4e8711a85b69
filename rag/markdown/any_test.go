package markdown_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/markdown"
)

// Files that were not written for this index need no correction: front matter that cannot be read
// is text.
func TestParseAny_TakesForBodyWhatIsNoFrontMatter(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"two rules":    "---\nThe text.\n\n---\n\n# Title\n",
		"a bracket":    "---\ntitle: [Foo\n---\n\n# Title\n\nThe text.\n",
		"a Liquid tag": "---\ntitle: {{ page.title }}\n{% include x %}\n---\n\n# Title\n\nThe text.\n",
		"a tab":        "---\na:\n\t- b\n---\n# Title\n\nThe text.\n",
		"a list":       "---\n- a\n---\n# Title\n\nThe text.\n",
		"a key twice":  "---\na: 1\na: 2\n---\n# Title\n\nThe text.\n",
		"too long":     "---\na: some\n" + strings.Repeat("some more words\n", 5<<10) + "---\n# Title\n\nThe text.\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, err := markdown.ParseAny([]byte(src))
			if err != nil {
				t.Fatal(err)
			}
			if doc.FrontMatter != nil || doc.Title != "Title" || doc.Replaced != 0 {
				t.Errorf("front matter %v, title %q, replaced %d", doc.FrontMatter, doc.Title, doc.Replaced)
			}
			var reason *markdown.Error
			if !errors.As(doc.NotFrontMatter, &reason) || reason.Line < 1 {
				t.Errorf("reason %v, want one with a line", doc.NotFrontMatter)
			}
			second := strings.SplitN(src, "\n", 3)[1]
			passages := doc.Passages("", markdown.DefaultLimit())
			found := slices.ContainsFunc(passages, func(p markdown.Passage) bool { return strings.Contains(p.Text, second) })
			if len(passages) == 0 || passages[0].StartLine != 1 || !found {
				t.Errorf("the second line is in none of the %d passages", len(passages))
			}
			if _, err := markdown.Parse([]byte(src)); err == nil {
				t.Error("Parse takes it")
			}
		})
	}
}

func TestParseAny_ReplacesWhatIsNotUTF8(t *testing.T) {
	t.Parallel()
	doc, err := markdown.ParseAny([]byte("---\ntitle: Caf\xe9\n---\n\nGr\xfc\xdfe.\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := []any{doc.Title, doc.Summary, doc.Replaced}
	if diff := cmp.Diff([]any{"Caf\ufffd", "Gr\ufffde.", 2}, got); diff != "" {
		t.Errorf("title, summary and line (-want +got):\n%s", diff)
	}
	if _, err := markdown.ParseAny([]byte("a\x00b")); err == nil {
		t.Error("a NUL is taken for text")
	}
}
