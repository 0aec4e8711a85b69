package answer

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
)

// withSuccessors returns the sources of an answer, by relevance. A critical document that
// another one replaces is no rule any more: it is left out below the minimum score. Each latest
// successor comes whatever its score, before the documents that it replaces.
func (a *Answerer) withSuccessors(ctx context.Context, found rag.Hits, documents []rag.Hit, minScore float64) ([]rag.Hit, error) {
	sources, missing := slices.Concat(documents, []rag.Hit{}), map[string]bool{}
	for _, hit := range found.Critical {
		if hit.SupersededBy == "" || hit.Score >= minScore {
			sources = append(sources, hit)
		}
	}
	for _, hit := range slices.Concat(documents, found.Critical) {
		missing[found.Latest(hit.Path)] = hit.SupersededBy != ""
	}
	for _, hit := range sources {
		missing[hit.Path] = false
	}
	maps.DeleteFunc(missing, func(_ string, is bool) bool { return !is })
	if len(missing) > 0 {
		successors, err := a.documents(ctx, found, slices.Sorted(maps.Keys(missing)))
		if err == nil {
			err = a.assess(ctx, found, successors)
		}
		if err != nil {
			return nil, err
		}
		sources = append(sources, successors...)
	}
	slices.SortStableFunc(sources, func(a, b rag.Hit) int { return cmp.Compare(b.Score, a.Score) })
	for i, hit := range sources {
		latest := found.Latest(hit.Path)
		later := slices.IndexFunc(sources, func(other rag.Hit) bool { return other.Path == latest })
		if later > i {
			successor := sources[later]
			sources = slices.Insert(slices.Delete(sources, later, later+1), i, successor)
		}
	}
	return sources, nil
}

// documents returns the documents at the paths, without their passages.
func (a *Answerer) documents(ctx context.Context, found rag.Hits, paths []string) ([]rag.Hit, error) {
	scope := found.Scope()
	rows, err := db.ReadOne(ctx, a.db, "read documents", (*db.Queries).DocumentsByPath, db.DocumentsByPathParams{
		ProjectID: scope.Tenant.ProjectID, TenantID: scope.Tenant.ID, Collection: scope.Collection, RelativePaths: paths,
	})
	hits := make([]rag.Hit, len(rows))
	for i, row := range rows {
		hits[i] = rag.Hit{
			ID: row.ID, Path: row.RelativePath, Title: row.Title, Summary: row.Summary, CharCount: int(row.CharCount),
			DocType: row.DocType, Date: row.DocDate, Level: row.PromotionLevel,
			Stamp: document.Stamp{
				Size: row.FileSize, ModTime: row.FileMtime, ChangeTime: row.FileCtime, Inode: uint64(row.FileInode),
			},
		}
		if latest := found.Latest(row.RelativePath); latest != row.RelativePath {
			hits[i].SupersededBy = latest
		}
	}
	return hits, err
}

// assess sets the best passages of documents and their relevance to what was searched for.
func (a *Answerer) assess(ctx context.Context, found rag.Hits, hits []rag.Hit) error {
	ids := make([]int64, len(hits))
	for i, hit := range hits {
		ids[i] = hit.ID
	}
	passages, err := a.searcher.Passages(ctx, found, ids)
	for _, p := range passages {
		hit := &hits[slices.Index(ids, p.DocumentID)]
		if p.Score > hit.Score || hit.StartLine == 0 {
			hit.Score, hit.Content = p.Score, p.Content
			hit.HeaderPath, hit.StartLine, hit.EndLine = p.HeaderPath, p.StartLine, p.EndLine
		}
	}
	return err
}
