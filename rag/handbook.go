package rag

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pgvector/pgvector-go"

	"github.com/compound-docs/compound-docs/db"
)

// handbookKey names the handbook's one tenant. No project's config can have the
// name, which begins with a letter there.
func handbookKey() TenantKey { return TenantKey{Project: ":handbook"} }

// Handbook registers the handbook's tenant, or finds it. Its documents are in
// the collection [Handbook]; their paths begin with the name of the folder
// that they came from, and their doc-type is their section.
func (l *Library) Handbook(ctx context.Context) (*Tenant, error) {
	return l.Tenant(ctx, handbookKey(), "")
}

// HandbookEdition is the handbook between two changes: equal editions have
// equal content. The zero value is a handbook that was never filled.
type HandbookEdition struct {
	projectID, tenantID int32
	generation, version int64
}

// HandbookEdition returns the present edition.
func (l *Library) HandbookEdition(ctx context.Context) (edition HandbookEdition, err error) {
	key := handbookKey()
	err = l.db.Read(ctx, "look up the handbook", func(q *db.Queries) error {
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
	tenant := &Tenant{Key: handbookKey(), projectID: e.projectID, id: e.tenantID, generation: e.generation}
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
func (l *Library) SearchHandbook(
	ctx context.Context, edition HandbookEdition, query HandbookQuery,
) (passages []HandbookPassage, err error) {
	if edition == (HandbookEdition{}) {
		return []HandbookPassage{}, nil
	}
	scope := edition.scope()
	vector, err := l.queryVector(ctx, scope.Tenant, query.Text)
	if err != nil {
		return nil, err
	}
	var sections []string
	if query.Section != "" {
		sections = []string{query.Section}
	}
	filter := newFilter(scope, Query{DocTypes: sections, Limit: query.Limit}, Levels())
	err = l.db.Read(ctx, "search the handbook", func(q *db.Queries) error {
		passages, err = alongRoute(ctx, l, q, filter,
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
		ProjectID: f.scope.Tenant.projectID, TenantID: f.scope.Tenant.id, Collection: f.scope.Collection,
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
		ProjectID: f.scope.Tenant.projectID, TenantID: f.scope.Tenant.id, Collection: f.scope.Collection,
		DocTypes: f.docTypes, Levels: f.levels, Query: vector, MaxPassages: f.limit, MaxWalked: f.toWalk(),
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
func (l *Library) HandbookSections(ctx context.Context, edition HandbookEdition) ([]string, error) {
	documents, err := l.CountByType(ctx, edition.scope())
	return slices.Sorted(maps.Keys(documents)), err
}

// handbookSection is the front matter's section, else the first folder below
// the ingested one, else the name of the file.
func handbookSection(source string, frontMatter map[string]any) string {
	if section, ok := frontMatter["section"].(string); ok && strings.TrimSpace(section) != "" {
		return strings.TrimSpace(section)
	}
	if parts := strings.Split(source, "/"); len(parts) > 2 {
		return parts[1]
	}
	base := path.Base(source)
	return strings.TrimSuffix(base, path.Ext(base))
}
