package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/pgvector/pgvector-go"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
)

// errPassageGone is a passage that existed when it was looked up and no longer
// does when the document that needs it is written.
var errPassageGone = errors.New("a passage was swept while it was being reused")

// maxPassagesInserted bounds one statement: what is sent holds every text and vector
// once more.
const maxPassagesInserted = 500

// write puts all documents of the batch into the index in one transaction. If
// the database refuses the data of one, they go one by one, so that only that
// one fails.
func (b *batch) write(ctx context.Context) error {
	if len(b.documents) == 0 {
		return nil
	}
	err := b.writeDocuments(ctx, slices.Clone(b.documents))
	if !db.IsKind(err, db.KindData) {
		return err
	}
	for _, doc := range slices.Clone(b.documents) {
		switch err := b.writeDocuments(ctx, []*prepared{doc}); {
		case db.IsKind(err, db.KindData):
			b.drop(doc, err)
		case err != nil:
			return err
		}
	}
	return nil
}

func (b *batch) writeDocuments(ctx context.Context, documents []*prepared) error {
	x := b.indexer
	share := x.firstSync.semaphoreWeight()
	if err := x.index.writers.Acquire(ctx, share); err != nil {
		return fmt.Errorf("wait to write documents: %w", err)
	}
	defer x.index.writers.Release(share)
	var changed []string
	err := x.write(ctx, "write documents", func(q *db.Queries) error {
		if err := b.writePassages(ctx, q, documents); err != nil {
			return err
		}
		if err := x.tenant.IncrementVersion(ctx, q); err != nil {
			return err
		}
		if err := b.checkModel(ctx, q); err != nil {
			return err
		}
		changed = x.changed(stampsOf(documents))
		documents := slices.DeleteFunc(slices.Clone(documents), func(doc *prepared) bool {
			return slices.Contains(changed, doc.file.Path)
		})
		if len(documents) == 0 {
			return nil
		}
		rows, err := q.DocumentUpsertMany(ctx, x.upsertParams(documents))
		if err != nil {
			return err
		}
		ids := make(map[string]int64, len(rows))
		for _, row := range rows {
			ids[row.RelativePath] = row.ID
		}
		if err := x.writeChunks(ctx, q, documents, ids); err != nil {
			return err
		}
		return x.writeLinks(ctx, q, documents, ids)
	})
	if err != nil {
		return err
	}
	for _, doc := range documents {
		if slices.Contains(changed, doc.file.Path) {
			b.fail(doc.file.Path, document.ErrChanged)
			b.leaveOut(doc)
		}
	}
	if x.firstSync.needsAnalyze(documents) {
		x.analyze(ctx)
	}
	return nil
}

func stampsOf(documents []*prepared) map[string]document.Stamp {
	stamps := make(map[string]document.Stamp, len(documents))
	for _, doc := range documents {
		stamps[doc.file.Path] = doc.file.Stamp()
	}
	return stamps
}

// analyze lets the database plan by what it holds now. Without it searches are slow,
// but right.
func (x *Indexer) analyze(ctx context.Context) {
	if err := x.index.db.Analyze(ctx, x.collection); err != nil && ctx.Err() == nil {
		x.index.logger.WarnContext(ctx, "searches may be slow for a while", "error", err)
	}
}

// checkModel fails if the tenant is of another model than the batch by now. It
// comes after the bump, whose lock on the tenant's row a Reset waits for.
func (b *batch) checkModel(ctx context.Context, q *db.Queries) error {
	tenant := b.indexer.tenant
	stored, err := rag.StoredModel(ctx, q, tenant)
	if err != nil {
		return err
	}
	if stored == nil || *stored != b.model {
		return fmt.Errorf("%s was indexed again with another embedding model meanwhile", tenant.Key.Project)
	}
	return nil
}

// writePassages inserts the passages that were embedded for the batch, and
// makes sure that the others are still there.
func (b *batch) writePassages(ctx context.Context, q *db.Queries, documents []*prepared) error {
	fresh, reused, promoted := map[uuid.UUID]passage{}, map[uuid.UUID]struct{}{}, map[uuid.UUID]bool{}
	for _, doc := range documents {
		for _, p := range doc.passages {
			promoted[p.hash] = promoted[p.hash] || doc.level != rag.Standard
			if b.vectors[p.hash] != nil {
				fresh[p.hash] = p
			} else {
				reused[p.hash] = struct{}{}
			}
		}
	}
	existing, err := q.PassageExisting(ctx, db.PassageExistingParams{
		Collection: b.indexer.collection, ProjectID: b.indexer.tenant.ProjectID,
		Hashes: slices.Collect(maps.Keys(reused)),
	})
	if err != nil {
		return err
	}
	if len(existing) < len(reused) {
		return errPassageGone
	}
	byHash := func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) }
	for hashes := range slices.Chunk(slices.SortedFunc(maps.Keys(fresh), byHash), maxPassagesInserted) {
		params := db.PassageInsertManyParams{Collection: b.indexer.collection, ProjectID: b.indexer.tenant.ProjectID, Hashes: hashes}
		for _, hash := range hashes {
			params.Headings = append(params.Headings, fresh[hash].heading)
			params.Contents = append(params.Contents, fresh[hash].Text)
			params.Embeddings = append(params.Embeddings, pgvector.NewHalfVector(b.vectors[hash]))
			params.Promoted = append(params.Promoted, promoted[hash])
		}
		if err := q.PassageInsertMany(ctx, params); err != nil {
			return err
		}
	}
	return nil
}

func (x *Indexer) upsertParams(documents []*prepared) db.DocumentUpsertManyParams {
	params := db.DocumentUpsertManyParams{
		ProjectID: x.tenant.ProjectID, TenantID: x.tenant.ID, Collection: x.collection,
	}
	for _, doc := range documents {
		params.RelativePaths = append(params.RelativePaths, doc.file.Path)
		params.Titles = append(params.Titles, doc.title)
		params.Summaries = append(params.Summaries, doc.summary)
		params.DocTypes = append(params.DocTypes, doc.docType)
		params.DocDates = append(params.DocDates, doc.date)
		params.PromotionLevels = append(params.PromotionLevels, doc.level)
		params.ContentHashes = append(params.ContentHashes, doc.contentHash[:])
		params.SchemaHashes = append(params.SchemaHashes, doc.schemaHash)
		params.CharCounts = append(params.CharCounts, int32(doc.charCount))
		params.LineCounts = append(params.LineCounts, int32(doc.lineCount))
		params.FileSizes = append(params.FileSizes, doc.file.Size)
		params.FileMtimes = append(params.FileMtimes, doc.file.ModTime.Truncate(time.Microsecond))
		params.FileCtimes = append(params.FileCtimes, doc.file.ChangeTime.Truncate(time.Microsecond))
		params.FileInodes = append(params.FileInodes, int64(doc.file.Inode))
		params.ChunkCounts = append(params.ChunkCounts, doc.chunkCount())
	}
	return params
}

// chunkCount is 0 for a document that is one passage: it is not chunked.
func (d *prepared) chunkCount() int32 {
	if len(d.passages) < 2 {
		return 0
	}
	return int32(len(d.passages))
}

func (x *Indexer) writeChunks(ctx context.Context, q *db.Queries, documents []*prepared, ids map[string]int64) error {
	if err := q.ChunkDeleteByDocuments(ctx, db.ChunkDeleteByDocumentsParams{
		ProjectID: x.tenant.ProjectID, DocumentIds: slices.Collect(maps.Values(ids)),
	}); err != nil {
		return err
	}
	var chunks []db.ChunkInsertManyParams
	for _, doc := range documents {
		for i, p := range doc.passages {
			chunks = append(chunks, db.ChunkInsertManyParams{
				ProjectID: x.tenant.ProjectID, TenantID: x.tenant.ID, DocumentID: ids[doc.file.Path],
				Collection: x.collection, Ordinal: int32(i),
				StartLine: int32(p.StartLine), EndLine: int32(p.EndLine),
				PromotionLevel: doc.level, PassageHash: p.hash, HeaderPath: p.HeaderPath,
			})
		}
	}
	_, err := q.ChunkInsertMany(ctx, chunks)
	return err
}

func (x *Indexer) writeLinks(ctx context.Context, q *db.Queries, documents []*prepared, ids map[string]int64) error {
	if err := q.LinkDeleteByDocuments(ctx, db.LinkDeleteByDocumentsParams{
		ProjectID: x.tenant.ProjectID, DocumentIds: slices.Collect(maps.Values(ids)),
	}); err != nil {
		return err
	}
	var links []db.LinkInsertManyParams
	for _, doc := range documents {
		for i, link := range doc.links {
			links = append(links, db.LinkInsertManyParams{
				ProjectID: x.tenant.ProjectID, TenantID: x.tenant.ID, DocumentID: ids[doc.file.Path],
				Ordinal: int32(i), TargetPath: link.target, FallbackPath: link.fallback,
			})
		}
	}
	if len(links) == 0 {
		return nil
	}
	_, err := q.LinkInsertMany(ctx, links)
	return err
}
