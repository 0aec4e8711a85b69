package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// smallTenant is how many passages the tenant has that does not grow.
const smallTenant = 1000

// grownIndex has a large tenant beside a small one, and the same small one alone in
// another database.
type grownIndex struct {
	all, alone  *searchIndex
	among, only *searchTenant
	large       *searchTenant
	slope       result
}

func (g *grownIndex) close(ctx context.Context) error {
	return errors.Join(g.all.drop(ctx), g.alone.drop(ctx))
}

// growth measures what a search costs in a tenant that grows.
func growth(ctx context.Context, e *environment) (result, error) {
	g, err := e.openGrown(ctx)
	if err != nil {
		return result{}, err
	}
	return g.slope, nil
}

// openGrown makes the index and lets its large tenant grow, once.
func (e *environment) openGrown(ctx context.Context) (g *grownIndex, err error) {
	if e.grown != nil {
		return e.grown, nil
	}
	g = &grownIndex{}
	// The same seed makes the same small tenant in both.
	if g.alone, err = e.newSearchIndex(ctx, 40); err != nil {
		return nil, err
	}
	if g.all, err = e.newSearchIndex(ctx, 40); err != nil {
		return nil, errors.Join(err, g.alone.drop(ctx))
	}
	e.grown = g
	if g.only, err = g.alone.newTenant(ctx, "small", "main"); err != nil {
		return nil, err
	}
	if g.among, err = g.all.newTenant(ctx, "small", "main"); err != nil {
		return nil, err
	}
	if err := g.alone.load(ctx, g.alone.grow(g.only, smallTenant)); err != nil {
		return nil, err
	}
	records := g.all.grow(g.among, smallTenant)
	if g.large, err = g.all.newTenant(ctx, "large", "main"); err != nil {
		return nil, err
	}
	sizes := []int{10_000, 100_000, 1_000_000}
	if e.quick {
		sizes = []int{10_000, 20_000}
	}
	p50, p99 := curve{Name: "p50"}, curve{Name: "p99"}
	var points []string
	for _, size := range sizes {
		if err := g.all.load(ctx, append(records, g.all.grow(g.large, size-len(g.large.points))...)); err != nil {
			return nil, err
		}
		records = nil
		took, err := g.all.time(ctx, g.large, g.all.questions(g.large, e.size(100, 300)))
		if err != nil {
			return nil, err
		}
		half, most := ms(median(took)), ms(percentile(took, 99))
		p50.add(size, half)
		p99.add(size, most)
		points = append(points, fmt.Sprintf("%d: %.1f ms (p99 %.1f)", size, half, most))
		e.say("search of %s", points[len(points)-1])
	}
	e.curves = append(e.curves, p50, p99)
	g.slope = result{slope(p50.Passages, p50.MS), "p50 by passages of the tenant: " + strings.Join(points, ", ")}
	return g, nil
}

// filtered searches the small tenant beside the large one and the same one alone, in
// turns.
func filtered(ctx context.Context, e *environment) (result, error) {
	g, err := e.openGrown(ctx)
	if err != nil {
		return result{}, err
	}
	questions := g.all.questions(g.among, e.size(200, 500))
	for _, q := range questions {
		g.alone.models.queries[q.text] = g.all.models.queries[q.text]
	}
	return compare(ctx, 20, len(questions)-20,
		whole(func(ctx context.Context, i int) error { return g.all.search(ctx, g.among, questions[i]) }),
		whole(func(ctx context.Context, i int) error { return g.alone.search(ctx, g.only, questions[i]) }),
		"a tenant of %d passages among %d; ", smallTenant, g.all.passages)
}
