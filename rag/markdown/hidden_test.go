package markdown_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/said"
)

// hiddenCases have lines of text, and what a reader sees of each.
var hiddenCases = map[string][]struct{ text, want string }{
	// The cases by which the patterns were made.
	"first": {
		{"a\n\n<!--\n## Draft: blame the gateway\n\nTODO quokkafinch\n-->\n\nb", "a\n\n\n\n\n\n\n\nb"},
		{"a\n<script>\n# fake heading\nconst zephyr = 1;\n</script>\nb", "a\n\n\n\n\nb"},
		{"a\n\n%% private: bilbaokettle salary talk %%\n\nb", "a\n\n\n\nb"},
		{"a <!-- b --> c <!-- d -->e", "a  c e"},
		{"a %%b%% c", "a c"},
		{"%%\nb\n\nc\n%%\nd", "\n\n\n\n\nd"},
		{"<style>p { color: red }</style>\na", "\na"},
		{"```html\n<!-- a -->\n<script>\n%% b %%\n</script>\n```", "```html\n<!-- a -->\n<script>\n%% b %%\n</script>\n```"},
		{"Use `<!-- a -->` and `%%b%%`.", "Use `<!-- a -->` and `%%b%%`."},
		{"a <!-- b\n\nc --> d", "a <!-- b\n\nc --> d"},
		{"<!-- b\n\nc", "<!-- b\n\nc"},
		{"print %%d and %%s", "print %%d and %%s"},
		{"%%time\nx\n%%timeit\ny", "%%time\nx\n%%timeit\ny"},
		{"a <!-- b\nc --> d", "a \n d"},
	},
	// Written apart, and not looked at while the patterns were made.
	"held out": {
		{"# T\n<!-- markdownlint-disable MD013 -->\nText.", "# T\n\nText."},
		{"- item <!-- id: 4 -->\n  <!-- more\n  of it -->\n- next", "- item \n\n\n- next"},
		{"> quote <!-- aside -->\n> text", "> quote \n> text"},
		{"| a | b |\n|---|---|\n| 1 <!-- one --> | 2 |", "| a | b |\n|---|---|\n| 1  | 2 |"},
		{"<SCRIPT type=\"module\">\nimport x from 'y'\n</SCRIPT>\n\nText", "\n\n\n\nText"},
		{"<style scoped>\n.a { b: c }\n</style>\nText", "\n\n\nText"},
		{"<script src=\"a.js\"></script>\nText", "\nText"},
		{"Rate: 5 %%ask Bob%% per day.", "Rate: 5 per day."},
		{"%% TODO\nrewrite this %%\nText", "\n\nText"},
		{"Escape 100%% in printf, and 50%% too.", "Escape 100%% in printf, and 50%% too."},
		{"%% Section one\nx = 1\n%% Section two\ny = 2", "%% Section one\nx = 1\n%% Section two\ny = 2"},
		{"~~~xml\n<a><!-- kept --></a>\n~~~\n<!-- gone -->", "~~~xml\n<a><!-- kept --></a>\n~~~\n"},
		{"The arrow --> and the tag `<!--` stay.", "The arrow --> and the tag `<!--` stay."},
		{"Write a <script> tag, then </script>.", "Write a <script> tag, then </script>."},
		{"<!-- a --><!-- b -->c<!-- d\n\ne -->f", "c<!-- d\n\ne -->f"},
		{"a\n<!-- never closed <b>\nText <i>", "a\n<!-- never closed <b>\nText <i>"},
		{"<!-- start\n```\ncode in it\n```\n-->\nText", "\n\n\n\n\nText"},
	},
}

// What no reader sees is no text, and each line keeps its place.
func TestParse_LeavesOutWhatNoReaderSees(t *testing.T) {
	t.Parallel()
	for set, cases := range hiddenCases {
		right := 0
		for _, test := range cases {
			src := "---\ntitle: x\n---\n" + test.text + "\n"
			want := strings.Split(test.want, "\n")
			if diff := cmp.Diff(want, markdown.Lines([]byte(src))[3:]); diff != "" {
				t.Errorf("%s: %q (-want +got):\n%s", set, test.text, diff)
				continue
			}
			right++
			for _, p := range parse(t, src).Passages("x", markdown.DefaultLimit()) {
				if text := strings.Join(want[p.StartLine-4:p.EndLine-3], "\n"); text != p.Text {
					t.Errorf("lines %d to %d are %q, the passage is %q", p.StartLine, p.EndLine, text, p.Text)
				}
			}
		}
		t.Logf("%s: %d of %d right", set, right, len(cases))
	}
}

// A comment gives no title, summary, link, status or date.
func TestParse_TakesNothingFromComments(t *testing.T) {
	t.Parallel()
	doc := parse(t, "<!--\n# Old title\n\nOld summary.\n\nDate: 2020-01-01\nStatus: rejected\n\nSee [a](a.md) and `src/a.go:1`.\n-->\n# Title\n\nText.\n")
	got := []any{doc.Title, doc.Summary, doc.Links, said.StatusOf(doc, "a.md").Word, doc.Date, len(said.Places(doc))}
	if diff := cmp.Diff([]any{"Title", "Text.", []string{}, "", "", 0}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
