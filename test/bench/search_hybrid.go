package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// hybrid compares a search by meaning and words with one by meaning alone, of queries
// that were not asked before: real Ollama embeds them while the words are searched. Its
// vectors are replaced by synthetic ones, which lie among those of the tenant.
func hybrid(ctx context.Context, b *bench) (worst float64, note string) {
	sizes := []int{10_000, 100_000}
	if b.quick {
		sizes = []int{5000, 20_000}
	}
	models := get(ollama.New(ollama.Config{Host: b.ollamaHost, Logger: b.logger}))
	b.atEnd(models.Close)
	var notes []string
	for i, size := range sizes {
		check(b.within(func(b *bench) {
			x := b.newSearchIndex(ctx, uint64(60+i))
			x.models.delay = models
			tenant := x.newTenant(ctx, "hybrid", "main")
			x.load(ctx, x.grow(tenant, size))
			const warmup = 10
			rounds := b.size(100, 300)
			questions := x.questions(tenant, 2*(warmup+rounds))
			search := func(mode rag.Mode, side int) timed {
				return whole(func(ctx context.Context, i int) { x.search(ctx, tenant, mode, questions[2*i+side]) })
			}
			ratio, note := compare(ctx, warmup, rounds, search(rag.Hybrid, 0), search(rag.Vector, 1), "%d passages: ", size)
			worst = max(worst, ratio)
			notes = append(notes, fmt.Sprintf("%s, %s", note, number(ratio)))
		}))
	}
	return worst, "rag.Searcher, without stdio; " + strings.Join(notes, "; ")
}

// pastedTrace compares searches for a pasted text of 40 lines with searches for one of its
// lines, both by words: an embedding would take the same part of either. Each line has
// words of some passage, which is the most that its lookup can cost; most lines of a real
// trace have none.
func pastedTrace(ctx context.Context, b *bench) (ratio float64, note string) {
	size, rounds := b.size(20_000, 100_000), b.size(50, 150)
	const warmup, lines = 5, 40
	x := b.newSearchIndex(ctx, 64)
	tenant := x.newTenant(ctx, "trace", "main")
	x.load(ctx, x.grow(tenant, size))
	questions := x.questions(tenant, (warmup+rounds)*lines)
	paste := whole(func(ctx context.Context, i int) {
		text := make([]string, lines)
		for line, of := range questions[i*lines : (i+1)*lines] {
			text[line] = of.text
		}
		x.search(ctx, tenant, rag.Lexical, question{text: strings.Join(text, "\n")})
	})
	plain := whole(func(ctx context.Context, i int) { x.search(ctx, tenant, rag.Lexical, questions[i*lines]) })
	ratio, note = compare(ctx, warmup, rounds, paste, plain, "%d passages, %d lines: ", size, lines)
	return ratio, "rag.Searcher, without stdio; " + note
}
