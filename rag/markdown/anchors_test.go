package markdown_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/markdown"
)

func TestParse_Fragments(t *testing.T) {
	t.Parallel()
	doc := parse(t, "[a](b.md#one) [b](#Two%20x) [c](b.md#one) [d](b.md#) [e](https://x.org/#no) [f](?q#no)\n\n"+
		"[g](c.md#:~:text=x) [h][h] `[i](b.md#no)`\n\n[h]: ../d.md?x#three 'title'\n")
	want := []markdown.Fragment{{Path: "b.md", Name: "one"}, {Name: "Two x"}, {Path: "../d.md", Name: "three"}}
	if diff := cmp.Diff(want, doc.Fragments); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDocument_Anchors(t *testing.T) {
	t.Parallel()
	for src, want := range map[string][]string{
		"# One\n\n## `two_x` & *three*: v1.2\n\n### Über-uns 汉字": {"one", "two_x--three-v12", "über-uns-汉字"},
		"# a\n\n# a\n\n# a":                            {"a", "a-1", "a-2"},
		"Two\nlines\n===":                              {"two-lines"},
		"# Given {#mine .x}":                           {"given-mine-x", "mine"},
		"<a id=\"x\"></a> and <A name='Y'>":            {"x", "y"},
		"> ## Quoted\n\n- # Listed":                    {"listed", "quoted"},
		"---\ntitle: T\n# none: no\n---\n\n    # code": {},
	} {
		got := slices.Sorted(maps.Keys(parse(t, src).Anchors()))
		got = slices.DeleteFunc(got, func(name string) bool { return name == "top" })
		if !slices.Equal(got, want) {
			t.Errorf("%q has %q, want %q", src, got, want)
		}
	}
}
