package markdown_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/test/workbound"
)

func parse(t *testing.T, src string) *markdown.Document {
	t.Helper()
	doc, err := markdown.Parse([]byte(src))
	if err != nil {
		t.Fatalf("parse: %v", err)
	}
	return doc
}

func TestParse_TitleAndSummary(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, src, title, summary string }{
		{"empty", "", "", ""},
		{"first H1", "## Two\n\n# One `code` *x*\n\n# Other\n\ntext", "One code x", "text"},
		{"setext", "One\ntwo\n===\n\ntext", "One two", "text"},
		{"a description", "---\ntitle: A\ndescription: What A is\n---\ntext", "A", "What A is"},
		{"a summary before a description", "---\ntitle: A\nsummary: Short\ndescription: What A is\n---\ntext", "A", "Short"},
		{"front matter first", "---\ntitle: A  title\nsummary: |\n  Two\n  lines\n---\n# H1\n\ntext", "A title", "Two\nlines"},
		{"front matter without text", "---\ntitle: ~\nsummary: ''\n---\n# H1\n\ntext", "H1", "text"},
		{"a number", "---\ntitle: 2024\n---\n# H1\n\ntext", "2024", "text"},
		{"a version", "---\ntitle: 1.10\n---\n# H1\n\ntext", "1.10", "text"},
		{"a word that YAML knows", "---\ntitle: true\n---\n# H1\n\ntext", "true", "text"},
		{"quoted H1 is none", "> # H1\n>\n> quoted", "", ""},
		{"image and HTML leave no title", "# ![logo](x.png) <b>Name</b>", "Name", ""},
		{"badges", "[![a](b.svg)](c) ![d](e.svg)\n\nreal", "", "real"},
		{"code, table, HTML, list", "    code\n\n```\nx\n```\n\n|a|b|\n|-|-|\n|1|2|\n\n<p>x</p>\n\n- item\n\nreal\n\nlater", "", "real"},
		{"a dash row is no table", "a | b\nc\n\nx", "", "a | b c"},
		{"escapes and entities", `\*a\* &amp; b &copy; &#0;`, "", "*a* & b © \ufffd"},
		{"links and breaks", "[the *text*](x.md),  \n<https://example.org>\\\nend", "", "the text, https://example.org end"},
		{"definitions are no text", "[a]: b.md\n\nreal", "", "real"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			doc := parse(t, test.src)
			if diff := cmp.Diff([]string{test.title, test.summary}, []string{doc.Title, doc.Summary}); diff != "" {
				t.Errorf("title and summary (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParse_CutsSummaryAtWord(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, src, want string
	}{
		{"as long as allowed", strings.Repeat("ä", 300), strings.Repeat("ä", 300)},
		{"one word", strings.Repeat("ä", 301), strings.Repeat("ä", 299) + "…"},
		{"words", strings.Repeat("four ", 100), strings.Repeat("four ", 59) + "four…"},
		{"inside a word", strings.Repeat("sixsix ", 100), strings.TrimSpace(strings.Repeat("sixsix ", 42)) + "…"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := parse(t, test.src).Summary
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
			if n := utf8.RuneCountInString(got); n > 300 {
				t.Errorf("%d characters", n)
			}
		})
	}
}

func TestParse_Encoding(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, src string
		want      markdown.Error
	}{
		{"Latin-1", "a\nb\xe4c", markdown.Error{Line: 2, Problem: "is not valid UTF-8 (byte 0xe4); save the file as UTF-8 text"}},
		{"a real U+FFFD before it", "\ufffd\n\n\xff", markdown.Error{Line: 3, Problem: "is not valid UTF-8 (byte 0xff); save the file as UTF-8 text"}},
		{"NUL", "a\n\nb\x00", markdown.Error{Line: 3, Problem: "holds a NUL byte; save the file as UTF-8 text"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantError(t, test.src, test.want)
		})
	}
}

func wantError(t *testing.T, src string, want markdown.Error) {
	t.Helper()
	_, err := markdown.Parse([]byte(src))
	var got *markdown.Error
	if !errors.As(err, &got) {
		t.Fatalf("error is %v, not an *Error", err)
	}
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

func TestParse_Links(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, src string
		want      []string
	}{
		{"none", "text", []string{}},
		{"in order, once", "[a](b.md) [c](d.md) [e](b.md#x) [f](./b.md)", []string{"b.md", "d.md", "./b.md"}},
		{"reference styles", "[a][r] [r][] [r] [no][missing]\n\n[r]: <x y.md> 'T'", []string{"x y.md"}},
		{
			"everywhere", "# [a](1.md)\n\n> [b](2.md)\n\n- [c](3.md)\n  - [d](4.md)\n\n| [e](5.md) | **[f](6.md)** |\n|-|-|\n| [g](7.md) | x |\n",
			[]string{"1.md", "2.md", "3.md", "4.md", "5.md", "6.md", "7.md"},
		},
		{"not in code", "`[a](b.md)`\n\n```\n[c](d.md)\n```\n\n<!-- [e](f.md) -->\n", []string{}},
		{"no footnotes", "这是脚注[^1] and another[^2].\n\n[^1]: 这是一个脚注。\n[^2]: [a](b.md)\n", []string{"b.md"}},
		{"no images", "![a](b.md) ![c [d](e.md)](f.png)", []string{}},
		{"around an image", "[![a](b.png)](c.md)", []string{"c.md"}},
		{"no URLs", "[a](https://x.org/y.md) [b](mailto:x@y.z) [c](//x.org/y.md) <https://x.org> [d](C:\\x.md) [e](HTTP://x.org)", []string{}},
		{"no bare anchors", "[a](#b) [c](?d) [e]()", []string{}},
		{"decoded", "[a](b%20c.md#d) [e](f%2Fg.md?h#i) [j](k%zz.md) [l](m&amp;n\\(o.md)", []string{"b c.md", "f/g.md", "k%zz.md", "m&n(o.md"}},
		{"what no path can hold", "[a](b%00.md) [c](d%FF.md) [e](f%0A.md)", []string{}},
		{"paths of all kinds", "[a](../b.md) [c](/d.md) [e](./f/) [g](h.go)", []string{"../b.md", "/d.md", "./f/", "h.go"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, parse(t, test.src).Links); diff != "" {
				t.Errorf("links (-want +got):\n%s", diff)
			}
		})
	}
}

// Parsing takes time in proportion to a file's size, whatever the file contains. Larger files would
// take longer than a file may under the race detector.
//
//nolint:paralleltest // it measures the memory of the process
func TestParse_TakesBoundedTime(t *testing.T) {
	const size = 1 << 18
	for name, line := range map[string]string{
		"definitions":           "[a@]: b\n",
		"definitions apart":     "[a@]: b\n\n",
		"open titles":           "[a@]: b 'c\n",
		"definitions in quotes": "> [a@]: b\n",
		"definitions and links": "[a@]: b\n\n[a@]\n\n",
		"brackets":              "[",
		"open links":            "[a](",
		"emphasis":              "*a_ ",
		"nested quotes":         "> > > > > > > > a\n",
		"nested lists":          "- - - - - - - - a\n",
		"table":                 "|a|b|\n|-|-|\n",
		"tags":                  "<a ",
		"comments":              "<!--",
		"entities":              "&a",
		"backticks":             "`a``",
		"headings":              "# a\n",
		"underlined headings":   "a\n=\n",
	} {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			b.WriteString(strings.ReplaceAll(line, "@", strconv.Itoa(i)))
		}
		workbound.Check(t, b.Len(), 3_000, func() {
			if _, err := markdown.Parse([]byte(b.String())); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
		if t.Failed() {
			t.Fatal(name)
		}
	}
}
