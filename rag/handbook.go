package rag

import (
	"context"
	"maps"
	"slices"

	"github.com/pgvector/pgvector-go"

	"github.com/compound-docs/compound-docs/db"
)

// HandbookKey names the handbook's one tenant. No project's config can have the
// name, which begins with a letter there.
func HandbookKey() TenantKey { return TenantKey{Project: ":handbook"} }

// HandbookEdition is the handbook between two changes: equal editions have
// equal content. The zero value is a handbook that was never filled.
type HandbookEdition struct {
	projectID, tenantID int32
	generation, version int64
}

// HandbookEdition returns the present edition.
func (s *Searcher) HandbookEdition(ctx context.Context) (edition HandbookEdition, err error) {
	key := HandbookKey()
	err = s.db.Read(ctx, "look up the handbook", func(q *db.Queries) error {
		row, err := q.TenantFind(ctx, db.TenantFindParams{
			ProjectName: key.Project, BranchName: key.Branch, PathHash: key.PathHash,
		})
		if db.IsNoRows(err) || err == nil && row.Version == 0 {
			return nil
		}
		edition = HandbookEdition{projectID: row.ProjectID, tenantID: row.ID, generation: row.Generation, version: row.Version}
		return err
	})
	return edition, err
}

func (e HandbookEdition) scope() Scope {
	tenant := &Tenant{Key: HandbookKey(), ProjectID: e.projectID, ID: e.tenantID, Generation: e.generation}
	return Scope{Tenant: tenant, Collection: Handbook}
}

// HandbookQuery asks for the passages of the handbook nearest to a text.
type HandbookQuery struct {
	Text string
	// Section filters; "" means all.
	Section string
	// Limit is the number of passages, at least 1.
	Limit int
}

// HandbookPassage is a part of a document of the handbook.
type HandbookPassage struct {
	Section string
	// Source is the document's path, from the name of the ingested folder on.
	Source string
	// Chunk counts the document's passages from 0.
	Chunk   int
	Content string
	// Score is the cosine similarity of the query and the passage, in [0,1].
	Score float64
}

// SearchHandbook returns the passages nearest to the query, nearest first. A
// document may have several among them.
func (s *Searcher) SearchHandbook(
	ctx context.Context, edition HandbookEdition, query HandbookQuery,
) (passages []HandbookPassage, err error) {
	if edition == (HandbookEdition{}) {
		return []HandbookPassage{}, nil
	}
	scope := edition.scope()
	vector, err := s.queryVector(ctx, scope.Tenant, query.Text)
	if err != nil {
		return nil, err
	}
	var sections []string
	if query.Section != "" {
		sections = []string{query.Section}
	}
	filter := newFilter(scope, Query{DocTypes: sections, Limit: query.Limit}, Levels())
	err = s.db.Read(ctx, "search the handbook", func(q *db.Queries) error {
		passages, err = runPlan(ctx, s.planner, q, filter,
			func() ([]HandbookPassage, error) { return handbookExact(ctx, q, filter, vector) },
			func() ([]HandbookPassage, bool, error) { return handbookHNSW(ctx, q, filter, vector) })
		return err
	})
	return passages, err
}

func handbookExact(
	ctx context.Context, q *db.Queries, f filter, vector pgvector.HalfVector,
) ([]HandbookPassage, error) {
	rows, err := q.PassageSearchExact(ctx, db.PassageSearchExactParams{
		ProjectID: f.scope.Tenant.ProjectID, TenantID: f.scope.Tenant.ID, Collection: f.scope.Collection,
		DocTypes: f.docTypes, Levels: f.levels, Query: vector, MaxPassages: f.limit,
	})
	passages := make([]HandbookPassage, len(rows))
	for i, row := range rows {
		passages[i] = newHandbookPassage(row)
	}
	return passages, err
}

func handbookHNSW(
	ctx context.Context, q *db.Queries, f filter, vector pgvector.HalfVector,
) (passages []HandbookPassage, enough bool, err error) {
	rows, err := q.PassageSearchHNSW(ctx, db.PassageSearchHNSWParams{
		ProjectID: f.scope.Tenant.ProjectID, TenantID: f.scope.Tenant.ID, Collection: f.scope.Collection,
		DocTypes: f.docTypes, Levels: f.levels, Query: vector, MaxPassages: f.limit, MaxCandidates: f.candidateLimit(),
	})
	passages = make([]HandbookPassage, len(rows))
	for i, row := range rows {
		passages[i] = newHandbookPassage(db.PassageSearchExactRow(row))
	}
	return passages, len(rows) == int(f.limit), err
}

func newHandbookPassage(row db.PassageSearchExactRow) HandbookPassage {
	return HandbookPassage{
		Section: row.DocType, Source: row.RelativePath, Chunk: int(row.Ordinal),
		Content: row.Content, Score: score(row.Distance),
	}
}

// HandbookSections returns the sections that documents of the handbook are in,
// sorted.
func (s *Searcher) HandbookSections(ctx context.Context, edition HandbookEdition) ([]string, error) {
	documents, err := s.CountByType(ctx, edition.scope())
	return slices.Sorted(maps.Keys(documents)), err
}
