package main

import (
	"context"
	"fmt"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/relevance"
)

// selections are filters by level. One document in twenty is important.
var selections = map[string][]catalog.Level{"all": nil, "important alone": {catalog.Important}}

// recall compares what a search by vectors returns with an exact comparison of all passages of
// the project that the filter lets through, for projects of several sizes in one database.
func recall(ctx context.Context, b *bench) (least float64, note string) {
	x := b.openSearchIndex(ctx)
	least, leastOwn, where := 1.0, 1.0, "all have the same"
	var sizes []int
	for _, p := range x.projects {
		sizes = append(sizes, p.passages)
		questions := x.questions(p, 20, b.size(50, 200))
		for name, levels := range selections {
			var sum, ownSum, own float64
			for _, q := range questions {
				share := x.recallOf(ctx, p, levels, q)
				sum += share
				if !q.strange {
					ownSum, own = ownSum+share, own+1
				}
			}
			mean := sum / float64(len(questions))
			b.say("recall@%d %.4f, of the project's subjects %.4f: %d passages, %s", searchLimit, mean, ownSum/own, p.passages, name)
			leastOwn = min(leastOwn, ownSum/own)
			if mean < least {
				least, where = mean, fmt.Sprintf("the least is of %d passages, %s", p.passages, name)
			}
		}
	}
	return least, fmt.Sprintf("projects of %v passages, %d selections each; %s; "+
		"for subjects of the project %s", sizes, len(selections), where, number(leastOwn))
}

// recallOf is the share of the documents that an exact search returns which the search
// returned too.
func (x *searchIndex) recallOf(ctx context.Context, p *searchProject, levels []catalog.Level, q question) float64 {
	found := map[string]bool{}
	for _, hit := range x.search(ctx, p, rag.Query{Text: q.text, Mode: rag.Vector, Filter: rag.Filter{Levels: levels}}).Documents {
		found[hit.Path] = true
	}
	// The order of rag.Searcher.Search in log-odds, over the weight of meaning.
	promoted := relevance.Key(0, true) /
		relevance.Evidence{Form: relevance.Meaning, Signals: relevance.Signals{Meaning: 1}}.Parts().Meaning
	exact := x.texts(ctx, `
		SELECT d.relative_path
		FROM document_chunks c
		JOIN embeddings e ON e.collection = c.collection AND e.project_id = c.project_id AND e.hash = c.passage_hash
		JOIN embedding_models m ON m.id = e.model_id
		JOIN documents d ON d.project_id = c.project_id AND d.id = c.document_id
		WHERE c.project_id = $1 AND c.tenant_id = $2 AND c.collection = 'compounding'
			AND ($3::promotion_level[] IS NULL OR c.promotion_level = ANY($3))
		GROUP BY 1
		ORDER BY max((m.matched - m.unmatched) / m.variance * (1 - (e.embedding <=> $4::halfvec))
			+ CASE c.promotion_level WHEN 'standard' THEN 0 ELSE $6::float8 END) DESC
		LIMIT $5`, p.tenant.ProjectID, p.tenant.ID, levels, q.vector, searchLimit, promoted)
	both := 0
	for _, path := range exact {
		if found[path] {
			both++
		}
	}
	return float64(both) / float64(max(len(exact), 1))
}
