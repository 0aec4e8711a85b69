package rag

import (
	"bytes"
	"context"
	"crypto/sha256"
	"time"
	"unicode/utf8"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// Level validates a file as a document and returns its promotion level.
func (x *Indexer) Level(file File) (Level, error) {
	doc, err := prepare(file, x.collection, x.schema, ollama.Model{})
	if err != nil {
		return "", err
	}
	return doc.level, nil
}

// Promote brings document and chunks in line with a file of which only the
// promotion line was edited, in one transaction and without a model. It reports
// false if the index does not hold the file as it was before.
func (x *Indexer) Promote(ctx context.Context, before, after File, level Level) (done bool, err error) {
	previous, current := sha256.Sum256(before.Content), sha256.Sum256(after.Content)
	addedLines := int32(bytes.Count(after.Content, []byte("\n")) - bytes.Count(before.Content, []byte("\n")))
	err = x.library.db.Write(ctx, "promote document", func(q *db.Queries) error {
		id, err := q.DocumentPromote(ctx, db.DocumentPromoteParams{
			PromotionLevel: level, ContentHash: current[:], FileSize: after.Size,
			FileMtime:  after.ModTime.Truncate(time.Microsecond),
			AddedChars: int32(utf8.RuneCount(after.Content) - utf8.RuneCount(before.Content)),
			AddedLines: addedLines, ProjectID: x.tenant.projectID, TenantID: x.tenant.id,
			Collection: x.collection, RelativePath: after.Path, PreviousHash: previous[:],
		})
		if db.IsNoRows(err) {
			return nil
		}
		if err != nil {
			return err
		}
		done = true
		if err := q.ChunkPromote(ctx, db.ChunkPromoteParams{
			PromotionLevel: level, AddedLines: addedLines, ProjectID: x.tenant.projectID, DocumentID: id,
		}); err != nil {
			return err
		}
		return x.bump(ctx, q)
	})
	return done && err == nil, err
}
