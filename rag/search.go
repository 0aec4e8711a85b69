// Package rag searches the index that package index writes: it finds the passages that
// may answer a query, says how relevant each is, and ranks their documents. This file
// has what is asked and what comes back. The package must not know where files come
// from, when they change, how answers are written, or MCP.
package rag

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/rag/relevance"
)

// QueryEmbedder turns a query into a vector.
type QueryEmbedder interface {
	// EmbedModel identifies what makes the vectors, as it was a moment ago. Only its
	// vectors are searched: a passage without one is found by its words.
	EmbedModel(ctx context.Context) (ollama.Model, error)
	// EmbedQuery returns the vector to search with; its Err is nil.
	EmbedQuery(ctx context.Context, query string) (ollama.Embedding, error)
}

// Searcher searches an index: see [Searcher.Search], [Searcher.Passages] and
// [Searcher.Explain]. Safe for concurrent use.
type Searcher struct {
	db       *db.Database
	embedder QueryEmbedder
	memory   *memory
	// unembedded and onAltered may be nil.
	unembedded func(tenant *catalog.Tenant, collection catalog.Collection, hashes []uuid.UUID)
	onAltered  func(scope catalog.Scope, hashes []uuid.UUID)
}

// NewSearcher returns a Searcher; nothing is connected yet.
func NewSearcher(database *db.Database, embedder QueryEmbedder) *Searcher {
	s := &Searcher{db: database, embedder: embedder, memory: newMemory()}
	return s
}

// OnUnembedded has f called with the passages among a search's results that were not
// compared by a vector, since they have none, or since the search was for words alone.
// People have just asked for them. f must not wait. OnUnembedded must come before
// the first search.
func (s *Searcher) OnUnembedded(f func(tenant *catalog.Tenant, collection catalog.Collection, hashes []uuid.UUID)) {
	s.unembedded = f
}

// OnAltered has f called with the passages that a search has left out because they are not
// what their keys say: somebody has rewritten them in the database. f must not wait.
// OnAltered must come before the first search.
func (s *Searcher) OnAltered(f func(scope catalog.Scope, hashes []uuid.UUID)) { s.onAltered = f }

// Mode is by what documents are found.
type Mode string

// The modes. The zero value stands for Hybrid.
const (
	// Hybrid finds documents by the meaning of their vectors and by their words.
	Hybrid Mode = "hybrid"
	// Vector finds them by meaning alone.
	Vector Mode = "vector"
	// Lexical finds them by their words alone, and needs no Ollama.
	Lexical Mode = "lexical"
)

// Modes returns all modes, the default one first.
func Modes() []Mode { return []Mode{Hybrid, Vector, Lexical} }

// Query asks for the documents most relevant to a text.
type Query struct {
	Text string
	// Mode is Hybrid by default.
	Mode Mode
	// DocTypes and Levels filter; empty means all.
	DocTypes []string
	Levels   []catalog.Level
	// Documents are the only ones that may be found, by their IDs, and all of them are,
	// whatever their words; nil means all.
	Documents []int64
	// Limit is the number of results, at least 1.
	Limit int
	// MinScore is in [0,1].
	MinScore float64
	// EachPassage asks for passages: a document comes as often as it has relevant ones.
	EachPassage bool
	// Critical, if not 0, is how many documents of the critical level come apart from
	// the others, the most relevant ones of all of them, whatever their score. Levels
	// does not filter them, and they do not count against Limit.
	Critical int
	// Patience, if not 0, is how long a hybrid search waits for the vector of the query,
	// from when documents are found by their words on. Then it goes on by words.
	Patience time.Duration
	// Unasked says that the text is not what somebody searches for. Then a document is
	// not relevant for the only reason that the whole of a short text stands in it, and
	// for a text of one or two words without a name only the document of that title is.
	Unasked bool
}

// Hit is a document with its best passage.
type Hit struct {
	ID                   int64
	Path, Title, Summary string
	CharCount            int
	DocType, Date        string
	Level                catalog.Level
	// Score is the probability that the document answers the query, by its best passage.
	Score float64
	// HeaderPath, StartLine and EndLine say where the best passage is, Ordinal counts
	// the document's passages from 0, and Content is its text.
	HeaderPath         string
	StartLine, EndLine int
	Ordinal            int
	Content            string
	// Snippet is the part of Content that has most of the query's words, in one line.
	Snippet string
	// Line is the line of a pasted text by which the document was found, "" where the
	// whole text decides.
	Line string
	// SupersededBy is the path of the document that replaces this one, "" for none.
	SupersededBy string
	// Stamp, without a hash, is of the file from which the lines are.
	Stamp document.Stamp

	hitDetails
}

// Hits is the result of a search.
type Hits struct {
	// Documents are in order of relevance; promoted ones count as more relevant.
	Documents []Hit
	// Critical are those that Query.Critical asks for, in the same order.
	Critical []Hit
	// Closest are up to three documents, the most relevant of all, when none reached the
	// threshold.
	Closest []Hit
	Coverage

	lookup *lookup
}

// Coverage says how a search was made.
type Coverage struct {
	// Mode is the one used: a hybrid search of documents without vectors is lexical,
	// and one for stop words alone is by vector.
	Mode Mode
	// Embedded is the part of the passages in the scope that has a vector of the
	// current model, and 1 for a search that was to compare none.
	Embedded float64
	// Fallback is why a hybrid search went on by words, nil if it did not.
	Fallback error
}

// Search returns what is most relevant to the query.
func (s *Searcher) Search(ctx context.Context, scope catalog.Scope, query Query) (Hits, error) {
	found, err := s.lookUp(ctx, scope, query)
	if err != nil {
		return Hits{}, err
	}
	return found.hits(), nil
}

// Passage is a part of a document with its relevance to a query, in [0,1].
type Passage struct {
	DocumentID          int64
	HeaderPath, Content string
	StartLine, EndLine  int
	Score               float64
}

// Passages returns all passages of some documents of the scope that was searched, in
// their order in each document, with their relevance to the query of the search.
func (s *Searcher) Passages(ctx context.Context, of Hits, documents []int64) ([]Passage, error) {
	l := of.lookup
	var rows []db.ChunkTextsRow
	err := s.db.Read(ctx, "read texts", func(q *db.Queries) (err error) {
		rows, err = q.ChunkTexts(ctx, db.ChunkTextsParams{
			ProjectID: l.scope.Tenant.ProjectID, Collection: l.scope.Collection, DocumentIds: documents,
			Terms: termVector(l.weights), Query: l.vector, ModelID: l.comparedModel(),
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(row db.ChunkTextsRow) bool {
		return l.isAltered(row.SchemaHash, row.PassageHash, row.Heading, row.Content)
	})
	l.notifyAltered()
	texts, passages := make([]found, len(rows)), make([]Passage, len(rows))
	for i, row := range rows {
		texts[i] = found{row.DocumentID, row.Heading, row.Content, row.Bm25, row.Distance}
	}
	for i, a := range l.assess(texts) {
		row := rows[i]
		passages[i] = Passage{
			DocumentID: row.DocumentID, HeaderPath: row.HeaderPath, Content: row.Content,
			StartLine: int(row.StartLine), EndLine: int(row.EndLine), Score: relevance.Score(a.logOdds),
		}
	}
	return passages, nil
}

// Altered is how many passages were left out, here and in [Searcher.Passages], because they
// were altered in the database.
func (h Hits) Altered() int {
	if h.lookup == nil {
		return 0
	}
	return len(h.lookup.altered)
}

// Scope returns what was searched.
func (h Hits) Scope() catalog.Scope { return h.lookup.scope }

// Version returns the version of the tenant's documents, which every change of them raises,
// as the search has met it.
func (h Hits) Version() int64 { return h.lookup.version }

// Latest returns the path of the document that replaces the one at path and is not
// replaced itself: the path itself for most.
func (h Hits) Latest(path string) string {
	for range len(h.lookup.superseded.By) {
		next := h.lookup.superseded.By[path]
		if next == "" {
			break
		}
		path = next
	}
	return path
}
