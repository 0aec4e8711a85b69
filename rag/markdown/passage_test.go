package markdown_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/markdown"
)

// places names passages by their lines and header path.
func places(passages []markdown.Passage) []string {
	list := []string{}
	for _, p := range passages {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%d-%d %s", p.StartLine, p.EndLine, p.HeaderPath)))
	}
	return list
}

// fence is a code fence of n estimated tokens, more or less.
func fence(n int) string { return "```\n" + strings.Repeat("a ", n-6) + "\n```\n" }

func TestPassages(t *testing.T) {
	t.Parallel()
	standard := markdown.DefaultLimit()
	split := standard
	split.SplitLines = 1
	tests := []struct {
		name, title, src string
		limit            markdown.Limit
		want             []string
	}{
		{"empty", "", "", standard, []string{}},
		{"front matter only", "", "---\na: 1\n---\n\n", standard, []string{}},
		{"short is one", "", "\n# T\n\n## A\n\na\n\n## B\n\nb\n\n", standard, []string{"2-10"}},
		{"over SplitLines", "", "# T\n\n## A\n\na\n\n## B\n\nb\n", split, []string{"1-5 ## A", "7-9 ## B"}},
		{"front matter counts", "", "---\nx: 1\n---\n## A\na\n## B\nb\n", split, []string{"4-5 ## A", "6-7 ## B"}},
		{"CRLF counts", "", "---\r\nx: 1\r\n---\r\n## A\r\na\r\n## B\r\nb\r\n", split, []string{"4-5 ## A", "6-7 ## B"}},
		{"text before the first heading", "", "a\n\n# T\n\nb\n\n## A\n\nc\n", split, []string{"1-5", "7-9 ## A"}},
		{"the only H1 is the title", "Other", "# T\n## A\na\n", split, []string{"1-3 ## A"}},
		{"of several H1 the title is left out", "t", "# T\na\n# U\nb\n## A\nc\n", split, []string{"1-2", "3-4 # U", "5-6 # U > ## A"}},
		{"paths", "", "## A\na\n### B\nb\n## C\nc\n### D\n#### E\nd\n", split, []string{
			"1-2 ## A", "3-4 ## A > ### B", "5-6 ## C", "7-9 ## C > ### D",
		}},
		{"a path without a parent", "", "### B\nb\n## A\na\n", split, []string{"1-2 ### B", "3-4 ## A"}},
		{"plain text in a path", "", "## The `x` [of](y.md) *z* \\# &amp;\na\n", split, []string{"1-2 ## The x of z # &"}},
		{"an empty heading", "", "##\na\n###\nb\n", split, []string{"1-2", "3-4"}},
		{"an empty section goes with the one under it", "", "a\n## A\n### B\nb\n", split, []string{"1-1", "2-4 ## A > ### B"}},
		{"or with the next one", "", "## A\na\n## B\n### C\n## D\nd\n", split, []string{"1-2 ## A", "3-6 ## D"}},
		{"or with the last one, at the end", "", "## A\na\n## B\nb\n## C\n", split, []string{"1-2 ## A", "3-5 ## B"}},
		{"or with the next, at the beginning", "", "## A\n## B\nb\n", split, []string{"1-3 ## B"}},
		{"headings alone", "", "## A\n\n### B\n", split, []string{"1-3"}},
		{"a heading without room beside its text", "T", "## A\n\n" + fence(476) + "\nb\n", standard, []string{"1-5 ## A", "7-7 ## A"}},
		{"a deeper heading is text", "T", "## A\n\na\n\n#### B\n\n" + fence(476), standard, []string{"1-3 ## A", "5-5 ## A", "7-9 ## A"}},
		{"headings go with what they head", "T", "a\n\n" + fence(400) + "\n#### B\n\n" + fence(400), standard, []string{"1-5", "7-11"}},
		{"an introduction goes with what it introduces", "T", "a\n\n" + fence(400) + "\n**So:**\n\n" + fence(400), standard, []string{"1-5", "7-11"}},
		{"a long line", "", strings.Repeat("word ", 1000), standard, []string{"1-1", "1-1", "1-1", "1-1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := places(parse(t, test.src).Passages(test.title, test.limit))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("passages (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPassages_LeavesOutHeadingThatPathRepeats(t *testing.T) {
	t.Parallel()
	code := strings.TrimSpace(fence(476))
	got := parse(t, "x\n\n## A\n\n"+code+"\n").Passages("T", markdown.DefaultLimit())
	want := []markdown.Passage{
		{StartLine: 1, EndLine: 1, Text: "x"},
		{HeaderPath: "## A", StartLine: 3, EndLine: 7, Text: code},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("passages (-want +got):\n%s", diff)
	}
}

func TestPassages_CutsLine(t *testing.T) {
	t.Parallel()
	limit := markdown.Limit{MaxTokens: 192, SplitLines: 500}
	tests := []struct {
		name, line string
		want       []string
	}{
		{"behind a sentence near the middle", strings.Repeat("It is so. ", 50), []string{
			strings.TrimSpace(strings.Repeat("It is so. ", 26)), strings.TrimSpace(strings.Repeat("It is so. ", 24)),
		}},
		{"behind a sentence without spaces", strings.Repeat("数据库连接池。", 40), []string{
			strings.Repeat("数据库连接池。", 20), strings.Repeat("数据库连接池。", 20),
		}},
		{"behind a word", strings.Repeat("a ", 200), []string{
			strings.TrimSpace(strings.Repeat("a ", 100)), strings.TrimSpace(strings.Repeat("a ", 100)),
		}},
		{"inside a word", strings.Repeat("数", 200), []string{strings.Repeat("数", 100), strings.Repeat("数", 100)}},
		{"not at a space far from the middle", "aa " + strings.Repeat("数", 201), []string{
			"aa " + strings.Repeat("数", 100), strings.Repeat("数", 101),
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := []string{}
			for _, p := range parse(t, test.line).Passages("", limit) {
				got = append(got, p.Text)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("texts (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHalve(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text    string
		first, second string
	}{
		{"paragraph", "one\ntwo\n\n\n  three", "one\ntwo", "  three"},
		{"line nearest to the middle", "a\nbbb BBB\ncc CC\nd", "a\nbbb BBB", "cc CC\nd"},
		{"a paragraph far from the middle does not count", "a\n\nbbbb cccc dddd", "a\n\nbbbb", "cccc dddd"},
		{"word of a part of a line", "aa bb cc", "aa bb", "cc"},
		{"character", "äöü", "ä", "öü"},
	} {
		first, second, ok := markdown.Halve(test.text)
		if !ok || first != test.first || second != test.second {
			t.Errorf("%s: %q and %q, %t, want %q and %q", test.name, first, second, ok, test.first, test.second)
		}
	}
	for _, text := range []string{" ä ", ""} {
		if first, second, ok := markdown.Halve(text); ok {
			t.Errorf("%q is cut into %q and %q", text, first, second)
		}
	}
}
