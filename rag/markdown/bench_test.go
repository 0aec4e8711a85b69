package markdown_test

import (
	"os"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/rag/markdown"
)

const megabyte = 1 << 20

// BenchmarkParse and BenchmarkPassages report MB/s: the rate must not fall from
// the small to the large document.
func BenchmarkParse(b *testing.B) {
	benchmark(b, func(b *testing.B, src []byte) {
		b.Helper()
		for b.Loop() {
			if _, err := markdown.Parse(src); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkPassages(b *testing.B) {
	benchmark(b, func(b *testing.B, src []byte) {
		b.Helper()
		doc, err := markdown.Parse(src)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if len(doc.Passages(doc.Title, markdown.DefaultLimit())) == 0 {
				b.Fatal("no passages")
			}
		}
	})
}

func benchmark(b *testing.B, run func(b *testing.B, src []byte)) {
	b.Helper()
	prose, err := os.ReadFile("testdata/window.md")
	if err != nil {
		b.Fatal(err)
	}
	for _, input := range []struct {
		name, unit string
		size       int
	}{
		{"prose 50 KB", string(prose), megabyte / 20},
		{"prose 5 MB", string(prose), 5 * megabyte},
		{"one word 5 MB", "aGVsbG8gd29ybGQx", 5 * megabyte},
		{"headings 5 MB", "# a\n## b\n### c\n", 5 * megabyte},
		{"quotes in quotes 5 MB", strings.Repeat(">", 1000) + " a\n", 5 * megabyte},
		{"brackets 5 MB", "[a](\n", 5 * megabyte},
		{"definitions 5 MB", "[a]: b.md\n", 5 * megabyte},
		{"wide table 1 MB", strings.Repeat("|a", 1000) + "|\n" + strings.Repeat("|-", 1000) + "|\n" + strings.Repeat("|\n", 1000), megabyte},
	} {
		src := []byte(strings.Repeat(input.unit, input.size/len(input.unit)+1))
		b.Run(input.name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			run(b, src)
		})
	}
}
