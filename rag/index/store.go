package index

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/terms"
	"github.com/compound-docs/compound-docs/rag/wordvec"
)

const (
	// maxPassagesInserted bounds the memory that a statement takes: it holds every text and its terms once more.
	maxPassagesInserted = 500
	// maxTags bounds the text of all tags, in characters: a search shows as many.
	maxTags = 2000
)

// writeDocuments puts documents into the index in one transaction of three round trips. It
// leaves out those whose files have changed since they were read, and returns their paths.
// dates are those of documents that have none.
func (x *Indexer) writeDocuments(ctx context.Context, documents []Dissection, dates map[string]string) ([]string, error) {
	if len(documents) == 0 {
		return nil, nil
	}
	stamps := map[string]document.Stamp{}
	chunks := 0
	for _, doc := range documents {
		stamps[doc.path] = doc.stamp
		chunks += len(doc.Passages)
	}
	var changed []string
	err := x.write(ctx, "write documents", func(q *db.Queries) error {
		if err := x.insertPassages(ctx, q, documents); err != nil {
			return err
		}
		if err := x.tenant.IncrementVersion(ctx, q); err != nil {
			return err
		}
		changed = x.Source.Changed(stamps)
		unchanged := slices.DeleteFunc(slices.Clone(documents), func(doc Dissection) bool {
			return slices.Contains(changed, doc.path)
		})
		return x.replace(ctx, q, unchanged, dates)
	})
	if err != nil {
		return nil, err
	}
	if x.growth.add(chunks) {
		x.index.reportAnalysis(ctx, x.index.db.AnalyzeText(ctx, x.collection))
	}
	return changed, nil
}

// insertPassages inserts the passages that the project does not have. None is removed before
// the transaction ends.
func (x *Indexer) insertPassages(ctx context.Context, q *db.Queries, documents []Dissection) error {
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
		params := db.PassageInsertManyParams{Collection: x.collection, ProjectID: x.tenant.ProjectID, TenantID: x.tenant.ID}
		var lists, lexicals []byte
		var meanings []string
		for _, hash := range hashes {
			if slices.Contains(existing, hash) {
				continue
			}
			p := passages[hash]
			params.Hashes = append(params.Hashes, hash)
			params.Headings = append(params.Headings, p.Heading)
			params.Contents = append(params.Contents, p.Text)
			params.Promoted = append(params.Promoted, promoted[hash])
			lists, lexicals = appendLexicalSide(lists, lexicals, x.tenant.ProjectID, p)
			meanings = append(meanings, meaning(p))
		}
		params.Terms, params.Lexicals, params.Meanings = string(lists), string(lexicals), strings.Join(meanings, ";")
		if len(params.Hashes) == 0 {
			continue
		}
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
func (x *Indexer) replace(ctx context.Context, q *db.Queries, documents []Dissection, dates map[string]string) error {
	if len(documents) == 0 {
		return nil
	}
	upsert := x.documentRows(documents, dates)
	if err := q.DocumentUpsertMany(ctx, upsert); err != nil {
		return err
	}
	if err := q.ChunkDeleteByPaths(ctx, db.ChunkDeleteByPathsParams{
		ProjectID: upsert.ProjectID, TenantID: upsert.TenantID, Collection: upsert.Collection, RelativePaths: upsert.RelativePaths,
	}); err != nil {
		return err
	}
	if err := q.ChunkInsertMany(ctx, x.chunkRows(documents)); err != nil {
		return err
	}
	if err := q.LinkDeleteByPaths(ctx, db.LinkDeleteByPathsParams{
		ProjectID: upsert.ProjectID, TenantID: upsert.TenantID, Collection: upsert.Collection, RelativePaths: upsert.RelativePaths,
	}); err != nil {
		return err
	}
	return q.LinkInsertMany(ctx, x.linkRows(documents))
}

func (x *Indexer) documentRows(documents []Dissection, dates map[string]string) db.DocumentUpsertManyParams {
	rows := db.DocumentUpsertManyParams{
		ProjectID: x.tenant.ProjectID, TenantID: x.tenant.ID, Collection: x.collection,
	}
	for _, doc := range documents {
		rows.RelativePaths = append(rows.RelativePaths, doc.path)
		rows.Titles = append(rows.Titles, doc.Title)
		rows.Summaries = append(rows.Summaries, doc.Summary)
		rows.Tags = append(rows.Tags, markdown.CutRunes(joined(doc.FrontMatter["tags"]), maxTags))
		rows.DocTypes = append(rows.DocTypes, doc.DocType)
		rows.DocDates = append(rows.DocDates, cmp.Or(doc.Date, dates[doc.path]))
		rows.PromotionLevels = append(rows.PromotionLevels, doc.Level)
		rows.ContentHashes = append(rows.ContentHashes, doc.stamp.Hash[:])
		rows.SchemaHashes = append(rows.SchemaHashes, doc.schemaHash)
		rows.CharCounts = append(rows.CharCounts, int32(doc.parsed.CharCount))
		rows.FileSizes = append(rows.FileSizes, doc.stamp.Size)
		rows.FileMtimes = append(rows.FileMtimes, doc.stamp.ModTime.Truncate(time.Microsecond))
		rows.FileCtimes = append(rows.FileCtimes, doc.stamp.ChangeTime.Truncate(time.Microsecond))
		rows.FileInodes = append(rows.FileInodes, int64(doc.stamp.Inode))
		rows.Places = append(rows.Places, storedLines(doc.Places))
		rows.Quotes = append(rows.Quotes, storedLines(doc.parsed.Quotes()))
		rows.ChunkCounts = append(rows.ChunkCounts, chunkCount(doc.Passages))
	}
	return rows
}

// chunkCount returns how many passages are of the text. It is 0 for one: the document is not chunked.
func chunkCount(passages []DissectedPassage) int32 {
	count := int32(0)
	for _, p := range passages {
		if !p.FrontMatter {
			count++
		}
	}
	if count == 1 {
		return 0
	}
	return count
}

func (x *Indexer) chunkRows(documents []Dissection) db.ChunkInsertManyParams {
	rows := db.ChunkInsertManyParams{ProjectID: x.tenant.ProjectID, TenantID: x.tenant.ID, Collection: x.collection}
	for _, doc := range documents {
		for i, p := range doc.Passages {
			if p.Question {
				i -= len(doc.Passages) // see document_chunks
			}
			rows.RelativePaths = append(rows.RelativePaths, doc.path)
			rows.Ordinals = append(rows.Ordinals, int32(i))
			rows.StartLines = append(rows.StartLines, int32(p.StartLine))
			rows.EndLines = append(rows.EndLines, int32(p.EndLine))
			rows.PassageHashes = append(rows.PassageHashes, p.hash)
			rows.HeaderPaths = append(rows.HeaderPaths, p.HeaderPath)
		}
	}
	return rows
}

func (x *Indexer) linkRows(documents []Dissection) db.LinkInsertManyParams {
	rows := db.LinkInsertManyParams{ProjectID: x.tenant.ProjectID, TenantID: x.tenant.ID, Collection: x.collection}
	for _, doc := range documents {
		for i, link := range doc.Links {
			rows.RelativePaths = append(rows.RelativePaths, doc.path)
			rows.Ordinals = append(rows.Ordinals, int32(i))
			rows.TargetPaths = append(rows.TargetPaths, link.Target)
			rows.FallbackPaths = append(rows.FallbackPaths, link.Fallback)
			rows.Supersedes = append(rows.Supersedes, link.Supersedes)
		}
	}
	return rows
}

// analyzeFrom is the number of new rows from which ANALYZE is run. Without statistics PostgreSQL takes a
// tenant for empty, and plans searches that read all of it for every passage. Autovacuum runs a minute later,
// and never for a small tenant among many.
const analyzeFrom = 1000

// growth counts the rows that this process has added to tables. Safe for concurrent use.
type growth struct{ rows atomic.Int64 }

// add counts rows, and reports whether the statistics should be renewed: with the first analyzeFrom rows, and
// whenever there are four times as many as at the last time.
func (g *growth) add(rows int) bool {
	after := g.rows.Add(int64(rows))
	limit := int64(analyzeFrom)
	for 4*limit <= after {
		limit *= 4
	}
	return limit <= after && after-int64(rows) < limit
}

// reportAnalysis logs that the database does not plan by what it holds now. Searches are slow then, but right.
func (x *Index) reportAnalysis(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		x.logger.WarnContext(ctx, "searches may be slow for a while", "error", err)
	}
}
