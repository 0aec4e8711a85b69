package markdown

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

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

// A document parsed in small pieces gives the same result as one parsed at once.
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
		lines := linesOf(src)
		parse := func(size pieceSize) *Document {
			doc := &Document{outline: newOutline(lines, 0)}
			doc.parseBody(size, time.Now().Add(maxParseTime))
			return doc
		}
		want := parse(whole)
		for _, size := range []int{1, 10, 40} {
			got := parse(pieceSize{usual: size, longest: whole.longest})
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(Document{}, outline{})); diff != "" {
				t.Fatalf("seed %d, pieces of %d bytes (-whole +pieces):\n%s\n%s", seed, size, diff, src)
			}
		}
	}
}

// A body that is not parsed in time is given up in the middle, of its blocks as of one paragraph.
func TestParseBody_EndsInTime(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"blocks":           strings.Repeat("- [a](b)\n\n", 200_000),
		"one paragraph":    strings.Repeat("[", 2<<20),
		"definitions":      strings.Repeat("[a]: b\n\n", 200_000),
		"what is all read": "a\n",
	} {
		began := time.Now()
		doc := &Document{outline: newOutline(linesOf(text), 0)}
		if doc.parseBody(defaultPieceSize(), began) {
			t.Errorf("%s: it has ended in no time", name)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: it goes on for %s", name, took)
		}
	}
}
