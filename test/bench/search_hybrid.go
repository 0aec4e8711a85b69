package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// filtered compares searches with a filter, which lets all documents through, with others without one.
func filtered(ctx context.Context, b *bench) (ratio float64, note string) {
	x := b.openSearchIndex(ctx)
	p := x.projects[len(x.projects)-1]
	const warmup = 10
	rounds := b.size(100, 300)
	questions := x.questions(p, 61, 2*(warmup+rounds))
	search := func(filter rag.Filter, side int) timed {
		return whole(func(ctx context.Context, i int) {
			x.search(ctx, p, rag.Query{Text: questions[2*i+side], Filter: filter})
		})
	}
	return compare(ctx, warmup, rounds, search(rag.Filter{DocTypes: []string{"problem"}}, 0), search(rag.Filter{}, 1),
		"rag.Searcher, without stdio; %d passages; ", p.passages)
}

// hybrid compares a search by meaning and words with one by meaning alone, of queries
// that were not asked before: real Ollama embeds them while the words are searched. Its
// vectors are replaced by synthetic ones, which lie among those of the project.
func hybrid(ctx context.Context, b *bench) (worst float64, note string) {
	x := b.openSearchIndex(ctx)
	models := get(ollama.New(model.Config{Host: b.ollamaHost, Logger: b.logger}))
	x.models.delay = models
	b.atEnd(func() error {
		x.models.delay = nil
		models.Close()
		return nil
	})
	const warmup = 10
	rounds := b.size(100, 300)
	var notes []string
	for _, p := range x.projects[1:] {
		questions := x.questions(p, 60, 2*(warmup+rounds))
		search := func(mode rag.Mode, side int) timed {
			return whole(func(ctx context.Context, i int) {
				x.search(ctx, p, rag.Query{Text: questions[2*i+side], Mode: mode})
			})
		}
		ratio, note := compare(ctx, warmup, rounds, search(rag.Hybrid, 0), search(rag.Vector, 1), "%d passages: ", p.passages)
		worst = max(worst, ratio)
		notes = append(notes, fmt.Sprintf("%s, %s", note, number(ratio)))
	}
	return worst, "rag.Searcher, without stdio; " + strings.Join(notes, "; ")
}
