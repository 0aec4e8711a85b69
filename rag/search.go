// Package rag searches the index that package index writes. It finds the passages that may
// answer a query, says how relevant each is, and ranks their documents. This file has queries
// and results, and the way between them. The package must not know where files come from, when
// they change, how answers are written, or MCP.
package rag

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/pgvector/pgvector-go"
	"golang.org/x/sync/errgroup"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/panics"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// QueryEmbedder turns a query into a vector.
type QueryEmbedder interface {
	// EmbedModel identifies what makes the vectors, as it was a moment ago. Only its
	// vectors are searched: a passage without one is found by its words.
	EmbedModel(ctx context.Context) (model.Model, error)
	// EmbedQuery returns the vector to search with; its Err is nil.
	EmbedQuery(ctx context.Context, query string) (model.Embedding, error)
}

// Searcher searches an index: see [Searcher.Search], [Searcher.Passages] and
// [Searcher.Explain]. Safe for concurrent use.
type Searcher struct {
	db       *db.Database
	embedder QueryEmbedder
	known    *lru.Cache[factsKey, facts]
	// hangs is set when an embedding was later than a Query.Patience, to the time in Unix
	// nanoseconds, and cleared when one ends.
	hangs atomic.Int64
}

// NewSearcher returns a Searcher; nothing is connected yet.
func NewSearcher(database *db.Database, embedder QueryEmbedder) *Searcher {
	known, _ := lru.New[factsKey, facts](maxFacts) // fails for a size below 1 alone
	return &Searcher{db: database, embedder: embedder, known: known}
}

// Mode is by what documents are found.
type Mode string

// The modes. The zero value means Hybrid.
const (
	// Hybrid finds documents by the meaning of their vectors and by their words. Built-in vectors stand
	// in for those of the model that are missing.
	Hybrid Mode = "hybrid"
	// Vector finds them by meaning alone.
	Vector Mode = "vector"
	// Lexical finds them by their words alone, and needs no Ollama.
	Lexical Mode = "lexical"
)

// Modes returns all modes, the default one first.
func Modes() []Mode { return []Mode{Hybrid, Vector, Lexical} }

// Filter says which documents a search may return; the zero value means all. It goes to SQL as
// JSON, without Levels, and the SQL function filter_allows reads it. A new field needs a
// condition there and nothing in between.
type Filter struct {
	// Levels is empty for all.
	Levels []catalog.Level `json:"-"`
	// DocTypes is empty for all.
	DocTypes []string `json:"doc_types,omitempty"`
	// Documents are the IDs of the only documents to search, nil for all. Each of them is
	// returned, even if it has no word of the query.
	Documents []int64 `json:"documents,omitzero"`
}

// Query asks for the documents most relevant to a text.
type Query struct {
	Text string
	// Mode is Hybrid by default.
	Mode Mode
	Filter
	// Limit is the number of results, at least 1.
	Limit int
	// MinScore is in [0,1].
	MinScore float64
	// EachPassage asks for passages: a document comes as often as it has relevant ones.
	EachPassage bool
	// Critical is how many critical documents are listed apart from the others: the most relevant
	// ones, with any score. The Filter does not apply to them, and they do not count against Limit.
	// With 0 they are among the others.
	Critical int
	// Patience, if not 0, is how long a hybrid search waits for the model's vector of the query. Then it goes on
	// without it. So do other searches with a Patience in the next minute, unless the vector comes after all.
	Patience time.Duration
	// Unasked says that nobody searches for the text. Then it does not make a document
	// relevant that the document has the whole of a short text. For a text of one or two
	// words without a name, only the document with that title is relevant.
	Unasked bool
	// Lines says that each line of the text is looked for by itself, as if it was pasted, however few
	// there are.
	Lines bool
	// Behind says that the index is about to change. Then no passages are read before the facts.
	Behind bool
}

// Hit is a document with its best passage.
type Hit struct {
	ID                   int64
	Path, Title, Summary string
	// Tags are in one text, separated by "; ".
	Tags          string
	CharCount     int
	DocType, Date string
	Level         catalog.Level
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
	// Line is the line of a pasted text that has found the document, "" if the whole text decides.
	Line string
	// SupersededBy is the path of the document that replaces this one, "" for none.
	SupersededBy string
	// Stamp, without a hash, is of the file from which the lines are.
	Stamp document.Stamp

	assessment

	Key float64 // orders documents
	// titled says that the title of the document is the query.
	titled bool
	// generations is how many documents replace this one, one after the other.
	generations int
}

// Hits is the result of a search.
type Hits struct {
	// Documents are in order of relevance; promoted ones count as more relevant.
	Documents []Hit
	// Critical are those that Query.Critical asks for, in the same order.
	Critical []Hit
	// Grade is that of the best document, critical ones included.
	Grade Grade
	// MayAnswer are documents with this grade, the most relevant ones first, if Grade is MayAnswer.
	// If others answer a broad query, they are those that have all its words in title and tags.
	MayAnswer []Hit
	// Closest are the most relevant documents below the threshold, which with Documents are five.
	Closest []Hit
	Coverage

	of *search
}

// Coverage says how a search was made.
type Coverage struct {
	// Mode is the one used: a hybrid search for stop words alone is by the model's vector.
	Mode Mode
	// BuiltIn says that a hybrid search used the built-in vectors for passages that were not
	// compared by vectors of the model.
	BuiltIn bool
	// Embedded is the part of the passages in the scope that has a vector of the
	// current model, and 1 for a search that was to compare none.
	Embedded float64
	// Fallback is why a hybrid search had no vector of the model for the query, nil if it had one.
	Fallback error
}

// Passage is a part of a document with its relevance to a query, in [0,1].
type Passage struct {
	DocumentID          int64
	HeaderPath, Content string
	StartLine, EndLine  int
	Score               float64
}

// Search returns what is most relevant to the query.
func (s *Searcher) Search(ctx context.Context, scope catalog.Scope, query Query) (Hits, error) {
	found, err := s.find(ctx, scope, query, modelTries)
	if err != nil {
		return Hits{}, err
	}
	return found.hits(found.ranked()), nil
}

// search is a search with what it has read, to be scored: see score.go.
type search struct {
	Coverage // its mode is the one asked for, and later the one used
	facts

	scope catalog.Scope
	query Query
	terms terms.Query
	// weights are the weights of the terms, and rare the terms that find passages. Both are
	// empty in a search by vector.
	weights terms.Weighted
	rare    []int32
	pasted  []pastedLine
	vector  *pgvector.HalfVector // of the model, nil without one
	// meaning is the built-in vector of the query, nil without one. Only a hybrid search has it.
	meaning *pgvector.HalfVector
	// candidates are the passages found. searchable is how many the search may return.
	candidates []candidate
	searchable int
	// plans say how vectors were compared.
	plans []ExplainedPlan
}

// modelTries is how often a search begins again because the model was replaced in the meantime.
const modelTries = 3

// find makes a search. A vector of another model, which was pulled just now, is not searched
// with: the search begins again with the new model, up to so many tries.
func (s *Searcher) find(ctx context.Context, scope catalog.Scope, query Query, tries int) (*search, error) {
	query.Mode = cmp.Or(query.Mode, Hybrid)
	f := search{scope: scope, query: query, Coverage: Coverage{Mode: query.Mode, Embedded: 1}}
	f.terms = terms.NewQuery(scope.Tenant.ProjectID, query.Text)
	if len(f.terms.Terms) == 0 && f.Mode == Lexical {
		return nil, noWord()
	}
	if f.Mode == Hybrid && !query.pasted() { // words alone find what logs and traces are about
		f.meaning = builtInVector(query.Text)
	}
	embedding := s.embed(ctx, f.Mode, query)
	defer embedding.end()
	found, err := s.readIndex(ctx, f, embedding)
	switch {
	case errors.Is(err, model.ErrModelReplaced) && tries > 1:
		return s.find(ctx, scope, query, tries-1)
	case err != nil:
		return nil, err
	}
	if query.Patience > 0 && errors.Is(found.Fallback, model.ErrLate) {
		s.hangs.Store(time.Now().UnixNano())
	}
	return found, nil
}

// readIndex reads the facts and then the candidates. If the last search found nothing changed, it reads
// both at the same time, and the candidates again if something has changed after all. So a search of an
// index at rest waits for one round trip.
func (s *Searcher) readIndex(ctx context.Context, f search, embedding *queryEmbedding) (*search, error) {
	known, _ := s.known.Get(keyOf(f.scope)) // none before the first search
	atRest := known.confirmed && known.counted(embedding.model) && !f.query.Behind
	var fresh facts
	var reading errgroup.Group
	reading.Go(func() error {
		return panics.Catch(func() (err error) {
			fresh, err = s.readFacts(ctx, f.scope, embedding.model, known)
			return err
		})
	})
	guess := f
	var guessErr error
	if atRest {
		guess.facts = known
		guessErr = s.findCandidates(ctx, &guess, embedding)
	}
	if err := reading.Wait(); err != nil {
		return nil, err //nolint:wrapcheck // of readFacts
	}
	if atRest && fresh.confirmed {
		return &guess, guessErr
	}
	f.facts = fresh
	return &f, s.findCandidates(ctx, &f, embedding)
}

func noWord() error {
	return apierror.Errorf(apierror.InvalidArgument,
		"the query has no word to search for, only such as \"the\" or \"is\", which stand everywhere; "+
			"name what you look for, or leave out %s to search by meaning",
		apierror.Argument{Parameter: "mode", Value: string(Lexical)}).With("parameter", "query")
}

// vocabulary says which words the searched passages have.
func (f *search) vocabulary() terms.Vocabulary {
	return terms.NewVocabulary(f.scope.Tenant.ProjectID, f.sample.frequency)
}

// Empty reports whether there was no document to search.
func (h Hits) Empty() bool { return h.of.passages() == 0 }

// MayAnswerScore is the least score of a document that may answer, whatever its title.
func (h Hits) MayAnswerScore() float64 { return h.of.leastScore() }

// Scope returns what was searched.
func (h Hits) Scope() catalog.Scope { return h.of.scope }

// Version returns the version of the tenant's documents, which every change of them raises,
// as the search has met it.
func (h Hits) Version() int64 { return h.of.version }

// Latest returns the path of the document that replaces the one at path and is not
// replaced itself: the path itself for most.
func (h Hits) Latest(path string) string {
	for range len(h.of.superseded.By) {
		next := h.of.superseded.By[path]
		if next == "" {
			break
		}
		path = next
	}
	return path
}
