package lookup

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/pgvector/pgvector-go"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/rank"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// search has what one read needs: the request, one of its lists, and the documents that the filter lets through.
type search struct {
	Request
	list
	selection
}

// With up to maxMeanings passages, a search compares all built-in vectors, in some 4 ms for a thousand passages. With
// more passages, it compares only passages that it has found by words.
const maxMeanings = 5_000

// meaningParams asks for passages with built-in vectors near the query's.
func (s search) meaningParams() db.SearchMeaningsParams {
	const passagesPerDocument = 4
	rows := s.listLength(s.levels)
	return db.SearchMeaningsParams{
		ProjectID: s.Scope.Tenant.ProjectID, TenantID: s.Scope.Tenant.ID, Collection: s.Scope.Collection,
		Documents: s.documents, Filter: s.condition, Levels: s.levels,
		Terms: termVector(s.Question.Weights), Query: s.Vector, ModelID: s.comparedModel(), Meaning: *s.Meaning,
		EachPassage: s.Question.EachPassage, MaxPassages: passagesPerDocument * rows, MaxRows: rows,
	}
}

// wordParams asks for passages with words of the query, and with words of each line of a pasted text.
func (s search) wordParams() db.SearchWordsParams {
	// Several of the found passages may be of one document.
	const passagesPerDocument, lineDocuments = 4, 5
	rows, q := s.listLength(s.levels), s.Question
	params := db.SearchWordsParams{
		ProjectID: s.Scope.Tenant.ProjectID, TenantID: s.Scope.Tenant.ID, Collection: s.Scope.Collection,
		Documents: s.documents, Filter: s.condition, Levels: s.levels,
		Terms: termVector(q.Weights), Query: s.Vector, ModelID: s.comparedModel(), Meaning: s.Meaning,
		EachPassage: q.EachPassage, MaxRows: rows,
	}
	// If the query is a name, read several passages of each document: the best passage may have only parts of the name.
	if len(q.Terms.Terms) > 1 && len(strings.Fields(q.Text)) == 1 {
		params.EachPassage, params.MaxRows = true, passagesPerDocument*rows
	}
	addLine := func(line int, weights terms.Weighted, rare []int32, passages int32) {
		hashes := make([]string, len(rare))
		for i, term := range rare {
			hashes[i] = strconv.Itoa(int(term))
		}
		params.Lines = append(params.Lines, int32(line))
		params.LineTerms = append(params.LineTerms, termVector(weights))
		params.LineRareTerms = append(params.LineRareTerms, "{"+strings.Join(hashes, ",")+"}")
		params.LinePassages = append(params.LinePassages, passages)
	}
	addLine(-1, q.Weights, q.Rare, passagesPerDocument*rows)
	for i, line := range q.Lines {
		addLine(i, line.Weights, line.Rare, lineDocuments)
	}
	return params
}

// listLength returns how many documents of some levels to read for a list. Ranking may drop some of the documents.
func (s search) listLength(levels []catalog.Level) int32 {
	switch {
	case !s.Question.ByWords:
		// Documents with equal texts have equal vectors. A search may find the newest document last, so it reads more.
		return int32(s.limit + 10)
	case slices.Contains(levels, catalog.Standard):
		return int32(max(2*s.limit, 50))
	default: // another read finds documents of the standard level
		return int32(max(2*s.limit, 25))
	}
}

// comparedModel returns the ID of the model that made the query's vector, or nil without a vector.
func (r Request) comparedModel() *int32 {
	if r.Vector == nil {
		return nil
	}
	return &r.Facts.modelID
}

// termVector returns the query's weights as a sparse vector. Its inner product with a passage's weights is the BM25.
func termVector(weights terms.Weighted) pgvector.SparseVector {
	elements := make(map[int32]float32, len(weights.Terms))
	for i, term := range weights.Terms {
		elements[term-1] = weights.Weights[i] // pgvector-go counts from 0, PostgreSQL from 1
	}
	return pgvector.NewSparseVectorFromMap(elements, terms.Dimensions)
}

// foundRow is a row of one of the three statements that find passages. Their rows have equal columns.
type foundRow interface {
	db.SearchWordsRow | db.SearchVectorsRow | db.SearchMeaningsRow
}

// readCandidates runs one of the three statements.
func readCandidates[Params any, Row foundRow](
	ctx context.Context, database *db.Database, op string,
	query func(*db.Queries, context.Context, Params) ([]Row, error), params Params,
) ([]rank.Candidate, error) {
	rows, err := db.ReadOne(ctx, database, op, query, params)
	candidates := make([]rank.Candidate, len(rows))
	for i, row := range rows {
		candidates[i] = candidateOf(db.SearchWordsRow(row))
	}
	return candidates, err
}

func candidateOf(row db.SearchWordsRow) rank.Candidate {
	return rank.Candidate{
		Hit: rank.Hit{
			ID: row.ID, Path: row.RelativePath, Title: row.Title, Summary: row.Summary, Tags: row.Tags,
			CharCount: int(row.CharCount), DocType: row.DocType, Date: row.DocDate, Dated: row.Dated, Level: row.PromotionLevel,
			HeaderPath: row.HeaderPath, StartLine: int(row.StartLine), EndLine: int(row.EndLine),
			Ordinal: int(row.Ordinal), Content: row.Content,
			Stamp: document.Stamp{
				Size: row.FileSize, ModTime: row.FileMtime, ChangeTime: row.FileCtime, Inode: uint64(row.FileInode),
				Hash: document.Hash(row.ContentHash),
			},
			Distance: row.Distance, Likeness: row.Likeness,
		},
		Heading: row.Heading, Bm25: row.Bm25, LineIndex: int(row.Line), LineBm25: row.LineBm25,
	}
}
