package main

import (
	"context"
	"fmt"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/relevance"
)

// others is how many tenants there are beside the ones that are searched.
const others = 1000

// selection is a filter with its share of the documents.
type selection struct {
	name     string
	docTypes []string
	levels   []catalog.Level
}

var selections = []selection{
	{name: "all"},
	{name: "doc-type 10 %", docTypes: []string{rareType, uncommonType}},
	{name: "doc-type 1 %", docTypes: []string{rareType}},
	{name: "level 10 %", levels: []catalog.Level{catalog.Important, catalog.Critical}},
	{name: "level 1 %", levels: []catalog.Level{catalog.Critical}},
	{
		name: "doc-type 10 % and level 10 %", docTypes: []string{rareType, uncommonType},
		levels: []catalog.Level{catalog.Important, catalog.Critical},
	},
}

// recall compares what a search returns with an exact comparison of all passages
// of the tenant that the filter lets through, by their vectors, for tenants of several sizes, alone
// in their database and among others.
func recall(ctx context.Context, b *bench) (least float64, note string) {
	sizes := []int{100, 1000, 10_000, 100_000}
	if b.quick {
		sizes = sizes[:3]
	}
	worst := worstRecall{mean: 1, own: 1}
	for i, size := range sizes {
		check(b.within(func(b *bench) {
			b.newSearchIndex(ctx, uint64(20+i)).loadAndRecall(ctx, "alone", []int{size}, nil, &worst)
		}))
	}
	x := b.newSearchIndex(ctx, 30)
	// Half of the others are branches of the same project.
	x.loadAndRecall(ctx, "shared", sizes, x.addOthers(ctx, others, b.size(5, 100)), &worst)
	where := "all have the same"
	if worst.of != "" {
		where = "the least is of " + worst.of
	}
	return worst.mean, fmt.Sprintf("tenants of %v passages, alone and among %d others, with %d selections each; %s; "+
		"of queries about a subject of the tenant the least is %s", sizes, others, len(selections), where, number(worst.own))
}

type worstRecall struct {
	mean float64
	of   string // "" while every recall is 1
	// own is the smallest mean over the queries about a subject of the tenant.
	own float64
}

// loadAndRecall loads tenants of a project beside the records, and measures each.
func (x *searchIndex) loadAndRecall(ctx context.Context, project string, sizes []int, records []record, worst *worstRecall) {
	tenants := x.fill(ctx, project, sizes, &records)
	x.load(ctx, records)
	for _, tenant := range tenants {
		x.recall(ctx, tenant, project, worst)
	}
}

// addOthers makes tenants of so many documents each: one half are branches of one
// project, the other half have a project of their own.
func (x *searchIndex) addOthers(ctx context.Context, tenants, documents int) (records []record) {
	for i := range tenants {
		project, branch := fmt.Sprintf("other-%d", i), "main"
		if i%2 == 0 {
			project, branch = "shared", fmt.Sprintf("branch-%d", i)
		}
		records = append(records, x.grow(x.newTenant(ctx, project, branch), documents)...)
	}
	return records
}

// recall of one tenant, for every selection.
func (x *searchIndex) recall(ctx context.Context, t *searchTenant, situation string, worst *worstRecall) {
	questions := x.questions(t, x.size(20, 50))
	for _, s := range selections {
		var sum, ownSum, own float64
		for _, q := range questions {
			share := x.recallOf(ctx, t, s, q)
			sum += share
			if !q.strange {
				ownSum, own = ownSum+share, own+1
			}
		}
		mean := sum / float64(len(questions))
		worst.own = min(worst.own, ownSum/own)
		of := fmt.Sprintf("%d passages, %s, %s", len(t.records), situation, s.name)
		x.say("recall@%d %.4f, of the tenant's subjects %.4f: %s", searchLimit, mean, ownSum/own, of)
		if mean < worst.mean {
			worst.mean, worst.of = mean, of
		}
	}
}

// recallOf is the share of the documents that an exact search returns which the
// search returned too.
func (x *searchIndex) recallOf(ctx context.Context, t *searchTenant, s selection, q question) float64 {
	hits := get(x.searcher.Search(ctx, t.scope(), rag.Query{
		Text: q.text, Mode: rag.Vector, Filter: rag.Filter{DocTypes: s.docTypes, Levels: s.levels}, Limit: searchLimit,
	}))
	found := map[string]bool{}
	for _, hit := range hits.Documents {
		found[hit.Path] = true
	}
	// The order of rag.Searcher.Search in log-odds, over the weight of meaning.
	promoted := relevance.Key(0, true, false) /
		relevance.Evidence{Form: relevance.Meaning, Signals: relevance.Signals{Meaning: 1}}.Terms().Meaning
	exact := x.texts(ctx, `
		SELECT d.relative_path
		FROM document_chunks c
		JOIN embeddings e ON e.collection = c.collection AND e.project_id = c.project_id AND e.hash = c.passage_hash
		JOIN embedding_models m ON m.id = e.model_id
		JOIN documents d ON d.project_id = c.project_id AND d.id = c.document_id
		WHERE c.project_id = $1 AND c.tenant_id = $2 AND c.collection = 'compounding'
			AND ($3::text[] IS NULL OR d.doc_type = ANY($3)) AND ($4::promotion_level[] IS NULL OR c.promotion_level = ANY($4))
		ORDER BY (m.matched - m.unmatched) / m.variance * (1 - (e.embedding <=> $5::halfvec))
			+ CASE c.promotion_level WHEN 'standard' THEN 0 ELSE $7::float8 END DESC
		LIMIT $6`, t.ProjectID, t.ID, s.docTypes, s.levels, q.vector, searchLimit, promoted)
	if len(exact) == 0 {
		return 1 // nothing to be missed
	}
	both := 0
	for _, path := range exact {
		if found[path] {
			both++
		}
	}
	return float64(both) / float64(len(exact))
}
