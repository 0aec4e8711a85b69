package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/compound-docs/compound-docs/rag"
)

// smallTenant is how many passages the tenant has that does not grow.
const smallTenant = 1000

// grownIndex has a large tenant beside a small one, and the same small one alone in
// another database.
type grownIndex struct {
	all, alone  *searchIndex
	among, only *searchTenant
	// p50 and p99 are of searches in the large tenant as it grew.
	p50, p99 curve
}

// growth measures what a search costs in a tenant that grows.
func growth(ctx context.Context, b *bench) (exponent float64, note string) {
	g := b.openGrown(ctx)
	var points []string
	for i, passages := range g.p50.Passages {
		points = append(points, fmt.Sprintf("%.0f: %.1f ms (p99 %.1f)", passages, g.p50.MS[i], g.p99.MS[i]))
	}
	return slope(g.p50.Passages, g.p50.MS), "p50 by passages of the tenant: " + strings.Join(points, ", ")
}

// openGrown makes the index and lets its large tenant grow, once.
func (e *environment) openGrown(ctx context.Context) *grownIndex {
	if e.grown != nil {
		return e.grown
	}
	// The same seed makes the same small tenant in both.
	g := &grownIndex{
		alone: e.whole.newSearchIndex(ctx, 40), all: e.whole.newSearchIndex(ctx, 40),
		p50: curve{Name: "p50"}, p99: curve{Name: "p99"},
	}
	g.only, g.among = g.alone.newTenant(ctx, "small", "main"), g.all.newTenant(ctx, "small", "main")
	g.alone.load(ctx, g.alone.grow(g.only, smallTenant))
	records := g.all.grow(g.among, smallTenant)
	large := g.all.newTenant(ctx, "large", "main")
	sizes := []int{10_000, 100_000, 1_000_000}
	if e.quick {
		sizes = []int{10_000, 20_000}
	}
	for _, size := range sizes {
		g.all.load(ctx, append(records, g.all.grow(large, size-len(large.records))...))
		records = nil
		took := g.all.time(ctx, large, g.all.questions(large, e.size(100, 300)))
		g.p50.add(size, ms(median(took)))
		g.p99.add(size, ms(percentile(took, 99)))
		e.say("search of %d: %.1f ms (p99 %.1f)", size, ms(median(took)), ms(percentile(took, 99)))
	}
	e.curves = append(e.curves, g.p50, g.p99)
	e.grown = g
	return g
}

// filtered searches the small tenant beside the large one and the same one alone, in
// turns.
func filtered(ctx context.Context, b *bench) (ratio float64, note string) {
	g := b.openGrown(ctx)
	questions := g.all.questions(g.among, b.size(200, 500))
	for _, q := range questions {
		g.alone.models.queries[q.text] = g.all.models.queries[q.text]
	}
	return compare(ctx, 20, len(questions)-20,
		whole(func(ctx context.Context, i int) { g.all.search(ctx, g.among, rag.Hybrid, questions[i]) }),
		whole(func(ctx context.Context, i int) { g.alone.search(ctx, g.only, rag.Hybrid, questions[i]) }),
		"a tenant of %d passages among %d; ", smallTenant, g.all.passages)
}
