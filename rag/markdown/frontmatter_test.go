package markdown_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/test/workbound"
)

func TestParse_FrontMatter(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, src string
		want      map[string]any
	}{
		{"none", "a: 1\n", nil},
		{"not on the first line", "\n---\na: 1\n---\n", map[string]any{"a": 1}},
		{"a rule behind blank lines", "\n---\ntext\n---\n", nil},
		{"a rule", "---\n\n# Title\n\nThe text.\n", nil},
		{"rules around a title", "---\n\n# Title\n\n---\n\nThe text.\n", nil},
		{"a rule before what looks like a field", "---\n\nNote: see below.\n", nil},
		{"behind a blank line", "---\n\na: 1\n---\n", map[string]any{"a": 1}},
		{"indented", " ---\na: 1\n---\n", nil},
		{"four dashes", "----\na: 1\n---\n", nil},
		{"empty", "---\n---\n", map[string]any{}},
		{"a comment", "---\n# nothing\n\n---\n", map[string]any{}},
		{"closed by dots", "---\na: 1\n...\nb", map[string]any{"a": 1}},
		{"byte order mark, CRLF, trailing space", "\ufeff--- \r\na: x\r\nb: |\r\n  1\r\n  2\r\n---\t\r\n", map[string]any{"a": "x", "b": "1\n2\n"}},
		{"scalars", "---\ns: text\ni: -3\nbig: 18446744073709551615\nf: 1.5\nt: true\nn: null\nempty:\nq: \"5\"\nhex: 0x1F\n---\n", map[string]any{
			"s": "text", "i": -3, "big": uint64(18446744073709551615), "f": 1.5, "t": true, "n": nil, "empty": nil, "q": "5", "hex": 31,
		}},
		{"keys are texts", "---\n1: a\ntrue: b\n\"c d\": e\n---\n", map[string]any{"1": "a", "true": "b", "c d": "e"}},
		{"dashes within a value", "---\na: |\n  x\n  ---\nb: c --- d\n---\n", map[string]any{"a": "x\n---\n", "b": "c --- d"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, parse(t, test.src).FrontMatter); diff != "" {
				t.Errorf("front matter (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParse_BadFrontMatter(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, yaml string
		want       markdown.Error
	}{
		{"duplicate key", "a: 1\nb: 2\na: 3", markdown.Error{Line: 4, Problem: `the front matter key "a" is given twice`}},
		{"list", "- a", markdown.Error{Line: 2, Problem: "the front matter is not a mapping; write it as lines of key: value"}},
		{"text", "# comment\nhello", markdown.Error{Line: 3, Problem: "the front matter is not a mapping; write it as lines of key: value"}},
		{"syntax", "a: 1\nb: c: d\n e: f", markdown.Error{Line: 3, Problem: "the front matter is not valid YAML: mapping values are not allowed in this context; put the text in quotes: b: 'c: d'"}},
		{"not finite", "a: 1\nb: [.inf]", markdown.Error{Line: 3, Problem: `the front matter key "b[0]" is not a finite number, which has no JSON equivalent`}},
		{"NUL", `a: "x\0"`, markdown.Error{Line: 2, Problem: `the front matter key "a" holds a NUL character`}},
		{"NUL in a key", `"x\0": 1`, markdown.Error{Line: 2, Problem: "the front matter holds a NUL character"}},
		{"merge key", "a: &x {b: 1}\nc:\n  <<: *x", markdown.Error{Line: 4, Problem: `the front matter key "c" holds a merge key (<<); write the keys out`}},
		{"brackets", "a: 1\nb: " + strings.Repeat("[", 40) + strings.Repeat("]", 40), markdown.Error{Line: 3, Problem: "the front matter nests deeper than 32 levels"}},
		{"values", "a:\n" + strings.Repeat("- 1\n", 10_000), markdown.Error{Line: 10_001, Problem: "the front matter holds more than 10000 values"}},
		{"a long text many times", "a: &x " + strings.Repeat("word ", 9000) + "\nb: [*x, *x, *x]", markdown.Error{Line: 2, Problem: "the front matter holds more than 128 KiB with its aliases written out"}},
		{"long", strings.Repeat("# comment\n", 10_000), markdown.Error{Line: 1, Problem: "the front matter is longer than 64 KiB"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantError(t, "---\n"+test.yaml+"\n---\ntext\n", test.want)
		})
	}
}

func TestParse_FrontMatterNeverClosed(t *testing.T) {
	t.Parallel()
	wantError(t, "---\na: 1\n\ntext\n", markdown.Error{
		Line: 1, Problem: "the front matter that begins here is never closed; end it with a line ---",
	})
}

func FuzzFrontMatter(f *testing.F) {
	for _, seed := range []string{
		"a: 1", "a: [b, {c: d}]", "a: &x 1\nb: *x", "? a\n: b", "a: |\n  b\n\n  c", "a: !!str 5", "- a\n- b", "a: 'b", "<<: {a: b}", "%YAML 1.2\n", "a: \"\\x00\\uD800\"",
		"a: b # c", "\t", "a:\n\t- b", "{a: 1, a: 2}", "a: .nan", "1e400: 1e400", "a: !!binary aGk=", "&a a: *a", "a: >-\n b", "a\rb", "-----\r---",
	} {
		f.Add([]byte(seed), uint16(0))
	}
	for _, seed := range []string{"- ", "- a\n", "[", "{a: ", "? ", "&a ", "|\n", "a:\n ", "# a\n", "a ", "<", "\""} {
		f.Add([]byte(seed), uint16(5000))
	}
	f.Fuzz(func(t *testing.T, yaml []byte, times uint16) {
		src := slices.Concat([]byte("---\n"), repeated(yaml, times), []byte("\n---\n"))
		var (
			doc *markdown.Document
			err error
		)
		workbound.Check(t, len(src), memoryPerByte, func() { doc, err = markdown.Parse(src) })
		if err != nil {
			var located *markdown.Error
			lines := 1 + bytes.Count(src, []byte("\n")) + bytes.Count(src, []byte("\r")) // to YAML either ends a line
			if !errors.As(err, &located) || located.Line < 1 || located.Line > lines || located.Problem == "" {
				t.Errorf("error %#v", err)
			}
			return
		}
		checkFrontMatter(t, doc.FrontMatter)
		if bytes.ContainsRune(src, '\r') {
			return
		}
		windows := parse(t, strings.ReplaceAll(string(src), "\n", "\r\n"))
		if diff := cmp.Diff(doc.FrontMatter, windows.FrontMatter); diff != "" {
			t.Errorf("with LF and with CRLF (-LF +CRLF):\n%s", diff)
		}
	})
}

// checkFrontMatter fails unless the values are what the database can hold: JSON without
// NUL.
func checkFrontMatter(t *testing.T, value any) {
	t.Helper()
	encoded, err := json.Marshal(value)
	if err != nil {
		t.Fatalf("%#v is not JSON: %v", value, err)
	}
	if bytes.Contains(encoded, []byte(`\u0000`)) && !bytes.Contains(encoded, []byte(`\\u0000`)) {
		t.Errorf("%s holds a NUL", encoded)
	}
}
