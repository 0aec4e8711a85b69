package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// growth measures what a search costs in a tenant that grows, and in a small
// tenant beside it that does not, in one database.
func growth(ctx context.Context, e *environment) (_ []Row, err error) {
	sizes := []int{10_000, 100_000, 1_000_000}
	if e.quick {
		sizes = []int{10_000, 20_000}
	}
	const small = 1000
	alone, err := e.newSearchIndex(ctx, 40)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, alone.drop(ctx)) }()
	x, err := e.newSearchIndex(ctx, 40)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.drop(ctx)) }()
	// The same seed makes the same small tenant in both.
	only, err := alone.newTenant(ctx, "small", "main")
	if err != nil {
		return nil, err
	}
	among, err := x.newTenant(ctx, "small", "main")
	if err != nil {
		return nil, err
	}
	if err := alone.load(ctx, alone.grow(only, small)); err != nil {
		return nil, err
	}
	records := x.grow(among, small)
	large, err := x.newTenant(ctx, "large", "main")
	if err != nil {
		return nil, err
	}
	queries := e.size(100, 300)
	var xs, p50s, p99s []float64
	var points []string
	for _, size := range sizes {
		records = append(records, x.grow(large, size-len(large.points))...)
		if err := x.load(ctx, records); err != nil {
			return nil, err
		}
		records = nil
		took, err := x.time(ctx, large, x.questions(large, queries))
		if err != nil {
			return nil, err
		}
		xs, p50s, p99s = append(xs, float64(size)), append(p50s, ms(median(took))), append(p99s, ms(percentile(took, 99)))
		points = append(points, fmt.Sprintf("%d: %.1f ms (p99 %.1f)", size, ms(median(took)), ms(percentile(took, 99))))
		e.say("search of %s", points[len(points)-1])
	}
	e.curves = append(e.curves, curve{Name: "p50", Passages: xs, MS: p50s}, curve{Name: "p99", Passages: xs, MS: p99s})
	compared, err := filtered(ctx, e, x, among, alone, only)
	if err != nil {
		return nil, err
	}
	return []Row{
		{
			Name: "search.growth.exponent", Value: slope(xs, p50s), Unit: "slope", Target: atMost(0.2),
			Note: "p50 by passages of the tenant: " + strings.Join(points, ", "),
			Reason: "a walk costs some 3 µs for each page of the index, and meets more of them as it is larger and less of it is in " +
				"the processor's cache; half as many links a passage (m = 16) was 30 % faster and lost 1 % of recall",
		},
		{
			Name: "search.filtered.ratio", Value: compared.ratio(), Unit: "ratio", Target: atMost(1.5),
			Note: fmt.Sprintf("a tenant of %d passages among %d; %v", small, x.passages, compared),
		},
	}, nil
}

// filtered searches a tenant among others and the same one alone, in turns.
func filtered(
	ctx context.Context, e *environment, x *searchIndex, among *searchTenant, alone *searchIndex, only *searchTenant,
) (sides, error) {
	questions := x.questions(among, e.size(200, 500))
	for _, q := range questions {
		alone.models.queries[q.text] = x.models.queries[q.text]
	}
	return alternate(ctx, 20, len(questions)-20,
		whole(func(ctx context.Context, i int) error { return x.search(ctx, among, questions[i]) }),
		whole(func(ctx context.Context, i int) error { return alone.search(ctx, only, questions[i]) }))
}
