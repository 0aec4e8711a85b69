package index

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// WithLevel returns the file's bytes with the promotion line changed, or added,
// and nothing else, and the document's level before. The error says why the file is not
// a document, or would not be one with the new level.
func (x *Indexer) WithLevel(file document.File, level catalog.Level) (content []byte, previous catalog.Level, err error) {
	before, err := prepare(file, x.collection, x.schema)
	if err != nil {
		return nil, "", err
	}
	if content, err = markdown.SetPromotionLevel(file.Content, string(level)); err != nil {
		return nil, "", &apierror.Error{Code: apierror.SchemaValidationFailed, Err: err}
	}
	file.Content = content
	after, err := prepare(file, x.collection, x.schema)
	if err != nil {
		refused := apierror.AsError(err)
		return nil, "", &apierror.Error{
			Code: refused.Code, Op: fmt.Sprintf("with the level %s", level), Err: refused.Err, Details: refused.Details,
		}
	}
	if after.level != level {
		return nil, "", apierror.Errorf(apierror.SchemaValidationFailed, "the front matter cannot take the level %s", level)
	}
	return content, before.level, nil
}

// Promote brings document and chunks in line with a file that was changed as
// [Indexer.WithLevel] says, in one transaction. It reports false if the file must be
// indexed again instead, because the index holds another version of it, the added lines
// change its passages, or it has changed again.
func (x *Indexer) Promote(ctx context.Context, before, after document.File) (done bool, err error) {
	old, err := prepare(before, x.collection, x.schema)
	if err != nil {
		return false, err
	}
	promoted, err := prepare(after, x.collection, x.schema)
	if err != nil {
		return false, err
	}
	if !slices.EqualFunc(old.passages, promoted.passages, samePassage) {
		return false, nil
	}
	err = x.write(ctx, "promote document", func(q *db.Queries) error {
		done = false
		if err := x.tenant.IncrementVersion(ctx, q, x.lockProject(ctx)); err != nil {
			return err
		}
		if len(x.changed(map[string]document.Stamp{after.Path: after.Stamp()})) > 0 {
			return nil
		}
		id, err := q.DocumentPromote(ctx, db.DocumentPromoteParams{
			PromotionLevel: promoted.level, ContentHash: promoted.contentHash[:],
			CharCount: int32(promoted.charCount), FileSize: after.Size, FileMtime: after.ModTime.Truncate(time.Microsecond),
			FileCtime: after.ChangeTime.Truncate(time.Microsecond), FileInode: int64(after.Inode),
			ProjectID: x.tenant.ProjectID, TenantID: x.tenant.ID, Collection: x.collection,
			RelativePath: after.Path, PreviousHash: old.contentHash[:],
		})
		if db.IsNoRows(err) {
			return nil
		}
		if err != nil {
			return err
		}
		done = true
		last := len(promoted.passages) - 1
		params := db.ChunkPromoteParams{
			PromotionLevel: promoted.level, FirstSection: int32(len(promoted.passages) - promoted.sections),
			AddedLines: int32(promoted.passages[last].EndLine - old.passages[last].EndLine),
			ProjectID:  x.tenant.ProjectID, DocumentID: id,
		}
		return q.Commit(ctx, func(q *db.Queries) error { return q.ChunkPromote(ctx, params) })
	})
	return done && err == nil, err
}

// samePassage compares the text, not where it stands.
func samePassage(a, b passage) bool { return a.hash == b.hash && a.HeaderPath == b.HeaderPath }
