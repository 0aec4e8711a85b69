package answer

import (
	"cmp"
	"context"
	"slices"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// withSuccessors returns the sources of an answer, by relevance. A critical document that another one
// replaces is left out below the minimum score. Its latest successor comes whatever its score, and before it, unless it
// is below the minimum level.
func (a *Answerer) withSuccessors(
	ctx context.Context, results rag.Hits, documents []rag.Hit, question Question,
) ([]rag.Hit, error) {
	sources := slices.Clone(documents)
	for _, hit := range results.Critical {
		if hit.SupersededBy == "" || hit.Score >= question.MinScore {
			sources = append(sources, hit)
		}
	}
	position := func(path string) int {
		return slices.IndexFunc(sources, func(hit rag.Hit) bool { return hit.Path == path })
	}
	replaced := results.Critical
	if len(question.DocTypes) == 0 { // else the search has found those of the doc-types
		replaced = slices.Concat(documents, replaced)
	}
	var missing []string
	for _, hit := range replaced {
		if latest := results.Latest(hit.Path); hit.SupersededBy != "" && position(latest) < 0 {
			missing = append(missing, latest)
		}
	}
	if len(missing) > 0 {
		successors, err := a.documents(ctx, results, missing, question.MinLevel)
		if err != nil {
			return nil, err
		}
		if err := a.assess(ctx, results, successors); err != nil {
			return nil, err
		}
		sources = append(sources, successors...)
	}
	slices.SortStableFunc(sources, func(a, b rag.Hit) int { return cmp.Compare(b.Score, a.Score) })
	for i, hit := range sources {
		if later := position(results.Latest(hit.Path)); later > i {
			successor := sources[later]
			sources = slices.Insert(slices.Delete(sources, later, later+1), i, successor)
		}
	}
	return sources, nil
}

// documents returns the documents at the paths that have the level at least, without their passages.
func (a *Answerer) documents(ctx context.Context, results rag.Hits, paths []string, least catalog.Level) ([]rag.Hit, error) {
	scope := results.Scope()
	rows, err := db.ReadOne(ctx, a.db, "read documents", (*db.Queries).DocumentsByPath, db.DocumentsByPathParams{
		ProjectID: scope.Tenant.ProjectID, TenantID: scope.Tenant.ID, Collection: scope.Collection, RelativePaths: paths,
	})
	hits := []rag.Hit{}
	for _, row := range rows {
		if rank(row.PromotionLevel) < rank(least) {
			continue
		}
		hits = append(hits, rag.Hit{
			ID: row.ID, Path: row.RelativePath, Title: row.Title, Summary: row.Summary, CharCount: int(row.CharCount),
			DocType: row.DocType, Date: row.DocDate, Level: row.PromotionLevel,
			Stamp: document.Stamp{
				Size: row.FileSize, ModTime: row.FileMtime, ChangeTime: row.FileCtime, Inode: uint64(row.FileInode),
			},
			Standing: results.Standing(row.RelativePath),
		})
	}
	return hits, err
}

// assess sets the best passages of documents and their relevance to what was searched for.
func (a *Answerer) assess(ctx context.Context, results rag.Hits, hits []rag.Hit) error {
	ids := make([]int64, len(hits))
	for i, hit := range hits {
		ids[i] = hit.ID
	}
	passages, err := a.searcher.Passages(ctx, results, ids)
	for _, p := range passages {
		hit := &hits[slices.Index(ids, p.DocumentID)]
		if p.Score > hit.Score || hit.StartLine == 0 {
			hit.Score, hit.Content = p.Score, p.Content
			hit.HeaderPath, hit.StartLine, hit.EndLine = p.HeaderPath, p.StartLine, p.EndLine
		}
	}
	return err
}
