package lookup

import (
	"context"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/rank"
)

// Texts returns all passages of some documents of the scope, in their order in each document.
func (r *Reader) Texts(ctx context.Context, request Request, documents []int64) ([]rank.Candidate, error) {
	rows, err := db.ReadOne(ctx, r.db, "read texts", (*db.Queries).ChunkTexts, db.ChunkTextsParams{
		ProjectID: request.Scope.Tenant.ProjectID, Collection: request.Scope.Collection, DocumentIds: documents,
		Terms: termVector(request.Question.Weights), Query: request.Vector, ModelID: request.comparedModel(),
		Meaning: request.Meaning,
	})
	texts := make([]rank.Candidate, len(rows))
	for i, row := range rows {
		texts[i] = rank.Candidate{
			Hit: rank.Hit{
				ID: row.DocumentID, Ordinal: int(row.Ordinal), HeaderPath: row.HeaderPath, Content: row.Content,
				StartLine: int(row.StartLine), EndLine: int(row.EndLine),
			},
			Heading: row.Heading, Bm25: row.Bm25, Distance: row.Distance, Likeness: row.Likeness, LineIndex: -1,
		}
	}
	return texts, err
}

// Linked returns the pairs of documents in which the first links to the second, by their IDs.
func (r *Reader) Linked(ctx context.Context, scope catalog.Scope, documents []int64) (map[[2]int64]bool, error) {
	pairs, err := db.ReadOne(ctx, r.db, "read links", (*db.Queries).LinkPairs, db.LinkPairsParams{
		ProjectID: scope.Tenant.ProjectID, Documents: documents,
	})
	linked := make(map[[2]int64]bool, len(pairs))
	for _, pair := range pairs {
		linked[[2]int64{pair.FromID, pair.ToID}] = true
	}
	return linked, err
}
