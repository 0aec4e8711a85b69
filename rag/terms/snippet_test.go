package terms

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSnippet_ShowsTheQuerysWords(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("Plain words of no interest stand here. ", 40)
	for _, test := range []struct{ name, query, body, want string }{
		{"where most of the words are", "connection pool exhausted", filler + "A pool is a pool. " + filler + "The connection pool is exhausted. " + filler, "connection pool is exhausted"},
		{"an identifier", "max_conns", filler + "Set `max_conns` to 4. " + filler, "Set `max_conns` to 4."},
		{"at the end", "pool exhausted", filler + "The pool is exhausted", "The pool is exhausted"},
		{"stems", "exhausting pools", filler + "an exhausted pool" + filler, "exhausted pool"},
		{"a script without spaces", "连接池", strings.Repeat("没有意义的文字在这里。", 60) + "数据库连接池耗尽了" + strings.Repeat("没有意义的文字在这里。", 60), "连接池"},
		{"the beginning if no word is there", "nowhere", "First things first. " + filler, "First things first."},
		{"the beginning if there is no word", "?", "First things first. " + filler, "First things first."},
	} {
		got := NewQuery(1, test.query).Snippet(test.body, 200)
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: got %q, want %q in it", test.name, got, test.want)
		}
		if length := utf8.RuneCountInString(got); length > 200 || length < 120 {
			t.Errorf("%s: %d characters, want 120 to 200: %q", test.name, length, got)
		}
	}
}

func TestSnippet_RowBehindItsHeader(t *testing.T) {
	t.Parallel()
	rows := strings.Repeat("| 10 | no meaning at all |\n", 20)
	table := "| Code | Meaning |\n|---|---|\n" + rows + "| 17 | the disk is full |\n" + rows
	for body, want := range map[string]string{
		table:                              "| Code | Meaning | … | 17 | the disk is full | | 10 |",
		"# Codes\n\n" + table + "\nEnd":    "| Code | Meaning | … | 17 | the disk is full | | 10 |",
		rows + "| 17 | the disk is full |": "| 17 | the disk is full |",
	} {
		got := NewQuery(1, "disk full").Snippet(body, 100)
		if !strings.Contains(got, want) || utf8.RuneCountInString(got) > 100 {
			t.Errorf("of %q it shows %q, want %q", body, got, want)
		}
	}
}

func TestSnippet_IsOneLineWithoutMarkup(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"## Root cause\n\n> quoted\n\n```sql\nSELECT 1\n```\n\n| a | b |\n|---|---|\n| #tag | d |\n---\n": "Root cause quoted SELECT 1 | a | b | | #tag | d |",
		"See [the pool](../pool.md#size \"Pool\").":                                                       "See the pool.",
		"([one][ref], [two][])":                              "(one, two)",
		"![A chart](chart.png)\n[next](next.md)":             "A chart next",
		"calls[i](x) and a[0] and [ ] and [open](see below":  "calls[i](x) and a[0] and [ ] and [open](see below",
		"<https://example.com> and [brackets [in] it](x.md)": "<https://example.com> and [brackets [in] it](x.md)",
	} {
		if got := NewQuery(1, "pool").Snippet(body, 200); got != want {
			t.Errorf("of %q it shows %q, want %q", body, got, want)
		}
	}
}
