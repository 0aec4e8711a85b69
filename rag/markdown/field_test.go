package markdown_test

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/test/workbound"
)

// promotion is a file and what it must become at the level critical.
type promotion struct{ name, src, want string }

func promotions() []promotion {
	return []promotion{
		{"plain", "---\ntitle: A\npromotion_level: standard\n---\nText", "---\ntitle: A\npromotion_level: critical\n---\nText"},
		{"absent", "---\ntitle: A\n---\nText\n", "---\ntitle: A\npromotion_level: critical\n---\nText\n"},
		{"empty front matter", "---\n---\nText\n", "---\npromotion_level: critical\n---\nText\n"},
		{"no front matter", "# A\n", "---\npromotion_level: critical\n---\n\n# A\n"},
		{"empty file", "", "---\npromotion_level: critical\n---\n\n"},
		{"delimiters as Parse sees them", "---\r \n---", "---\npromotion_level: critical\n---\n\n---\r \n---"},
		{"comment stays", "---\npromotion_level: standard # why\n---\n", "---\npromotion_level: critical # why\n---\n"},
		{"double quotes", "---\npromotion_level: \"standard\"\n---\n", "---\npromotion_level: \"critical\"\n---\n"},
		{"single quotes", "---\npromotion_level: 'standard' # x\n---\n", "---\npromotion_level: 'critical' # x\n---\n"},
		{"quoted key", "---\n\"promotion_level\": standard\n---\n", "---\n\"promotion_level\": critical\n---\n"},
		{"spaces", "---\npromotion_level  :   standard   \n---\n", "---\npromotion_level  :   critical   \n---\n"},
		{"next line", "---\npromotion_level:\n  standard\ntitle: A\n---\n", "---\npromotion_level:\n  critical\ntitle: A\n---\n"},
		{"no value", "---\npromotion_level:\ntitle: A\n---\n", "---\npromotion_level: critical\ntitle: A\n---\n"},
		{"null value", "---\npromotion_level: ~ # none\n---\n", "---\npromotion_level: critical # none\n---\n"},
		{"flow mapping", "---\n{title: A, promotion_level: standard}\n---\n", "---\n{title: A, promotion_level: critical}\n---\n"},
		{"CRLF", "---\r\npromotion_level: standard\r\n---\r\nText\r\n", "---\r\npromotion_level: critical\r\n---\r\nText\r\n"},
		{"CRLF, absent", "---\r\ntitle: A\r\n---\r\n", "---\r\ntitle: A\r\npromotion_level: critical\r\n---\r\n"},
		{"byte order mark", "\ufeff---\npromotion_level: standard\n---\n", "\ufeff---\npromotion_level: critical\n---\n"},
		{"no last newline", "---\npromotion_level: standard\n---", "---\npromotion_level: critical\n---"},
		{
			"not in another's text", "---\nsummary: |\n  promotion_level: standard\nnotes: 'promotion_level: x'\n---\npromotion_level: standard\n",
			"---\nsummary: |\n  promotion_level: standard\nnotes: 'promotion_level: x'\npromotion_level: critical\n---\npromotion_level: standard\n",
		},
		{"nested is another", "---\nother:\n  promotion_level: standard\n---\n", "---\nother:\n  promotion_level: standard\npromotion_level: critical\n---\n"},
		{"a comment without a value", "---\npromotion_level: # why\n---\n", "---\npromotion_level: critical # why\n---\n"},
		{"behind a comment", "---\n#promotion_level:\npromotion_level: standard\n---\n", "---\n#promotion_level:\npromotion_level: critical\n---\n"},
		{"behind a carriage return", "---\ntitle: A\rpromotion_level: standard\n---\n", "---\ntitle: A\rpromotion_level: critical\n---\n"},
		{"wide characters before", "---\n{标题: 数据, promotion_level: standard}\n---\n", "---\n{标题: 数据, promotion_level: critical}\n---\n"},
	}
}

func TestSetField(t *testing.T) {
	t.Parallel()
	for _, test := range promotions() {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := markdown.SetField([]byte(test.src), "promotion_level", "critical")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSetField_Status(t *testing.T) {
	t.Parallel()
	const by = "superseded by ../adr/0012-cache.md"
	const linked = "superseded by [b (2)](./b%20%282%29.md)"
	for _, test := range []struct{ name, text, src, want string }{
		{"plain", by, "---\nstatus: accepted\ntitle: A\n---\nText", "---\nstatus: " + by + "\ntitle: A\n---\nText"},
		{"several words", "deprecated", "---\nstatus: in force, since  2024  # by all\n---\n", "---\nstatus: deprecated  # by all\n---\n"},
		{"an item of a list", "deprecated", "---\nstatus:\n  - accepted\n---\n", "---\nstatus:\n  deprecated\n---\n"},
		{
			"other fields with its name", by, "---\nold_status: accepted\nx: {status: a}\nstatus: accepted\n---\n",
			"---\nold_status: accepted\nx: {status: a}\nstatus: " + by + "\n---\n",
		},
		{"a quoted link", "deprecated", "---\nstatus: \"superseded by [b](b.md)\" # x\n---\n", "---\nstatus: \"deprecated\" # x\n---\n"},
		{"to a quoted link", linked, "---\nstatus: accepted\n---\n", "---\nstatus: \"" + linked + "\"\n---\n"},
		{"from one quote to another", linked, "---\nstatus: 'accepted'\n---\n", "---\nstatus: \"" + linked + "\"\n---\n"},
		{"from double quotes", linked, "---\nstatus: \"accepted\"\n---\n", "---\nstatus: \"" + linked + "\"\n---\n"},
		{"no front matter", linked, "# A\r\n", "---\r\nstatus: \"" + linked + "\"\r\n---\r\n\r\n# A\r\n"},
	} {
		got, err := markdown.SetField([]byte(test.src), "status", test.text)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if diff := cmp.Diff(test.want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	for _, src := range []string{"---\nstatus: [accepted]\n---\n", "---\nstatus: {a: b}\n---\n", "---\n{status: in force, title: A}\n---\n"} {
		if got, err := markdown.SetField([]byte(src), "status", by); err == nil || !strings.Contains(err.Error(), "`status: "+by+"`") {
			t.Errorf("%q became %q, %v", src, got, err)
		}
	}
}

func TestSetField_RefusesWhatItCannotKeep(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"---\npromotion_level: [standard]\n---\n",
		"---\npromotion_level: *level\nbase: &level standard\n---\n",
		"---\ntitle: [unclosed\n---\n",
		"---\n{title: A}\n---\n",
		"---\ntitle: A\n",
		"---\npromotion_level: standard\npromotion_level: standard\n---\n",
		"---\npromotion_level: &level standard\nother: *level\n---\n",
		"---\npromotion_level: |\n  standard\n---\n",
		"---\n- a list\n---\n",
	} {
		if got, err := markdown.SetField([]byte(src), "promotion_level", "critical"); err == nil {
			t.Errorf("%q became %q, want an error", src, got)
		}
	}
}

// FuzzSetField holds every edit to its promise: one line differs, or is
// new, and nothing else of the document has another meaning.
func FuzzSetField(f *testing.F) {
	for _, test := range promotions() {
		f.Add([]byte(test.src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		before, err := markdown.Parse(src)
		if err != nil {
			return
		}
		var edited []byte
		workbound.Check(t, len(src), memoryPerByte, func() { edited, err = markdown.SetField(src, "promotion_level", "critical") })
		if err != nil {
			return
		}
		checkEdit(t, before, src, edited, "critical")
		again, err := markdown.SetField(edited, "promotion_level", "critical")
		if err != nil || !bytes.Equal(edited, again) {
			t.Fatalf("the same edit again made %q of %q: %v", again, edited, err)
		}
		lowered, err := markdown.SetField(edited, "promotion_level", "standard")
		if err != nil {
			t.Fatalf("%q cannot be edited again: %v", edited, err)
		}
		checkEdit(t, before, edited, lowered, "standard")
	})
}

// checkEdit fails unless edited is src with another level, whose document was before.
func checkEdit(t *testing.T, before *markdown.Document, src, edited []byte, level string) {
	t.Helper()
	after, err := markdown.Parse(edited)
	if err != nil {
		t.Fatalf("%q became %q: %v", src, edited, err)
	}
	want := maps.Clone(before.FrontMatter)
	if want == nil {
		want = map[string]any{}
	}
	want["promotion_level"] = level
	if diff := cmp.Diff(want, after.FrontMatter); diff != "" {
		t.Fatalf("%q became %q (-want +got):\n%s", src, edited, diff)
	}
	if diff := cmp.Diff(texts(before), texts(after)); diff != "" {
		t.Fatalf("%q became %q (-before +after):\n%s", src, edited, diff)
	}
	checkOneLine(t, src, edited)
}

// texts returns the texts of a document that are embedded.
func texts(doc *markdown.Document) (texts []string) {
	for _, p := range doc.Passages(doc.Title, markdown.DefaultLimit()) {
		texts = append(texts, markdown.Heading(doc.Title, p.HeaderPath)+"\n"+p.Text)
	}
	return texts
}

// checkOneLine fails unless one line was changed or added, or front matter put
// in front of everything.
func checkOneLine(t *testing.T, before, after []byte) {
	t.Helper()
	if body := bytes.TrimPrefix(before, []byte("\ufeff")); bytes.HasSuffix(after, append([]byte("\n---\n\n"), body...)) ||
		bytes.HasSuffix(after, append([]byte("\r\n---\r\n\r\n"), body...)) {
		return
	}
	old, edited := strings.SplitAfter(string(before), "\n"), strings.SplitAfter(string(after), "\n")
	first := 0
	for first < min(len(old), len(edited)) && old[first] == edited[first] {
		first++
	}
	last := 0
	for last < min(len(old), len(edited))-first && old[len(old)-1-last] == edited[len(edited)-1-last] {
		last++
	}
	changed, by := len(old)-first-last, len(edited)-first-last
	if changed > 1 || by > 1 {
		t.Fatalf("%d lines from line %d on became %d: %q became %q", changed, first+1, by, before, after)
	}
}
