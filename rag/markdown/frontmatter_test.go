package markdown_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
		{"not on the first line", "\n---\na: 1\n---\n", nil},
		{"indented", " ---\na: 1\n---\n", nil},
		{"four dashes", "----\na: 1\n---\n", nil},
		{"empty", "---\n---\n", map[string]any{}},
		{"a comment", "---\n# nothing\n\n---\n", map[string]any{}},
		{"closed by dots", "---\na: 1\n...\nb", map[string]any{"a": 1}},
		{"byte order mark, CRLF, trailing space", "\ufeff--- \r\na: x\r\nb: |\r\n  1\r\n  2\r\n---\t\r\n", map[string]any{"a": "x", "b": "1\n2\n"}},
		{"scalars", "---\ns: text\ni: -3\nbig: 18446744073709551615\nf: 1.5\nt: true\nn: null\nempty:\nq: \"5\"\nhex: 0x1F\n---\n", map[string]any{
			"s": "text", "i": -3, "big": uint64(18446744073709551615), "f": 1.5, "t": true, "n": nil, "empty": nil, "q": "5", "hex": 31,
		}},
		{"dates are strings", "---\nd: 2025-01-15\nt: 2025-01-15T10:00:00Z\nl: [2025-01-15]\n---\n", map[string]any{
			"d": "2025-01-15", "t": "2025-01-15T10:00:00Z", "l": []any{"2025-01-15"},
		}},
		{"collections", "---\nl:\n- a\n- {b: [1, 2], c: []}\nm:\n  n:\n    o: p\n---\n", map[string]any{
			"l": []any{"a", map[string]any{"b": []any{1, 2}, "c": []any{}}}, "m": map[string]any{"n": map[string]any{"o": "p"}},
		}},
		{"keys are texts", "---\n1: a\ntrue: b\n\"c d\": e\n---\n", map[string]any{"1": "a", "true": "b", "c d": "e"}},
		{"tags", "---\na: !!str 5\nb: !!str x\nc: !!int 5\nd: !!str true\n---\n", map[string]any{"a": "5", "b": "x", "c": 5, "d": "true"}},
		{"aliases", "---\na: &x [1]\nb: *x\n---\n", map[string]any{"a": []any{1}, "b": []any{1}}},
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
		{"nested duplicate", "a:\n  - b: 1\n    b: 2", markdown.Error{Line: 4, Problem: `the front matter key "a[0].b" is given twice`}},
		{"list", "- a", markdown.Error{Line: 2, Problem: "the front matter is not a mapping; write it as lines of key: value"}},
		{"text", "\n# comment\nhello", markdown.Error{Line: 4, Problem: "the front matter is not a mapping; write it as lines of key: value"}},
		{"syntax", "a: 1\nb: c: d", markdown.Error{Line: 3, Problem: "the front matter is not valid YAML: mapping values are not allowed in this context; put the text in quotes: b: 'c: d'"}},
		{"open bracket", "a: [1,\nb", markdown.Error{Line: 2, Problem: "the front matter is not valid YAML: did not find expected ',' or ']'"}},
		{"not finite", "a: 1\nb: [.inf]", markdown.Error{Line: 3, Problem: `the front matter key "b[0]" is not a finite number, which has no JSON equivalent`}},
		{"NUL", `a: "x\0"`, markdown.Error{Line: 2, Problem: `the front matter key "a" holds a NUL character`}},
		{"NUL in a key", `"x\0": 1`, markdown.Error{Line: 2, Problem: "the front matter holds a NUL character"}},
		{"tag", "a: !secret x", markdown.Error{Line: 2, Problem: `the front matter key "a" has the tag !secret, which has no JSON equivalent`}},
		{"merge key", "a: &x {b: 1}\nc:\n  <<: *x", markdown.Error{Line: 4, Problem: `the front matter key "c" holds a merge key (<<); write the keys out`}},
		{"unknown alias", "a: *x", markdown.Error{Line: 2, Problem: "the front matter is not valid YAML: unknown anchor 'x' referenced; put the text in quotes: a: '*x'"}},
		{"alias inside its anchor", "a: &x [*x]", markdown.Error{Line: 2, Problem: "the front matter nests deeper than 32 levels"}},
		{"brackets", "a: 1\nb: " + strings.Repeat("[", 40), markdown.Error{Line: 3, Problem: "the front matter nests deeper than 32 levels"}},
		{"levels", strings.Repeat("- ", 40) + "x", markdown.Error{Line: 2, Problem: "the front matter nests deeper than 32 levels"}},
		{"indented levels", indented(40), markdown.Error{Line: 34, Problem: "the front matter nests deeper than 32 levels"}},
		{"values", "a:\n" + strings.Repeat("- 1\n", 10_000), markdown.Error{Line: 10_001, Problem: "the front matter holds more than 10000 values"}},
		{"control character", "a: 1\nb: x\x07", markdown.Error{Line: 3, Problem: "the front matter is not valid YAML: control characters are not allowed (value: 7)"}},
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

// indented is a mapping in a mapping, so many levels deep.
func indented(levels int) string {
	var b strings.Builder
	for level := range levels {
		b.WriteString(strings.Repeat(" ", level) + "a:\n")
	}
	return b.String()
}

func TestParse_BoundsAliases(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("---\na0: &a0 x\n")
	for i := range 9 {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 9))
	}
	b.WriteString("---\n")
	_, err := markdown.Parse([]byte(b.String()))
	var got *markdown.Error
	if !errors.As(err, &got) || got.Problem != "the front matter holds more than 10000 values" {
		t.Errorf("error is %v", err)
	}
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
