package rag

import (
	"context"
	"maps"
	"slices"

	"github.com/compound-docs/compound-docs/db"
)

// HandbookKey names the handbook's one tenant. No project can have its name, because
// the name of a project begins with a letter.
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
		projectID, err := s.handbookProject(ctx, q)
		if err != nil {
			return err
		}
		row, err := q.TenantFind(ctx, db.TenantFindParams{
			ProjectID: projectID, BranchName: key.Branch, PathHash: key.PathHash,
		})
		if db.IsNoRows(err) {
			s.memory.handbook.Store(0) // its project may be another one now
		}
		if err == nil && row.Version > 0 {
			edition = HandbookEdition{projectID: projectID, tenantID: row.ID, generation: row.Generation, version: row.Version}
		}
		return err
	})
	if db.IsNoRows(err) {
		return HandbookEdition{}, nil
	}
	return edition, err
}

// handbookProject returns the id of the handbook's project, and remembers it.
func (s *Searcher) handbookProject(ctx context.Context, q *db.Queries) (int32, error) {
	if id := s.memory.handbook.Load(); id != 0 {
		return id, nil
	}
	id, err := q.ProjectFind(ctx, db.ProjectFindParams{Name: HandbookKey().Project})
	if err == nil {
		s.memory.handbook.Store(id)
	}
	return id, err
}

func (e HandbookEdition) scope() Scope {
	tenant := &Tenant{Key: HandbookKey(), ProjectID: e.projectID, ID: e.tenantID, Generation: e.generation}
	return Scope{Tenant: tenant, Collection: Handbook}
}

// HandbookQuery asks for the passages of the handbook most relevant to a text.
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
	// Score is the passage's relevance to the query, in [0,1].
	Score float64
}

// HandbookHits is the result of a search of the handbook.
type HandbookHits struct {
	// Passages are in order of relevance. A document may have several.
	Passages []HandbookPassage
	Coverage
}

// SearchHandbook returns the passages most relevant to the query.
func (s *Searcher) SearchHandbook(ctx context.Context, edition HandbookEdition, query HandbookQuery) (HandbookHits, error) {
	hits := HandbookHits{Passages: []HandbookPassage{}, Coverage: Coverage{Mode: Hybrid, Embedded: 1}}
	if edition == (HandbookEdition{}) {
		return hits, nil
	}
	search := Query{Text: query.Text, Limit: query.Limit}
	if query.Section != "" {
		search.DocTypes = []string{query.Section}
	}
	scope := edition.scope()
	passages := newPassageList(scope, search)
	found, err := s.lookUp(ctx, scope, query.Text, Hybrid, passages)
	if err != nil {
		return HandbookHits{}, err
	}
	list := found.hits(passages)
	for _, hit := range list.Documents {
		hits.Passages = append(hits.Passages, HandbookPassage{
			Section: hit.DocType, Source: hit.Path, Chunk: hit.ordinal, Content: hit.content, Score: hit.Score,
		})
	}
	hits.Coverage = list.Coverage
	return hits, nil
}

// HandbookSections returns the sections that documents of the handbook are in,
// sorted.
func (s *Searcher) HandbookSections(ctx context.Context, edition HandbookEdition) ([]string, error) {
	documents, err := s.CountByType(ctx, edition.scope())
	return slices.Sorted(maps.Keys(documents)), err
}
