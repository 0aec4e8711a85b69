package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag"
)

// crossover compares the two ways to search, comparing all passages of a tenant and
// scanning the HNSW index, for tenants of rising size in one database. Where the
// second becomes faster is the crossover; up to it the first is right by itself.
func crossover(ctx context.Context, e *environment) (measured result, err error) {
	sizes := []int{500, 1000, 2000, 5000, 10_000, 20_000}
	rest := 50_000
	if e.quick {
		sizes, rest = []int{1000, 2000, 5000}, 2000
	}
	err = e.withSearchIndex(ctx, 50, func(x *searchIndex) error {
		other, err := x.newTenant(ctx, "rest", "main")
		if err != nil {
			return err
		}
		records := x.grow(other, rest)
		tenants, err := x.fill(ctx, "sizes", sizes, &records)
		if err != nil {
			return err
		}
		if err := x.load(ctx, records); err != nil {
			return err
		}
		exact, hnsw := curve{Name: "exact"}, curve{Name: "HNSW"}
		var points []string
		for i, tenant := range tenants {
			compared, err := x.compareRoutes(ctx, tenant, e.size(40, 200))
			if err != nil {
				return err
			}
			a, b := ms(median(compared.a)), ms(median(compared.b))
			exact.add(sizes[i], a)
			hnsw.add(sizes[i], b)
			if a <= b {
				measured.value = float64(sizes[i])
			}
			points = append(points, fmt.Sprintf("%d: %.1f and %.1f", sizes[i], a, b))
			e.say("exact and HNSW in ms, %s", points[i])
		}
		e.curves = append(e.curves, exact, hnsw)
		measured.note = fmt.Sprintf("largest tenant that an exact search of standard documents is fastest in, of %d passages in all; "+
			"p50 in ms by size, exact and HNSW: %s", x.passages, strings.Join(points, ", "))
		return nil
	})
	return measured, err
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
