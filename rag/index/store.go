package index

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/terms"
	"github.com/compound-docs/compound-docs/rag/wordvec"
)

// maxPassagesInserted bounds the memory that a statement takes: it holds every text and its terms once more.
const maxPassagesInserted = 500

// writeDocuments puts documents into the index in one transaction of six round trips. It
// leaves out those whose files have changed since they were read, and returns their paths.
func (x *Indexer) writeDocuments(ctx context.Context, documents []*prepared) (changed []string, err error) {
	if len(documents) == 0 {
		return nil, nil
	}
	err = x.write(ctx, "write documents", func(q *db.Queries) error {
		if err := x.insertPassages(ctx, q, documents); err != nil {
			return err
		}
		if err := x.tenant.IncrementVersion(ctx, q); err != nil {
			return err
		}
		changed = x.changed(stampsOf(documents))
		unchanged := slices.DeleteFunc(slices.Clone(documents), func(doc *prepared) bool {
			return slices.Contains(changed, doc.file.Path)
		})
		if len(unchanged) == 0 {
			return nil
		}
		return x.replace(ctx, q, unchanged)
	})
	if err != nil {
		return nil, err
	}
	chunks := 0
	for _, doc := range documents {
		chunks += len(doc.Passages)
	}
	if x.growth.add(chunks) {
		x.index.analyzed(ctx, x.index.db.AnalyzeText(ctx, x.collection))
	}
	return changed, nil
}

func stampsOf(documents []*prepared) map[string]document.Stamp {
	stamps := make(map[string]document.Stamp, len(documents))
	for _, doc := range documents {
		stamps[doc.file.Path] = doc.file.Stamp()
	}
	return stamps
}

// insertPassages inserts the passages that the project does not have. None is removed before
// the transaction ends.
func (x *Indexer) insertPassages(ctx context.Context, q *db.Queries, documents []*prepared) error {
	passages, promoted := map[uuid.UUID]DissectedPassage{}, map[uuid.UUID]bool{}
	for _, doc := range documents {
		for _, p := range doc.Passages {
			passages[p.hash] = p
			promoted[p.hash] = promoted[p.hash] || doc.Level != catalog.Standard
		}
	}
	for hashes := range slices.Chunk(slices.SortedFunc(maps.Keys(passages), compareHashes), maxPassagesInserted) {
		if x.Again {
			altered := db.PassageDeleteAlteredParams{Collection: x.collection, ProjectID: x.tenant.ProjectID, Hashes: hashes}
			for _, hash := range hashes {
				altered.Headings = append(altered.Headings, passages[hash].Heading)
				altered.Contents = append(altered.Contents, passages[hash].Text)
			}
			if err := q.PassageDeleteAltered(ctx, altered); err != nil {
				return err
			}
		}
		existing, err := q.PassageExisting(ctx, db.PassageExistingParams{
			Collection: x.collection, ProjectID: x.tenant.ProjectID, Hashes: hashes,
		})
		if err != nil {
			return err
		}
		missing := slices.DeleteFunc(slices.Clone(hashes), func(hash uuid.UUID) bool { return slices.Contains(existing, hash) })
		if len(missing) == 0 {
			continue
		}
		params := db.PassageInsertManyParams{
			Collection: x.collection, ProjectID: x.tenant.ProjectID, TenantID: x.tenant.ID, Hashes: missing,
		}
		var lists, lexicals []byte
		meanings := make([]string, len(missing))
		for i, hash := range missing {
			p := passages[hash]
			params.Headings = append(params.Headings, p.Heading)
			params.Contents = append(params.Contents, p.Text)
			lists, lexicals = appendLexicalSide(lists, lexicals, x.tenant.ProjectID, p)
			meanings[i] = meaning(p)
			params.Promoted = append(params.Promoted, promoted[hash])
		}
		params.Terms, params.Lexicals = string(lists), string(lexicals)
		params.Meanings = strings.Join(meanings, ";")
		if err := q.PassageInsertMany(ctx, params); err != nil {
			return err
		}
	}
	return nil
}

func compareHashes(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) }

// appendLexicalSide appends what a search by words compares, as PassageInsertMany takes it: the
// passage's terms, and their weights to four digits after the point: scores have three.
func appendLexicalSide(lists, lexicals []byte, project int32, p DissectedPassage) (_, _ []byte) {
	if len(lists) > 0 {
		lists, lexicals = append(lists, ';'), append(lexicals, ';')
	}
	lists, lexicals = append(lists, '{'), append(lexicals, '{')
	hashes, weights := terms.Document(project, p.language, p.Heading, p.Text)
	for i, hash := range hashes {
		if i > 0 {
			lists, lexicals = append(lists, ','), append(lexicals, ',')
		}
		lists = strconv.AppendInt(lists, int64(hash), 10)
		lexicals = append(strconv.AppendInt(lexicals, int64(hash), 10), ':')
		lexicals = strconv.AppendFloat(lexicals, float64(weights[i]), 'f', 4, 32)
	}
	lists, lexicals = append(lists, '}'), append(lexicals, "}/"...)
	return lists, strconv.AppendInt(lexicals, terms.Dimensions, 10)
}

// meaning returns the built-in vector of a passage as a halfvec, "" for none: the table is of English. Searches
// compare directions alone, so the numbers are whole, which PostgreSQL reads faster.
func meaning(p DissectedPassage) string {
	if p.language != terms.English {
		return ""
	}
	vector := wordvec.Vector(p.Heading + "\n" + p.Text)
	if vector == nil {
		return ""
	}
	const length = 1000
	text := make([]byte, 0, 5*len(vector))
	for i, x := range vector {
		text = append(text, ","[:min(i, 1)]...)
		text = strconv.AppendInt(text, int64(math.Round(length*float64(x))), 10)
	}
	return "[" + string(text) + "]"
}

// replace writes documents, their chunks and their links in place of earlier versions. It
// is one round trip, because other writers of the tenant wait for it.
func (x *Indexer) replace(ctx context.Context, q *db.Queries, documents []*prepared) error {
	upsert, chunks, links := x.upsertParams(documents), x.chunkParams(documents), x.linkParams(documents)
	return db.Batch(q, func(q *db.Queries) error {
		return errors.Join(
			q.DocumentUpsertMany(ctx, upsert),
			q.ChunkDeleteByPaths(ctx, db.ChunkDeleteByPathsParams{
				ProjectID: upsert.ProjectID, TenantID: upsert.TenantID, Collection: upsert.Collection, RelativePaths: upsert.RelativePaths,
			}),
			q.ChunkInsertMany(ctx, chunks),
			q.LinkDeleteByPaths(ctx, db.LinkDeleteByPathsParams{
				ProjectID: upsert.ProjectID, TenantID: upsert.TenantID, Collection: upsert.Collection, RelativePaths: upsert.RelativePaths,
			}),
			q.LinkInsertMany(ctx, links),
		)
	})
}

func (x *Indexer) upsertParams(documents []*prepared) db.DocumentUpsertManyParams {
	params := db.DocumentUpsertManyParams{
		ProjectID: x.tenant.ProjectID, TenantID: x.tenant.ID, Collection: x.collection,
	}
	for _, doc := range documents {
		params.RelativePaths = append(params.RelativePaths, doc.file.Path)
		params.Titles = append(params.Titles, doc.Title)
		params.Summaries = append(params.Summaries, doc.Summary)
		params.Tags = append(params.Tags, markdown.CutRunes(joined(doc.FrontMatter["tags"]), maxTags))
		params.DocTypes = append(params.DocTypes, doc.DocType)
		params.DocDates = append(params.DocDates, doc.Date)
		params.PromotionLevels = append(params.PromotionLevels, doc.Level)
		hash := doc.file.Stamp().Hash
		params.ContentHashes = append(params.ContentHashes, hash[:])
		params.SchemaHashes = append(params.SchemaHashes, doc.schemaHash)
		params.CharCounts = append(params.CharCounts, int32(doc.parsed.CharCount))
		params.FileSizes = append(params.FileSizes, doc.file.Size)
		params.FileMtimes = append(params.FileMtimes, doc.file.ModTime.Truncate(time.Microsecond))
		params.FileCtimes = append(params.FileCtimes, doc.file.ChangeTime.Truncate(time.Microsecond))
		params.FileInodes = append(params.FileInodes, int64(doc.file.Inode))
		params.Places = append(params.Places, strings.Join(placeTexts(doc.Places), "\n"))
		params.Quotes = append(params.Quotes, quoteTexts(doc.parsed))
		params.ChunkCounts = append(params.ChunkCounts, doc.chunkCount())
	}
	return params
}

// chunkCount is 0 for a document whose text is one passage: it is not chunked.
func (d *prepared) chunkCount() int32 {
	if d.sections < 2 {
		return 0
	}
	return int32(d.sections)
}

func (x *Indexer) chunkParams(documents []*prepared) db.ChunkInsertManyParams {
	params := db.ChunkInsertManyParams{ProjectID: x.tenant.ProjectID, TenantID: x.tenant.ID, Collection: x.collection}
	for _, doc := range documents {
		for i, p := range doc.Passages {
			if p.Question {
				i -= len(doc.Passages) // see document_chunks
			}
			params.RelativePaths = append(params.RelativePaths, doc.file.Path)
			params.Ordinals = append(params.Ordinals, int32(i))
			params.StartLines = append(params.StartLines, int32(p.StartLine))
			params.EndLines = append(params.EndLines, int32(p.EndLine))
			params.PassageHashes = append(params.PassageHashes, p.hash)
			params.HeaderPaths = append(params.HeaderPaths, p.HeaderPath)
		}
	}
	return params
}

func (x *Indexer) linkParams(documents []*prepared) db.LinkInsertManyParams {
	params := db.LinkInsertManyParams{ProjectID: x.tenant.ProjectID, TenantID: x.tenant.ID, Collection: x.collection}
	for _, doc := range documents {
		for i, link := range doc.Links {
			params.RelativePaths = append(params.RelativePaths, doc.file.Path)
			params.Ordinals = append(params.Ordinals, int32(i))
			params.TargetPaths = append(params.TargetPaths, link.Target)
			params.FallbackPaths = append(params.FallbackPaths, link.Fallback)
			params.Supersedes = append(params.Supersedes, link.Supersedes)
		}
	}
	return params
}

// analyzeFrom is the number of new rows from which ANALYZE is run. Without statistics PostgreSQL takes a
// tenant for empty, and plans searches that read all of it for every passage. Autovacuum runs a minute later,
// and never for a small tenant among many.
const analyzeFrom = 1000

// growth counts the rows that this process has added to tables. Safe for concurrent use.
type growth struct {
	mu             sync.Mutex
	rows, analyzed int
}

// add counts rows, and reports whether the statistics should be renewed: there are
// four times as many rows as at the last time.
func (g *growth) add(rows int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rows += rows
	if g.rows < max(analyzeFrom, 4*g.analyzed) {
		return false
	}
	g.analyzed = g.rows
	return true
}

// analyzed reports that the database does not plan by what it holds now. Searches are slow then, but right.
func (x *Index) analyzed(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		x.logger.WarnContext(ctx, "searches may be slow for a while", "error", err)
	}
}
