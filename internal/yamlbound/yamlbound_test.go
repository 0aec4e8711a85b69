package yamlbound_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/yamlbound"
	"github.com/compound-docs/compound-docs/test/workbound"
)

var limits = yamlbound.Limits{Depth: 8, Tokens: 2_000, Keys: 200, Aliases: 100}

func TestTokens_TakesWhatPeopleWrite(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing":            "",
		"a mapping":          "a: 1\nb: [x, {y: z}]\nc: &d e\nf: *d\n",
		"lists of mappings":  "a:\n- b: 1\n  c:\n  - d\n- b: 2\ne:\n  - f\n",
		"many, side by side": strings.Repeat("- - - a\n  - b\n", 100),
		"a tag and an anchor": "a: &x !!str 1\nb: !!str &y 2\n" +
			strings.Repeat("c: &z d\n", 50),
		"dashes in texts":     "a: |\n  - - - - - - - - - - - - - -\n  [[[[[[[[[[[[[[\nb: \"- - - - - - - - - - -\" # - - - - - - - - -\n",
		"a staircase of text": "a: |\n" + staircase(20, "text\n") + "b: 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tokens, err := yamlbound.Tokens(text, limits)
			if err != nil {
				t.Fatal(err)
			}
			if (len(tokens) == 0) != (text == "") {
				t.Errorf("%d tokens", len(tokens))
			}
		})
	}
}

// staircase is a line a level, each indented one more than the one before.
func staircase(levels int, line string) string {
	var b strings.Builder
	for level := range levels {
		b.WriteString(strings.Repeat(" ", level+1) + line)
	}
	return b.String()
}

func TestTokens_RefusesWhatIsCostlyToParse(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text, problem string
		line          int
	}{
		"dashes":          {strings.Repeat("- ", 9), "nests deeper than 8 levels", 1},
		"question marks":  {strings.Repeat("? ", 9), "nests deeper than 8 levels", 1},
		"brackets":        {"a:\n" + strings.Repeat("[", 9), "nests deeper than 8 levels", 2},
		"braces":          {strings.Repeat("{a: ", 9), "nests deeper than 8 levels", 1},
		"indented keys":   {staircase(9, "a:\n"), "nests deeper than 8 levels", 9},
		"indented dashes": {staircase(9, "-\n"), "nests deeper than 8 levels", 9},
		"both kinds":      {"a:\n  - [[[[[[[", "nests deeper than 8 levels", 2},
		"dashes inside":   {"[" + strings.Repeat("- ", 9), "nests deeper than 8 levels", 1},
		"tokens":          {"[" + strings.Repeat("a,", 1_001), "more than 2000 words and marks", 1},
		"keys":            {strings.Repeat("a:\n", 201), "more than 200 keys", 201},
		"complex keys":    {strings.Repeat("? }\n", 201), "more than 200 keys", 201},
		"aliases":         {strings.Repeat("- *a\n", 101), "more than 100 aliases", 101},
		"anchors":         {"a: &a &b &c &d &e x", "several anchors or tags", 1},
		"empty lines":     {"a: |\n" + strings.Repeat(" \n", 500), "more than 200 empty lines", 202},
		"merge marks":     {"a: 1\nb: " + strings.Repeat("<", 201), "more than 200 characters <", 2},
		"tags":            {"a: !a !b !c !d !e x", "several anchors or tags", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := yamlbound.Tokens(test.text, limits)
			var exceeded *yamlbound.Error
			if !errors.As(err, &exceeded) || !strings.Contains(exceeded.Problem, test.problem) || exceeded.Line != test.line {
				t.Errorf("error is %v, want %q on line %d", err, test.problem, test.line)
			}
		})
	}
}

// What passes may be decoded: whatever 32 KiB consist of, that takes less than 100 MB and
// a few seconds in all.
//
//nolint:paralleltest // it measures the memory of the process
func TestTokens_LeavesNothingCostlyToDecode(t *testing.T) {
	const size, memoryPerByte = 32 << 10, 3_000
	generous := yamlbound.Limits{Depth: 64, Tokens: 25_000, Keys: 2_500, Aliases: 1_000, Values: 25_000, Text: size}
	for _, unit := range []string{
		"- ", "? ", "[", "{", "{a: ", "[- ", "[? ", "- [", "a: ", "a:\n", "a:\n\n", "a: 1\n", "- a\n", "-\n", "-\n\n", "- - - - a\n", "? a\n: b\n",
		"\"a\" ", "\"", "'", "'a'\n", "&a ", "*a ", "!a ", "!!str ", "- !a ", "- &a ", "&a : ", "*a : b\n", "<<: ", "|\n", "- |\n", ">\n a\n", "# a\n",
		"---\n", "...\n", "%", "%a b\n", ":", ": ", ",", "a,", "[a,", "\t", "-\t", "\n", "\r", "a\r", " - a\n", "a: b\n  c\n", "!a -\n", "a: &b\n", "[] ", "{}: ",
		"\"\\0\"", "@", "`", "a: [\n", "- a: ", "? - ", "a: - ", "a: ? ", "\\", "\xc3\xa4", "~: ", "0x", "1: ", "<", "'' ", "%%", "? }\r",
	} {
		for _, prefix := range []string{"", "[", "a: ", "a: |\n  "} {
			text := prefix + strings.Repeat(unit, (size-len(prefix))/len(unit))
			workbound.Check(t, len(text), memoryPerByte, func() {
				if tokens, err := yamlbound.Tokens(text, generous); err == nil {
					_, _ = yamlbound.Decode(tokens, generous) // what it thinks of it is not asked
				}
			})
			if t.Failed() {
				t.Fatalf("%q and %q again and again", prefix, unit)
			}
		}
	}
}
