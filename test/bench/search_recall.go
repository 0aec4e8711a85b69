package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/rag"
)

// others is how many tenants there are beside the ones that are searched.
const others = 1000

// selection is a filter with its share of the documents.
type selection struct {
	name     string
	docTypes []string
	levels   []rag.Level
}

var selections = []selection{
	{name: "all"},
	{name: "doc-type 10 %", docTypes: []string{rareType, uncommonType}},
	{name: "doc-type 1 %", docTypes: []string{rareType}},
	{name: "level 10 %", levels: []rag.Level{rag.Important, rag.Critical}},
	{name: "level 1 %", levels: []rag.Level{rag.Critical}},
	{
		name: "doc-type 10 % and level 10 %", docTypes: []string{rareType, uncommonType},
		levels: []rag.Level{rag.Important, rag.Critical},
	},
}

// recall compares what a search returns with an exact comparison of all passages
// of the tenant that the filter lets through, for tenants of several sizes, alone
// in their database and among others.
func recall(ctx context.Context, e *environment) ([]Row, error) {
	sizes := []int{100, 1000, 10_000, 100_000}
	if e.quick {
		sizes = sizes[:3]
	}
	worst := worstRecall{mean: 1, own: 1}
	for i, size := range sizes {
		if err := e.recallAlone(ctx, size, uint64(20+i), &worst); err != nil {
			return nil, err
		}
	}
	if err := e.recallMixed(ctx, sizes, &worst); err != nil {
		return nil, err
	}
	least := "all have the same"
	if worst.of != "" {
		least = "the least is of " + worst.of
	}
	return []Row{{
		Name: "search.recall10.min", Value: worst.mean, Unit: "share", Target: atLeast(0.995),
		Note: fmt.Sprintf("tenants of %v passages, alone and among %d others, with %d selections each; %s; "+
			"of queries about a subject of the tenant the least is %s", sizes, others, len(selections), least, number(worst.own)),
		Reason: "a query about a subject that no document is of is as near to one cluster of synthetic vectors as to another. A walk " +
			"enters one of them, and in a graph of 100,000 they are not linked; among other tenants, whose clusters lie between, " +
			"they are. No help were a wider walk (hnsw.ef_search 64 to 240), a longer one (10 to 80 passages), fewer links (m = 16 " +
			"and 24), or a graph of bits whose order is made exact afterwards (it takes a thousand passages to hold the nearest ten); " +
			"a second to fifth walk, each away from what was found, would come to 0.985 at five times the cost",
	}}, nil
}

type worstRecall struct {
	mean float64
	of   string // "" while every recall is 1
	// own is the smallest mean over the queries about a subject of the tenant.
	own float64
}

func (e *environment) recallAlone(ctx context.Context, size int, seed uint64, worst *worstRecall) (err error) {
	x, err := e.newSearchIndex(ctx, seed)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.drop(ctx)) }()
	tenant, err := x.newTenant(ctx, "alone", "main")
	if err != nil {
		return err
	}
	if err := x.load(ctx, x.grow(tenant, size)); err != nil {
		return err
	}
	return x.recall(ctx, tenant, "alone", worst)
}

func (e *environment) recallMixed(ctx context.Context, sizes []int, worst *worstRecall) (err error) {
	x, err := e.newSearchIndex(ctx, 30)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.drop(ctx)) }()
	records, err := x.addOthers(ctx, others, e.size(5, 100))
	if err != nil {
		return err
	}
	var tenants []*searchTenant
	for _, size := range sizes {
		// Half of the others are branches of the same project.
		tenant, err := x.newTenant(ctx, "shared", fmt.Sprintf("size-%d", size))
		if err != nil {
			return err
		}
		tenants = append(tenants, tenant)
		records = append(records, x.grow(tenant, size)...)
	}
	if err := x.load(ctx, records); err != nil {
		return err
	}
	for _, tenant := range tenants {
		if err := x.recall(ctx, tenant, "mixed", worst); err != nil {
			return err
		}
	}
	return nil
}

// addOthers makes tenants of so many documents each: one half are branches of one
// project, the other half have a project of their own.
func (x *searchIndex) addOthers(ctx context.Context, tenants, documents int) ([]record, error) {
	var records []record
	for i := range tenants {
		project, branch := fmt.Sprintf("other-%d", i), "main"
		if i%2 == 0 {
			project, branch = "shared", fmt.Sprintf("branch-%d", i)
		}
		tenant, err := x.newTenant(ctx, project, branch)
		if err != nil {
			return nil, err
		}
		records = append(records, x.grow(tenant, documents)...)
	}
	return records, nil
}

// recall of one tenant, for every selection.
func (x *searchIndex) recall(ctx context.Context, t *searchTenant, situation string, worst *worstRecall) error {
	questions := x.questions(t, x.env.size(20, 50))
	for _, s := range selections {
		var sum, ownSum, own float64
		for _, q := range questions {
			share, err := x.recallOf(ctx, t, s, q)
			if err != nil {
				return err
			}
			sum += share
			if !q.strange {
				ownSum, own = ownSum+share, own+1
			}
		}
		mean := sum / float64(len(questions))
		worst.own = min(worst.own, ownSum/own)
		of := fmt.Sprintf("%d passages, %s, %s", len(t.points), situation, s.name)
		x.env.say("recall@%d %.4f, of the tenant's subjects %.4f: %s", searchLimit, mean, ownSum/own, of)
		if mean < worst.mean {
			worst.mean, worst.of = mean, of
		}
	}
	return nil
}

// recallOf is the share of the documents that an exact search returns which the
// search returned too.
func (x *searchIndex) recallOf(ctx context.Context, t *searchTenant, s selection, q question) (float64, error) {
	hits, err := x.library.Search(ctx, t.scope(), rag.Query{
		Text: q.text, DocTypes: s.docTypes, Levels: s.levels, Limit: searchLimit,
	})
	if err != nil {
		return 0, err
	}
	found := map[string]bool{}
	for _, hit := range hits.Documents {
		found[hit.Path] = true
	}
	// The order of rag.Library.Search: similarity, that of promoted documents
	// counted one and a half times.
	rows, err := x.pool.Query(ctx, `
		SELECT d.relative_path
		FROM document_chunks c
		JOIN passages p ON p.collection = c.collection AND p.project_id = c.project_id AND p.hash = c.passage_hash
		JOIN documents d ON d.project_id = c.project_id AND d.id = c.document_id
		WHERE c.project_id = $1 AND c.tenant_id = $2 AND c.collection = 'compounding'
			AND ($3::text[] IS NULL OR d.doc_type = ANY($3)) AND ($4::promotion_level[] IS NULL OR c.promotion_level = ANY($4))
		ORDER BY greatest(1 - (p.embedding <=> $5::halfvec), 0) * CASE c.promotion_level WHEN 'standard' THEN 1 ELSE 1.5 END DESC
		LIMIT $6`, t.projectID, t.id, s.docTypes, s.levels, q.vector, searchLimit)
	if err != nil {
		return 0, err
	}
	exact, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(exact) == 0 {
		return 1, err // nothing to be missed
	}
	both := 0
	for _, path := range exact {
		if found[path] {
			both++
		}
	}
	return float64(both) / float64(len(exact)), nil
}
