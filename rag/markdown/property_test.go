package markdown_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/test/workbound"
)

var limits = []markdown.Limit{
	markdown.DefaultLimit(),
	{MaxTokens: 192, SplitLines: 1},
	{MaxTokens: 250, SplitLines: 10},
}

// checkPassages holds every document to the promises of Passages and Halve.
func checkPassages(t *testing.T, src []byte) {
	t.Helper()
	doc, err := markdown.Parse(src)
	if err != nil {
		return
	}
	lines := markdown.Lines(src)
	for _, limit := range limits {
		passages := doc.Passages(doc.Title, limit)
		covered := make([]bool, len(lines))
		for _, p := range passages {
			checkPassage(t, p, lines, doc.Title, limit.MaxTokens)
			for line := p.StartLine; line <= p.EndLine; line++ {
				covered[line-1] = true
			}
			checkHalves(t, p.Text)
		}
		for i := doc.FrontMatterLines; i < len(lines); i++ {
			if strings.TrimSpace(lines[i]) != "" && !covered[i] {
				t.Fatalf("line %d %q is in no passage with %+v", i+1, lines[i], limit)
			}
		}
	}
}

func checkPassage(t *testing.T, p markdown.Passage, lines []string, title string, window int) {
	t.Helper()
	embedded := markdown.Heading(title, p.HeaderPath) + "\n\n" + p.Text
	if got := markdown.EstimateTokens(embedded); got > window {
		t.Fatalf("%d tokens of %d: %q", got, window, embedded)
	}
	if strings.TrimSpace(p.Text) == "" {
		t.Fatalf("text %q", p.Text)
	}
	if p.StartLine < 1 || p.StartLine > p.EndLine || p.EndLine > len(lines) {
		t.Fatalf("lines %d to %d of %d", p.StartLine, p.EndLine, len(lines))
	}
	if rows := withoutTableHeader(p, lines); rows != "" {
		p.Text = rows
	}
	if whole := strings.Join(lines[p.StartLine-1:p.EndLine], "\n"); !strings.HasSuffix(whole, p.Text) &&
		!strings.Contains(lines[p.EndLine-1], p.Text) {
		t.Fatalf("lines %d to %d are %q, the text is %q", p.StartLine, p.EndLine, whole, p.Text)
	}
}

// withoutTableHeader returns the text of a passage without the header of a table that is above its lines, "" if
// it begins with none.
func withoutTableHeader(p markdown.Passage, lines []string) string {
	parts := strings.SplitN(p.Text, "\n", 3)
	if len(parts) < 3 || !strings.Contains(parts[0], "|") || strings.Trim(parts[1], "|-: ") != "" {
		return ""
	}
	if above := strings.Join(lines[:p.StartLine-1], "\n"); !strings.Contains(above, parts[0]+"\n"+parts[1]) {
		return ""
	}
	return parts[2]
}

func checkHalves(t *testing.T, text string) {
	t.Helper()
	first, second, ok := markdown.Halve(text)
	if !ok {
		if letters := []rune(strings.TrimSpace(text)); len(letters) > 1 {
			t.Fatalf("cannot halve %q", text)
		}
		return
	}
	if strings.Join(strings.Fields(first+second), "") != strings.Join(strings.Fields(text), "") {
		t.Fatalf("halves of %q are %q and %q", text, first, second)
	}
}

// blocks are what generated documents are made of; %s is a run of words.
var blocks = []string{
	"# %s\n\n", "## %s\n", "### %s\n\n", "#### %s\n", "%s\n===\n", "%s\n%s\n---\n",
	"%s\n\n", "%s:\n\n", "%s\n%s\n%s\n\n", "- %s\n- %s\n  - %s\n\n  %s\n- %s\n", "1. %s\n\n   %s\n2. %s\n\n",
	"> %s\n> ## %s\n>\n> - %s\n\n", "```go\n%s\n\n## %s\n```\n", "~~~\n%s\n~~~\n\n", "```\n%s\n", "    %s\n    %s\n\n",
	"| a | %s |\n|---|---|\n| %s | b |\n| c | %s |\n\n", "<!-- %s\n## %s\n-->\n", "<div>\n%s\n</div>\n\n",
	"[%s](x.md) ![%s](y.png)\n\n", "[r]: z.md\n", "---\n", "\n\n\n", "***\n\n", "\t- %s\r\n", "\ufeff", "+ \n", "%s",
}

var words = []string{
	"the", "pool", "connections", "transaction", "x", "don't", "getUserByEmailAddress", "max_linked_docs", "0x1f3a9c", "2025-01-15",
	"数据库连接池耗尽时", "データベース", "데이터베이스", "Ünïcödé", "👩‍👩‍👧‍👦🎉", "e\u0301", "`code`", "**bold**", "[a](b.md)", "<!--", "-->", "```", "|", ":", "\u00a0",
	"done.", "what?", "https://example.org/a/b?c=d", "\\*", "&amp;", "&#0;",
}

func generate(r *rand.Rand) string {
	var b strings.Builder
	if r.IntN(3) == 0 {
		b.WriteString("---\ntitle: a b\ntags: [x]\n---\n")
	}
	for range r.IntN(60) {
		block := blocks[r.IntN(len(blocks))]
		args := make([]any, strings.Count(block, "%s"))
		for i := range args {
			args[i] = sentence(r)
		}
		fmt.Fprintf(&b, block, args...)
	}
	return b.String()
}

func sentence(r *rand.Rand) string {
	n := 1 + r.IntN(8)
	switch r.IntN(60) {
	case 0:
		return strings.Repeat(words[r.IntN(len(words))], 1500)
	case 1, 2, 3:
		n = 200
	case 4:
		return ""
	}
	list := make([]string, n)
	for i := range list {
		list[i] = words[r.IntN(len(words))]
	}
	return strings.Join(list, " ")
}

func TestPassages_HoldEveryLineAndFit(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		src := generate(rand.New(rand.NewPCG(seed, 1)))
		checkPassages(t, []byte(src))
		checkPassages(t, []byte(strings.ReplaceAll(src, "\n", "\r\n")))
	}
}

// memoryPerByte is how many bytes of memory a file may take for each of its bytes: three times the
// need of brackets that never close, the worst known case.
const memoryPerByte = 3000

func FuzzPassages(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.md")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src, uint16(0))
	}
	for _, src := range []string{"- a\n", "[a](", "| a |\n", "> - ", "`a``", "## a\n\n", "[r]: x\n\n[r]\n\n", "<!--", "*_", "\u0301", "\u200d", "a "} {
		f.Add([]byte(src), uint16(5000))
	}
	for seed := range uint64(20) {
		f.Add([]byte(generate(rand.New(rand.NewPCG(seed, 2)))), uint16(0))
	}
	f.Fuzz(func(t *testing.T, src []byte, times uint16) {
		src = repeated(src, times)
		workbound.Check(t, len(src), memoryPerByte, func() {
			if doc, err := markdown.ParseAny(src); err == nil {
				doc.Passages(doc.Title, markdown.DefaultLimit())
			}
		})
		checkPassages(t, src)
	})
}

// repeated returns src many times over, up to 32 KiB, so that a short file shows the cost of a long
// one.
func repeated(src []byte, times uint16) []byte {
	const most = 32 << 10
	return bytes.Repeat(src, 1+min(int(times), most/max(len(src), 1)))
}
