package markdown_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/test/workbound"
)

// Front matter in TOML is read like YAML, and never text.
func TestParse_FormsOfFrontMatter(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		src  string
		want map[string]any
	}{
		"TOML": {
			"+++\ntitle = \"Partner API answers 429 in bursts\"\ndate = 2024-08-19\ndraft = false\ntags = [\"partners\", \"rate-limit\"]\n" +
				"[extra]\nowner = \"integrations\"\n+++\n\nSpread the calls.\n",
			map[string]any{
				"title": "Partner API answers 429 in bursts", "date": "2024-08-19", "draft": false, "tags": []any{"partners", "rate-limit"},
				"extra": map[string]any{"owner": "integrations"},
			},
		},
		"TOML with a time": {
			"+++\ntitle = 'Queues'\ndate = 2024-08-19T07:32:00Z\nweight = 12\nstatus = 'accepted'\n+++\nText.\n",
			map[string]any{"title": "Queues", "date": "2024-08-19", "weight": 12, "status": "accepted"},
		},
		"TOML with a text of lines": {
			"+++\r\n# a comment\r\ntitle = \"A: b\"\r\nsummary = \"\"\"\r\nfirst\r\nsecond\"\"\"\r\n+++\r\nText.\r\n",
			map[string]any{"title": "A: b", "summary": "first\nsecond"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := parse(t, test.src)
			if diff := cmp.Diff(test.want, doc.FrontMatter); diff != "" {
				t.Errorf("front matter (-want +got):\n%s", diff)
			}
			passages := doc.Passages("", markdown.DefaultLimit())
			first := strings.Split(test.src, "\n")[passages[0].StartLine-1]
			if want, _ := test.want["title"].(string); doc.Title != want || passages[0].Text != strings.TrimRight(first, "\r") {
				t.Errorf("title %q, passages %v", doc.Title, passages)
			}
		})
	}
}

// A text that begins like front matter is none.
func TestParse_TextThatBeginsLikeFrontMatter(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"{{ page.title }}\n\nText.\n", "{: .class}\nText.\n", "{short title, representative of the problem}\n", "{\"a\": 1}\n\nText.\n", "title:: Queues\n\nText.\n",
		"+++\n\nText.\n\n+++\n", "std::string is a type.\n", "{\n  a block\n}\n", "\n---\n\nText.\n\n---\n",
	} {
		if doc := parse(t, src); doc.FrontMatter != nil || doc.FrontMatterLines != 0 || len(doc.Notes) > 0 {
			t.Errorf("%q: %v, %v", src, doc.FrontMatter, doc.Notes)
		}
	}
}

func TestParse_BadForms(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]markdown.Error{
		"+++\na = 1\nb = x\n+++\n": {Line: 3, Problem: "the front matter is not valid TOML: "},
		"+++\na = 1\n\nText.\n":    {Line: 1, Problem: "the front matter that begins here is never closed; end it with a line +++"},
		"+++\na = inf\n+++\n":      {Line: 2, Problem: "the front matter has a value that JSON cannot have: "},
	} {
		_, err := markdown.Parse([]byte(src))
		got, ok := err.(*markdown.Error) //nolint:errorlint // that is promised
		if !ok || got.Line != want.Line || !strings.HasPrefix(got.Problem, want.Problem) {
			t.Errorf("%q: %v, want %v", src, err, want)
		}
	}
}

// Where YAML fails at the value of a line alone, the value is text, the other fields stay, and a note says which line.
func TestParse_TakesAValueForText(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]any{
		"field: Nightly import: worker gives up after 30 s": "Nightly import: worker gives up after 30 s",
		"field: ADR-0001: use: queues":                      "ADR-0001: use: queues",
		"field: Re: it's late":                              "Re: it's late",
		"field: 100%: full":                                 "100%: full",
		"field: [Runbook] failover":                         "[Runbook] failover",
		"field: [Runbook]: failover":                        "[Runbook]: failover",
		"field: {draft} failover":                           "{draft} failover",
		"field: [a] [b]":                                    "[a] [b]",
		"field: @alice":                                     "@alice",
		"field: @scope/pkg: broken":                         "@scope/pkg: broken",
		"field: [@alice, @bob]":                             []any{"@alice", "@bob"},
		"field:\n- @alice":                                  []any{"@alice"},
		"field: *bold* move":                                "*bold* move",
		"field: **bold** move":                              "**bold** move",
		"field: *":                                          "*",
		"field: `make` fails":                               "`make` fails",
		"field: \"make\" fails":                             "\"make\" fails",
		"field: %s is lost":                                 "%s is lost",
	} {
		doc := parse(t, "---\ndate: 2025-04-02\n"+line+"\ntags: [import, timeout]\n---\nText.\n")
		wanted := map[string]any{"date": "2025-04-02", "field": want, "tags": []any{"import", "timeout"}}
		if diff := cmp.Diff(wanted, doc.FrontMatter); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
		number := 3 + strings.Count(line, "\n")
		if len(doc.Notes) != 1 || doc.Notes[0].Line != number || !strings.Contains(doc.Notes[0].Problem, "put the text in quotes: ") {
			t.Errorf("%s: notes %v", line, doc.Notes)
		}
	}
	several := parse(t, "---\ntitle: A: b\nowner: @c\nnote: [d] e\nx: 1\n---\n")
	if len(several.Notes) != 3 || fmt.Sprint(several.FrontMatter) != "map[note:[d] e owner:@c title:A: b x:1]" {
		t.Errorf("%v %v", several.FrontMatter, several.Notes)
	}
}

// Blank lines and comments may stand before front matter. A second block is text.
func TestParse_WhatStandsBeforeAndBehindFrontMatter(t *testing.T) {
	t.Parallel()
	const front, text = "---\ntitle: Queues\n---\n", "Text.\n"
	for name, test := range map[string]struct {
		src  string
		note int
	}{
		"a blank line":               {"\n" + front + text, 0},
		"blank lines":                {"\n \n\t\n" + front + text, 0},
		"a comment":                  {"<!-- Copyright -->\n" + front + text, 0},
		"a comment of lines":         {"\ufeff<!--\nSPDX: MIT\n\n-->\n\n" + front + text, 0},
		"a comment before TOML":      {"<!-- a -->\n\n+++\ntitle = 'Queues'\n+++\n" + text, 0},
		"a second block":             {front + "---\ntitle: Other\ndate: 2020-01-01\n---\n" + text, 4},
		"a second behind blanks":     {front + "\n\n---\ntags: [a]\n---\n" + text, 6},
		"a second one in TOML":       {front + "\n+++\ntitle = 'Other'\n+++\n" + text, 5},
		"a second behind a comment":  {"<!-- a -->\n" + front + "---\nauthor: b\n---\n" + text, 5},
		"a rule":                     {front + "\n---\n\n" + text, 0},
		"a rule before another rule": {front + "---\n" + text + "\n---\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := parse(t, test.src)
			lines := []int{0}
			for _, note := range doc.Notes {
				lines = append(lines, note.Line)
			}
			if doc.Title != "Queues" || lines[len(lines)-1] != test.note || len(lines) > 2 {
				t.Errorf("title %q, notes %v", doc.Title, doc.Notes)
			}
			passages := doc.Passages("", markdown.DefaultLimit())
			if last := passages[len(passages)-1]; !strings.Contains(last.Text, "Text.") || strings.Contains(passages[0].Text, "Queues") {
				t.Errorf("passages %v", passages)
			}
		})
	}
}

// Blank lines, comments and values that are read as text stay when a field is set. TOML is refused.
func TestSetField_InItsForm(t *testing.T) {
	t.Parallel()
	_, err := markdown.SetField([]byte("+++\ntitle = 'a'\n+++\n"), "status", "draft")
	if err == nil || !strings.Contains(err.Error(), `not YAML; set status to "draft" there by hand`) {
		t.Errorf("TOML: %v", err)
	}
	for src, want := range map[string]string{
		"\n<!-- c -->\n---\ntitle: a\n---\nt\n": "\n<!-- c -->\n---\ntitle: a\nstatus: draft\n---\nt\n",
		"---\ntitle: A: b\nstatus: x\n---\nt\n": "---\ntitle: A: b\nstatus: draft\n---\nt\n",
		"\r\n---\r\ntitle: a\r\n---\r\n":        "\r\n---\r\ntitle: a\r\nstatus: draft\r\n---\r\n",
	} {
		got, err := markdown.SetField([]byte(src), "status", "draft")
		if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
			t.Errorf("%q: %v (-want +got):\n%s", src, err, diff)
		}
	}
}

// Hostile front matter, comments and secrets take time and memory in proportion to their size.
//
//nolint:paralleltest // it measures the memory of the process
func TestParse_BoundsTheWorkOfForms(t *testing.T) {
	for _, test := range []struct{ begin, unit, end string }{
		{"+++\na = ", "[", "\n+++\n"},
		{"+++\na = ", "{a=", "\n+++\n"},
		{"+++\n", "[a.a]\n", "+++\n"},
		{"+++\na", ".a", "=1\n+++\n"},
		{"", "<!-- a -->\n", ""},
		{"---\n", "a: b: c\n", "---\n"},
		{"x\n", "<!--\n`a`\n", "-->"},
		{"x\n", "<!-- ", "-->"},
		{"x\n", "%% a ", "%%"},
		{"x\n", "<script>\n", "</script>"},
		{"x\n", "-----BEGIN " + "PRIVATE KEY-----\n", ""},
		{"x\n", "://a:b@", ""},
		{"x\n", "secret 'AKIA ", ""},
		{"x [a]", "({{< ref b", "[{% link"},
	} {
		const size = 60 << 10
		src := []byte(test.begin + strings.Repeat(test.unit, size/len(test.unit)) + test.end)
		workbound.Check(t, len(src), memoryPerByte, func() {
			_, _ = markdown.Parse(src) // any answer will do
			markdown.Secrets(src)
		})
		if t.Failed() {
			t.Fatalf("%q again and again", test.unit)
		}
	}
}
