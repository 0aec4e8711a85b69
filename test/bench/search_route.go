package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/pgvector/pgvector-go"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// exactThreshold compares the two ways to search, comparing all passages of a tenant
// and scanning the HNSW index, for tenants of rising size in one database. It is the
// largest tenant for which the first is the faster one.
func exactThreshold(ctx context.Context, b *bench) (passages float64, note string) {
	sizes, rest := []int{500, 1000, 2000, 5000, 10_000, 20_000}, 50_000
	if b.quick {
		sizes, rest = []int{1000, 2000, 5000}, 2000
	}
	x := b.newSearchIndex(ctx, 50)
	records := x.grow(x.newTenant(ctx, "rest", "main"), rest)
	tenants := x.fill(ctx, "sizes", sizes, &records)
	x.load(ctx, records)
	exact, hnsw := curve{Name: "exact"}, curve{Name: "HNSW"}
	var points []string
	for i, tenant := range tenants {
		compared := x.compareRoutes(ctx, tenant, b.size(40, 200))
		a, b := ms(median(compared.a)), ms(median(compared.b))
		exact.add(sizes[i], a)
		hnsw.add(sizes[i], b)
		if a <= b {
			passages = float64(sizes[i])
		}
		points = append(points, fmt.Sprintf("%d: %.1f and %.1f", sizes[i], a, b))
		x.say("exact and HNSW in ms, %s", points[i])
	}
	b.curves = append(b.curves, exact, hnsw)
	return passages, fmt.Sprintf("largest tenant that an exact search of standard documents is fastest in, of %d passages in all; "+
		"p50 in ms by size, exact and HNSW: %s", x.passages, strings.Join(points, ", "))
}

// compareRoutes sends the two statements in turns, as a hybrid search does that knows
// the frequency of no term.
func (x *searchIndex) compareRoutes(ctx context.Context, t *searchTenant, queries int) sides {
	questions := x.questions(t, queries)
	const rows, candidates = 100, 200
	levels := []catalog.Level{catalog.Standard}
	weigh := func(i int) pgvector.SparseVector {
		w := terms.NewQuery(t.ProjectID, questions[i].text).Weigh(1, func(int32) int { return 0 })
		return sparse(w.Terms, w.Weights)
	}
	model := int32(1)
	search := func(scan int32) timed {
		return x.statement(func(ctx context.Context, q *db.Queries, i int) error {
			_, err := q.SearchCandidates(ctx, db.SearchCandidatesParams{
				ProjectID: t.ProjectID, TenantID: t.ID, Collection: catalog.Compounding, Filter: "{}", Levels: levels, NearLevels: levels,
				Query: &questions[i].vector, ModelID: &model, Terms: weigh(i), WantedRows: 1, MaxRows: rows, NearScan: scan,
			})
			return err
		})
	}
	return alternate(ctx, 10, queries-10, search(0), search(candidates))
}

func (x *searchIndex) statement(f func(ctx context.Context, q *db.Queries, i int) error) timed {
	return whole(func(ctx context.Context, i int) {
		check(x.Read(ctx, "search", func(q *db.Queries) error { return f(ctx, q, i) }))
	})
}
