package markdown

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// blocks are what random documents are made of. Most are more than one line, so
// that a cut can be inside them.
func blocks() []string {
	return []string{
		"# A [heading](h1.md)", "## Another", "Setext\n===", "Words.\n[a](a%d.md)", "Words\nand more words.", "[r]", "[r%d]: r%d.md",
		"[r]:\n  r.md\n  'a title'", "- a\n- [b](b.md)\n- c", "- a\n\n  b\n\n- c", "* a\n  * b\n    * [c](c%d.md)\n* d", "1. a\n2. b\n   - c\n3. d",
		" - a\n  - b\n- c", "> a\n> - b\n>\n> # c", "> a\nlazy\n- b\nlazy", "```\n- a\n# b\n\n[c](code.md)\n```", "~~~ go\n# a\n~~~", "    code\n\n    # code",
		"<div>\n# html\n\n</div>", "<!-- a\n\n# b\n-->", "---", "***", "| a | b |\n|---|---|\n| [c](c%d.md) | d |", "- a\n---", "a\n---", "-\n-\n  a\n-", "- - - a\n    - b",
		"+ a\n+ b\n- c\n- d", "\\- a\n\n- b\n\ttab\n\n\tcode?", "", "",
	}
}

// However small the pieces are in which a document is parsed, what is found in
// it is the same as when it is parsed at once.
func TestParseBody_InPiecesIsTheSame(t *testing.T) {
	t.Parallel()
	whole := pieceSize{usual: math.MaxInt / 4, longest: math.MaxInt / 4}
	for seed := range uint64(2_000) {
		random := rand.New(rand.NewPCG(seed, 30))
		var parts []string
		for range 2 + random.IntN(12) {
			part := blocks()[random.IntN(len(blocks()))]
			parts = append(parts, strings.ReplaceAll(part, "%d", string(rune('0'+random.IntN(10)))))
		}
		src := strings.Join(parts, []string{"\n", "\n\n"}[random.IntN(2)])
		lines := splitLines(src)
		want := parseBody(lines, whole)
		for _, size := range []int{1, 10, 40} {
			got := parseBody(lines, pieceSize{usual: size, longest: whole.longest})
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(body{}, heading{})); diff != "" {
				t.Fatalf("seed %d, pieces of %d bytes (-whole +pieces):\n%s\n%s", seed, size, diff, src)
			}
		}
	}
}
