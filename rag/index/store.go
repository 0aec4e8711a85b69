package index

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/said"
	"github.com/compound-docs/compound-docs/rag/terms"
	"github.com/compound-docs/compound-docs/rag/wordvec"
)

const (
	// maxPassagesInserted bounds the memory of one statement, which holds another copy of each text and its terms.
	maxPassagesInserted = 500
	// maxTags bounds the text of a document's tags, in characters. A search result shows all of this text.
	maxTags = 2000
)

// writeDocuments puts documents into the index, in place of earlier versions, in one transaction of six round trips. It
// leaves out documents whose files have changed since they were read, and returns their paths. dates maps the path of
// each document without its own date to a date. The last writes share one round trip, because the other writers of the
// tenant wait from IncrementVersion until the commit.
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
		if len(unchanged) == 0 {
			return nil
		}
		rows, chunks, links := x.rows(unchanged, dates)
		return db.Batch(q, func(q *db.Queries) error {
			return errors.Join(
				q.DocumentUpsertMany(ctx, rows),
				q.ChunkDeleteByPaths(ctx, db.ChunkDeleteByPathsParams{
					ProjectID: rows.ProjectID, TenantID: rows.TenantID, Collection: rows.Collection, RelativePaths: rows.RelativePaths,
				}),
				q.ChunkInsertMany(ctx, chunks),
				q.LinkDeleteByPaths(ctx, db.LinkDeleteByPathsParams{
					ProjectID: rows.ProjectID, TenantID: rows.TenantID, Collection: rows.Collection, RelativePaths: rows.RelativePaths,
				}),
				q.LinkInsertMany(ctx, links),
				x.settle(ctx, q, rows.Titles),
			)
		})
	})
	if err != nil {
		return nil, err
	}
	if x.growth.add(chunks) {
		x.index.reportAnalysis(ctx, x.index.db.AnalyzeText(ctx, x.collection))
	}
	return changed, nil
}

// insertPassages inserts passages that the project lacks. The lock of [Indexer.write] keeps sweeps from deleting them.
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
		hashes = slices.DeleteFunc(slices.Clone(hashes), func(hash uuid.UUID) bool { return slices.Contains(existing, hash) })
		// lists, meanings and lexicals are columns of PassageInsertMany. In a column, a semicolon ends each value. Most
		// values have less than valueBytes, and most values in lexicals less than twice as many.
		const valueBytes = 2 << 10
		lists, meanings := make([]byte, 0, valueBytes*len(hashes)), make([]byte, 0, valueBytes*len(hashes))
		lexicals := make([]byte, 0, 2*valueBytes*len(hashes))
		for _, hash := range hashes {
			p := passages[hash]
			params.Hashes = append(params.Hashes, hash)
			params.Headings = append(params.Headings, p.Heading)
			params.Contents = append(params.Contents, p.Text)
			params.Promoted = append(params.Promoted, promoted[hash])
			lists, lexicals = appendTerms(lists, lexicals, x.tenant.ProjectID, p)
		}
		if len(hashes) == 0 {
			continue
		}
		for _, hash := range hashes { // in a second loop, because terms and vectors read different large tables
			meanings = appendMeaning(meanings, passages[hash])
		}
		params.Terms, params.Lexicals = string(lists[:len(lists)-1]), string(lexicals[:len(lexicals)-1])
		params.Meanings = string(meanings[:len(meanings)-1])
		if err := q.PassageInsertMany(ctx, params); err != nil {
			return err
		}
	}
	return nil
}

func compareHashes(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) }

// appendTerms appends the terms of a passage to lists, and the terms with their weights to lexicals, in the form that
// PassageInsertMany reads. Weights have four decimals, because scores have three.
func appendTerms(lists, lexicals []byte, project int32, p DissectedPassage) (withList, withLexical []byte) {
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
	return append(lists, "};"...), fmt.Appendf(lexicals, "}/%d;", terms.Dimensions)
}

// appendMeaning appends the built-in vector of a passage, in the form that PassageInsertMany reads. Only an English
// passage has such a vector. The components are multiplied by scale and rounded, because PostgreSQL reads integers
// faster. Searches compare only the directions of vectors, and rounding hardly changes a direction.
func appendMeaning(meanings []byte, p DissectedPassage) []byte {
	const scale = 1000
	var vector []float32
	if p.language == terms.English {
		vector = wordvec.Vector(p.Heading + "\n" + p.Text)
	}
	if len(vector) == 0 {
		return append(meanings, ';')
	}
	meanings = append(meanings, '[')
	for i, component := range vector {
		if i > 0 {
			meanings = append(meanings, ',')
		}
		meanings = strconv.AppendInt(meanings, int64(math.Round(scale*float64(component))), 10)
	}
	return append(meanings, "];"...)
}

// settle updates the targets of relations, and the titles that searches show. If more than two documents have a title,
// searches show the FileTitle of each; DocumentUpdateTitles has the exceptions. ownTitles are the titles of the
// documents just written, nil after a removal.
func (x *Indexer) settle(ctx context.Context, q *db.Queries, ownTitles []string) error {
	project, tenant := x.tenant.ProjectID, x.tenant.ID
	err := q.LinkResolveRelations(ctx, db.LinkResolveRelationsParams{
		ProjectID: project, TenantID: tenant, Collection: x.collection,
	})
	return errors.Join(err, q.DocumentUpdateTitles(ctx, db.DocumentUpdateTitlesParams{
		ProjectID: project, TenantID: tenant, Collection: x.collection, OwnTitles: ownTitles,
	}))
}

// rows returns the rows of documents, of their passages and of their links. Each field of the results is a column.
func (x *Indexer) rows(
	documents []Dissection, dates map[string]string,
) (db.DocumentUpsertManyParams, db.ChunkInsertManyParams, db.LinkInsertManyParams) {
	project, tenant := x.tenant.ProjectID, x.tenant.ID
	rows := db.DocumentUpsertManyParams{ProjectID: project, TenantID: tenant, Collection: x.collection}
	chunks := db.ChunkInsertManyParams{ProjectID: project, TenantID: tenant, Collection: x.collection}
	links := db.LinkInsertManyParams{ProjectID: project, TenantID: tenant, Collection: x.collection}
	for _, doc := range documents {
		rows.RelativePaths = append(rows.RelativePaths, doc.path)
		rows.Titles, rows.FileTitles = append(rows.Titles, doc.Title), append(rows.FileTitles, doc.FileTitle)
		rows.Summaries = append(rows.Summaries, doc.Summary)
		rows.Tags = append(rows.Tags, markdown.CutRunes(joined(doc.FrontMatter["tags"]), maxTags))
		rows.DocTypes = append(rows.DocTypes, doc.DocType)
		rows.DocDates, rows.Dated = append(rows.DocDates, cmp.Or(doc.Date, dates[doc.path])), append(rows.Dated, doc.Date != "")
		rows.PromotionLevels = append(rows.PromotionLevels, doc.Level)
		rows.ContentHashes = append(rows.ContentHashes, doc.stamp.Hash[:])
		rows.SchemaHashes = append(rows.SchemaHashes, doc.schemaHash)
		rows.CharCounts = append(rows.CharCounts, int32(doc.CharCount))
		rows.FileSizes = append(rows.FileSizes, doc.stamp.Size)
		rows.FileMtimes = append(rows.FileMtimes, doc.stamp.ModTime.Truncate(time.Microsecond))
		rows.FileCtimes = append(rows.FileCtimes, doc.stamp.ChangeTime.Truncate(time.Microsecond))
		rows.FileInodes = append(rows.FileInodes, int64(doc.stamp.Inode))
		var places, paths, cues []string
		for _, place := range doc.Places {
			places, paths = append(places, place.String()), append(paths, place.Path)
		}
		if x.Cues != nil {
			cues = x.Cues(doc.Triggers, paths)
		}
		rows.Places, rows.Cues = append(rows.Places, storedLines(places)), append(rows.Cues, storedLines(cues))
		rows.Names = append(rows.Names, storedLines(doc.Names))
		rows.Messages = append(rows.Messages, storedLines(doc.Messages))
		rows.Triggers = append(rows.Triggers, storedTriggers(doc.Triggers))
		rows.Statuses = append(rows.Statuses, doc.Status.Word)
		rows.Untils = append(rows.Untils, doc.Status.Until)
		rows.Numbers = append(rows.Numbers, doc.Number)
		rows.ChunkCounts = append(rows.ChunkCounts, addChunks(&chunks, doc))
		addLinks(&links, doc)
	}
	return rows, chunks, links
}

// addChunks adds a row for each passage of a document. It returns the number of passages in the document's text. If
// there is only one, it returns 0, because such a document is not chunked.
func addChunks(rows *db.ChunkInsertManyParams, doc Dissection) int32 {
	ofText := int32(0)
	for i, p := range doc.Passages {
		if !p.FrontMatter {
			ofText++
		}
		if p.Question {
			i -= len(doc.Passages) // a question has an ordinal below 0
		}
		rows.RelativePaths = append(rows.RelativePaths, doc.path)
		rows.Ordinals = append(rows.Ordinals, int32(i))
		rows.StartLines = append(rows.StartLines, int32(p.StartLine))
		rows.EndLines = append(rows.EndLines, int32(p.EndLine))
		rows.PassageHashes = append(rows.PassageHashes, p.hash)
		rows.HeaderPaths = append(rows.HeaderPaths, p.HeaderPath)
	}
	if ofText == 1 {
		return 0
	}
	return ofText
}

// addLinks adds the rows of a document's links. A row holds two paths, so a link with four paths takes two rows.
func addLinks(rows *db.LinkInsertManyParams, doc Dissection) {
	ordinal := int32(0)
	for _, link := range doc.Links {
		for paths := range slices.Chunk(link.Paths(), 2) {
			rows.RelativePaths = append(rows.RelativePaths, doc.path)
			rows.Ordinals = append(rows.Ordinals, ordinal)
			rows.TargetPaths = append(rows.TargetPaths, paths[0])
			rows.FallbackPaths = append(rows.FallbackPaths, strings.Join(paths[1:], ""))
			rows.Relations = append(rows.Relations, string(link.Relation))
			ordinal++
		}
	}
}

// storedTriggers encodes triggers as JSON, "" for none. It leaves out NUL characters, which PostgreSQL refuses.
func storedTriggers(triggers []said.Trigger) string {
	if len(triggers) == 0 {
		return ""
	}
	encoded, _ := json.Marshal(triggers) // cannot fail, because a trigger holds only plain values
	return strings.ReplaceAll(string(encoded), `\u0000`, "")
}
