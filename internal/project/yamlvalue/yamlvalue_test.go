package yamlvalue_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project/yamlvalue"
	"github.com/compound-docs/compound-docs/test/workbound"
)

var limits = yamlvalue.Limits{Depth: 8, Values: 500, Text: 4 << 10, TextKeys: []string{"name"}}

func TestDecode_TakesWhatPeopleWrite(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		want any
	}{
		"nothing":             {"", nil},
		"a comment":           {"# a\n", nil},
		"a mapping":           {"a: 1\nb: [x, {y: z}]\nc: &d e\nf: *d\n", map[string]any{"a": 1, "b": []any{"x", map[string]any{"y": "z"}}, "c": "e", "f": "e"}},
		"lists of mappings":   {"a:\n- b: 1\n  c:\n  - d\n- b: 2\n", map[string]any{"a": []any{map[string]any{"b": 1, "c": []any{"d"}}, map[string]any{"b": 2}}}},
		"tags and anchors":    {"a: &x !!str 1\nb: !!str &y 2\nc: !!int 3", map[string]any{"a": "1", "b": "2", "c": 3}},
		"dates and numbers":   {"[2025-01-15, 0x1F, 1.5, 18446744073709551615, 010.5.1]", []any{"2025-01-15", 31, 1.5, uint64(18446744073709551615), "010.5.1"}},
		"text keys":           {"name: 1.10\nx: {name: 1.10}\n", map[string]any{"name": "1.10", "x": map[string]any{"name": 1.1}}},
		"dashes in texts":     {"a: |\n  - - - - - - - - - - - - - -\n  [[[[[[[[[[[[[[\nb: \"- - - - -\" # - - - - -\n", map[string]any{"a": "- - - - - - - - - - - - - -\n[[[[[[[[[[[[[[\n", "b": "- - - - -"}},
		"a staircase of text": {"a: |\n" + staircase(3, "t\n"), map[string]any{"a": "t\n" + staircase(2, "t\n")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := yamlvalue.Decode(test.text, limits)
			if diff := cmp.Diff(test.want, got.Value); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// staircase writes one line for each level, each indented one column further.
func staircase(levels int, line string) string {
	var b strings.Builder
	for level := range levels {
		b.WriteString(strings.Repeat(" ", level+1) + line)
	}
	return b.String()
}

func TestDecode_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		want yamlvalue.Error
	}{
		"dashes":           {strings.Repeat("- ", 9), yamlvalue.Error{Line: 1, Column: 17, Problem: "nests deeper than 8 levels"}},
		"question marks":   {strings.Repeat("? ", 9), yamlvalue.Error{Line: 1, Column: 3, Problem: "holds a key that is not a plain text"}},
		"brackets":         {"a: " + strings.Repeat("[", 9) + strings.Repeat("]", 9), yamlvalue.Error{Line: 1, Column: 11, Problem: "nests deeper than 8 levels"}},
		"indented keys":    {staircase(9, "a:\n"), yamlvalue.Error{Line: 9, Column: 10, Problem: "nests deeper than 8 levels"}},
		"both kinds":       {"a:\n  - [[[[[[[]]]]]]]", yamlvalue.Error{Line: 2, Column: 11, Problem: "nests deeper than 8 levels"}},
		"in its own value": {"a: &x [*x]", yamlvalue.Error{Line: 1, Column: 8, Problem: "nests deeper than 8 levels"}},
		"values":           {"[" + strings.Repeat("a,", 501) + "]", yamlvalue.Error{Line: 1, Column: 1000, Problem: "holds more than 500 values"}},
		"aliases":          {"a: &x [" + strings.Repeat("b,", 50) + "]\nb: [" + strings.Repeat("*x,", 50) + "]", yamlvalue.Error{Line: 1, Column: 66, Problem: "holds more than 500 values"}},
		"text of aliases":  {"a: &x " + strings.Repeat("b", 2_000) + "\nb: [*x, *x]", yamlvalue.Error{Line: 1, Column: 4, Problem: "holds more than 4 KiB with its aliases written out"}},
		"unknown alias":    {"a: 1\nb: *x", yamlvalue.Error{Line: 2, Column: 4, Problem: "is not valid YAML: unknown anchor 'x' referenced; put the text in quotes: b: '*x'", Mended: "b: '*x'"}},
		"two documents":    {"a: 1\n---\nb: 2", yamlvalue.Error{Line: 2, Column: 1, Problem: "holds a second YAML document"}},
		"bad second":       {"a: 1\n---\n]", yamlvalue.Error{Line: 3, Column: 1, Problem: "is not valid YAML: did not find expected node content"}},
		"colons":           {"a: 1\nb: c: d", yamlvalue.Error{Line: 2, Column: 5, Problem: "is not valid YAML: mapping values are not allowed in this context; put the text in quotes: b: 'c: d'", Mended: "b: 'c: d'"}},
		"indentation": {"a:\n  - b: 1\n   c: 2\n", yamlvalue.Error{
			Line: 3, Column: 4, Problem: "is not valid YAML: did not find expected '-' indicator",
		}},
		"open quote": {"a: 'b\n\n", yamlvalue.Error{
			Line: 1, Column: 4, Problem: "is not valid YAML: found unexpected end of stream; put the text in quotes: a: 'b'", Mended: "a: 'b'",
		}},
		"open bracket": {"a: [1,\nb: [2\n", yamlvalue.Error{
			Line: 2, Column: 4, Problem: "is not valid YAML: did not find expected ',' or ']'",
		}},
		"control characters": {"a: 1\nb: ä\x07", yamlvalue.Error{Line: 2, Column: 5, Problem: "is not valid YAML: control characters are not allowed (value: 7)"}},
		"number by its tag":  {"a: !!int x", yamlvalue.Error{Line: 1, Column: 4, Key: "a", Problem: `is "x", which is not of the type !!int`}},
		"tag of a list":      {"a: !x [1]", yamlvalue.Error{Line: 1, Column: 4, Key: "a", Problem: "has the tag !x, which has no JSON equivalent"}},
		"list as a key":      {"a:\n  ? [b]\n  : c", yamlvalue.Error{Line: 2, Column: 5, Key: "a", Problem: "holds a key that is not a plain text"}},
		"a key twice":        {"a: {b: 1,\n b: 2}", yamlvalue.Error{Line: 2, Column: 2, Key: "a.b", Problem: "is given twice"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := yamlvalue.Decode(test.text, limits)
			var got *yamlvalue.Error
			if !errors.As(err, &got) {
				t.Fatalf("error is %v", err)
			}
			if diff := cmp.Diff(test.want, *got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A text takes memory in proportion to its length, whatever it contains.
//
//nolint:paralleltest // it measures the memory of the process
func TestDecode_TakesBoundedMemory(t *testing.T) {
	const size, memoryPerByte = 32 << 10, 3_000
	generous := yamlvalue.Limits{Depth: 64, Values: 25_000, Text: size}
	for _, unit := range []string{
		"- ", "? ", "[", "{", "{a: ", "[- ", "[? ", "- [", "a: ", "a:\n", "a:\n\n", "a: 1\n", "- a\n", "-\n", "-\n\n", "- - - - a\n", "? a\n: b\n",
		"\"a\" ", "\"", "'", "'a'\n", "&a ", "*a ", "!a ", "!!str ", "- !a ", "- &a ", "&a : ", "*a : b\n", "<<: ", "|\n", "- |\n", ">\n a\n", "# a\n",
		"---\n", "...\n", "%", "%a b\n", ":", ": ", ",", "a,", "[a,", "\t", "-\t", "\n", "\r", "a\r", " - a\n", "a: b\n  c\n", "!a -\n", "a: &b\n", "[] ", "{}: ",
		"\"\\0\"", "@", "`", "a: [\n", "- a: ", "? - ", "a: - ", "a: ? ", "\\", "\xc3\xa4", "~: ", "0x", "1: ", "<", "'' ", "%%", "? }\r",
	} {
		for _, prefix := range []string{"", "[", "{", "a: ", "a: |\n  ", "a: &a [b]\nc: ["} {
			text := prefix + strings.Repeat(unit, (size-len(prefix))/len(unit))
			workbound.Check(t, len(text), memoryPerByte, func() {
				_, _ = yamlvalue.Decode(text, generous) // any answer will do
			})
			if t.Failed() {
				t.Fatalf("%q and %q again and again", prefix, unit)
			}
		}
	}
}
