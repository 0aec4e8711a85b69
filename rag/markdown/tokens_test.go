package markdown_test

import (
	"testing"

	"github.com/compound-docs/compound-docs/rag/markdown"
)

func TestEstimateTokens(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		real       int // the tokens of BERT's English uncased vocabulary
		want       int
	}{
		{"nothing", " \n\t", 0, 0},
		{"short words", "the pool is empty", 4, 6},
		{
			"prose", "The committee met on Tuesday morning to discuss the annual budget. Several members argued that the " +
				"schools needed more money, while others wanted to repair the old bridge before winter.", 33, 45,
		},
		{"long words", "misconfiguration internationalization", 7, 18},
		{"code", "if err := os.MkdirAll(tmpDir, 0o755); err != nil {", 30, 27},
		{"camel case", "IAsyncEnumerable semanticKernelEmbeddingGenerator", 15, 18},
		{"date", "2025-01-15", 6, 7},
		{"punctuation", "|---|---|", 9, 9},
		{"base64", "aGVsbG8gd29ybGQgdGhpcyBpcyBub3QgYQ==", 28, 30},
		{"hexadecimal", "3f786850e387550fdab836ed7e6dc881de23001b", 28, 32},
		{"accents", "Poolgröße überschritten", 8, 12},
		{"Han, a token each", "数据库，连接", 6, 6},
		{"Hangul, three jamo each", "연결", 6, 6},
		{"kana", "データベース", 6, 6},
		{"emoji", "🎉🎉", 1, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := markdown.EstimateTokens(test.text)
			if got != test.want {
				t.Errorf("EstimateTokens(%q) = %d, want %d", test.text, got, test.want)
			}
			if 10*got < 9*test.real {
				t.Errorf("EstimateTokens(%q) = %d, too far below the real %d", test.text, got, test.real)
			}
		})
	}
}
