package index

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/test/workbound"
)

// memoryPerByte is how many bytes of memory a document may take for each of its bytes, beside the
// memory of package markdown.
const memoryPerByte = 5000

// FuzzLinks finds the links of a text and resolves them. No target leads out of the
// repository, whatever the file and the link are called.
func FuzzLinks(f *testing.F) {
	for _, seed := range []string{
		"[a](b.md)", "[a](<b c.md#d> \"t\")", "[a][r]\n\n[r]: x%20y.md?z\n", "![[a](b)](c)", "[a](b%00%ff&#0;\\(.md)", "[a](//b) [c](d:e)", "[![a](b)](c)",
		"[a](../../../../x.md) [b](%2e%2e/%2e%2e/x.md) [c](/../x.md) [d](/..) [e](docs/../..)", "[a](..\\..\\x.md) [b](.) [c](./)", "[a](c#.md#b)",
		"[[a]] [[problems/a]] [[a/../../x|y]] [[b#c#d]] [[/]] [[..]] [[../x]]",
	} {
		f.Add("docs/problems/a.md", []byte(seed), uint16(0))
	}
	f.Add("a.md", []byte("[a]("), uint16(5000))
	f.Add("docs/a b/c.md", []byte("[a](../x%d.md)\n"), uint16(5000))
	f.Fuzz(func(t *testing.T, source string, text []byte, times uint16) {
		if !fs.ValidPath(source) {
			return
		}
		text = []byte(strings.Repeat(string(text), 1+min(int(times), 32<<10/max(len(text), 1))))
		doc, err := markdown.ParseAny(text)
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, link := range doc.Links {
			if seen[link] || link == "" || !utf8.ValidString(link) || strings.ContainsAny(link, "\x00\r\n") {
				t.Errorf("%q is no path, or there twice", link)
			}
			seen[link] = true
		}
		var links []Link
		workbound.Check(t, len(source)+len(text), memoryPerByte, func() {
			inText := resolveLinks(source, project.Rules{Docs: "docs", LinkRoot: "../docs"}, doc.Links)
			links = dedupe(append(inText, resolveRelated(source, "docs", doc.Links, "")...))
		})
		if len(links) > maxLinks {
			t.Errorf("%d links", len(links))
		}
		for _, l := range links {
			for _, target := range []string{l.Target, l.Fallback} {
				if target != "" && (!fs.ValidPath(target) || target == source || target == ".") || l.Target == "" {
					t.Errorf("%q of %q leads to %q", doc.Links, source, target)
				}
			}
		}
	})
}

// FuzzHandbook prepares each file as a page of the handbook and as an external document. Any file
// becomes passages that fit the model's window, each in a section.
func FuzzHandbook(f *testing.F) {
	for path, seed := range map[string]string{
		"handbook/people/leave.md":  "---\nsection: People\n---\n# Leave\n\nTake some.\n\n## Sick leave\n\nStay at home.\n",
		"handbook/security.md":      "# Passwords\r\n\r\nChange them.\r\n",
		"handbook/a/b/c.md":         "---\nsection: ' '\nsummary: Only this.\n---\n",
		"handbook/template.md":      "---\ntitle: {{ page }}\n---\n\n# Title\n",
		"handbook/empty.md":         "",
		"handbook/latin.md":         "Caf\xe9\n===\n\nGr\xfc\xdfe",
		"handbook/long_summary.md":  "---\nsummary: " + strings.Repeat("every word of it ", 300) + "\n---\n",
		"handbook/long_title.md":    "# " + strings.Repeat("title ", 300) + "\n\ntext\n",
		"handbook/answer.md":        "--- Result 2 ---\nRelevance Score: 1.000\n\nContent:\n",
		"handbook/数据/数据.markdown":   "---\n数据: 数据\ntags: [a, b]\n---\n数据\n",
		"handbook/windows\\path.md": "\ufeff---\r\nsection: 5\r\n---\r\nText",
	} {
		f.Add(path, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, path string, content []byte) {
		if !fs.ValidPath(path) || !utf8.ValidString(path) || strings.ContainsRune(path, 0) || filepath.Base(path)[0] == '.' {
			return // no walk finds it
		}
		for _, collection := range []catalog.Collection{catalog.Handbook, catalog.External} {
			file := document.File{Path: path, Content: content}
			var (
				doc Dissection
				err error
			)
			workbound.Check(t, len(content), memoryPerByte, func() { doc, err = Dissect(file, collection, nil) })
			if err != nil {
				if !strings.Contains(string(content), "\x00") {
					t.Errorf("%q is refused: %v", content, err)
				}
				continue
			}
			checkDissected(t, doc)
			if collection == catalog.Handbook && doc.DocType == "" {
				t.Errorf("%q has no section", path)
			}
			again, err := Dissect(file, collection, nil)
			if err != nil || cmp.Diff(fmt.Sprint(doc.Passages), fmt.Sprint(again.Passages)) != "" {
				t.Errorf("%q has other passages the second time: %v", content, err)
			}
		}
	})
}

// checkDissected fails unless a document has passages that the database and the model take.
func checkDissected(t *testing.T, doc Dissection) {
	t.Helper()
	if len(doc.Passages) == 0 {
		t.Error("no passages")
	}
	for _, p := range doc.Passages {
		embedded := p.Heading + "\n\n" + p.Text
		if tokens, window := markdown.EstimateTokens(embedded), markdown.DefaultLimit().MaxTokens; tokens > window {
			t.Errorf("%d tokens of %d: %.300q", tokens, window, embedded)
		}
		if !utf8.ValidString(embedded) || strings.ContainsRune(embedded, 0) {
			t.Errorf("%q is no text", embedded)
		}
		if p.StartLine < 1 || p.EndLine < p.StartLine {
			t.Errorf("a passage of lines %d to %d", p.StartLine, p.EndLine)
		}
	}
}
