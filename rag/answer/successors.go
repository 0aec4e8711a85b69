package answer

import (
	"context"
	"maps"
	"slices"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// withSuccessors returns the sources of an answer: the critical documents, then the
// others. A document that another one replaces is no rule any more: it has no critical
// place, and stands behind its latest successor, which comes whatever its score. The
// successor of a critical document is critical here.
func (a *Answerer) withSuccessors(ctx context.Context, found rag.Hits, question Question) ([]rag.Hit, error) {
	var critical, others []rag.Hit
	missing := map[string]catalog.Level{} // paths of successors, with the level that they inherit
	for _, hit := range found.Critical {
		if hit.SupersededBy == "" {
			critical = append(critical, hit)
			continue
		}
		missing[found.Latest(hit.Path)] = catalog.Critical
		if hit.Score >= question.MinScore {
			others = append(others, hit)
		}
	}
	others = slices.Concat(found.Documents, others)
	for _, hit := range others {
		if path := found.Latest(hit.Path); path != hit.Path && missing[path] == "" {
			missing[path] = catalog.Standard
		}
	}
	for _, hit := range critical {
		delete(missing, hit.Path)
	}
	if len(missing) == 0 {
		return slices.Concat(critical, others, []rag.Hit{}), nil
	}
	successors, err := a.documents(ctx, found, slices.Sorted(maps.Keys(missing)))
	if err == nil {
		err = a.assess(ctx, found, successors)
	}
	if err != nil {
		return nil, err
	}
	for _, successor := range successors {
		here := slices.IndexFunc(others, func(hit rag.Hit) bool { return hit.ID == successor.ID })
		switch {
		case missing[successor.Path] == catalog.Critical:
			if here >= 0 {
				others = slices.Delete(others, here, here+1)
			}
			critical = append(critical, successor)
		case here < 0:
			replaced := slices.IndexFunc(others, func(hit rag.Hit) bool { return found.Latest(hit.Path) == successor.Path })
			others = slices.Insert(others, replaced, successor)
		}
	}
	return slices.Concat(critical, others, []rag.Hit{}), nil
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
