package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag"
)

// routes compares the two ways to search, comparing all passages of a tenant and
// walking the HNSW index, for tenants of rising size in one database. Where the
// second becomes faster is the crossover; up to it the first is right by itself.
func routes(ctx context.Context, e *environment) (_ []Row, err error) {
	sizes := []int{500, 1000, 2000, 5000, 10_000, 20_000}
	rest := 50_000
	if e.quick {
		sizes, rest = []int{1000, 2000, 5000}, 2000
	}
	x, err := e.newSearchIndex(ctx, 50)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.drop(ctx)) }()
	other, err := x.newTenant(ctx, "rest", "main")
	if err != nil {
		return nil, err
	}
	records := x.grow(other, rest)
	var tenants []*searchTenant
	for _, size := range sizes {
		tenant, err := x.newTenant(ctx, "sizes", fmt.Sprintf("size-%d", size))
		if err != nil {
			return nil, err
		}
		tenants = append(tenants, tenant)
		records = append(records, x.grow(tenant, size)...)
	}
	if err := x.load(ctx, records); err != nil {
		return nil, err
	}
	exact, hnsw := curve{Name: "exact"}, curve{Name: "HNSW"}
	crossover := 0
	var points []string
	for _, tenant := range tenants {
		compared, err := x.compareRoutes(ctx, tenant, e.size(40, 200))
		if err != nil {
			return nil, err
		}
		size, a, b := len(tenant.points), ms(median(compared.a)), ms(median(compared.b))
		exact.Passages, exact.MS = append(exact.Passages, float64(size)), append(exact.MS, a)
		hnsw.Passages, hnsw.MS = append(hnsw.Passages, float64(size)), append(hnsw.MS, b)
		if a <= b {
			crossover = size
		}
		points = append(points, fmt.Sprintf("%d: %.1f and %.1f", size, a, b))
		e.say("exact and HNSW in ms, %s", points[len(points)-1])
	}
	e.curves = append(e.curves, exact, hnsw)
	return []Row{{
		Name: "search.crossover", Value: float64(crossover), Unit: "passages",
		Note: fmt.Sprintf("largest tenant that an exact search of standard documents is fastest in, of %d passages in all; "+
			"p50 in ms by size, exact and HNSW: %s", x.passages, strings.Join(points, ", ")),
	}}, nil
}

// compareRoutes sends the two statements in turns.
func (x *searchIndex) compareRoutes(ctx context.Context, t *searchTenant, queries int) (sides, error) {
	questions := x.questions(t, queries)
	levels := []rag.Level{rag.Standard}
	return alternate(ctx, 10, queries-10,
		x.statement(func(ctx context.Context, q *db.Queries, i int) error {
			_, err := q.SearchExact(ctx, db.SearchExactParams{
				ProjectID: t.projectID, TenantID: t.id, Collection: rag.Compounding, Levels: levels,
				Query: questions[i].vector, MaxDocuments: searchLimit,
			})
			return err
		}),
		x.statement(func(ctx context.Context, q *db.Queries, i int) error {
			_, err := q.SearchHNSW(ctx, db.SearchHNSWParams{
				ProjectID: t.projectID, TenantID: t.id, Collection: rag.Compounding, Levels: levels,
				Query: questions[i].vector, MaxDocuments: searchLimit, MaxPassages: 4 * searchLimit,
			})
			return err
		}))
}

func (x *searchIndex) statement(f func(ctx context.Context, q *db.Queries, i int) error) timed {
	return func(ctx context.Context, i int) (time.Duration, error) {
		began := time.Now()
		err := x.Read(ctx, "search", func(q *db.Queries) error { return f(ctx, q, i) })
		return time.Since(began), err
	}
}
