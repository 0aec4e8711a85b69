// Package rag searches the index that package index writes. A search is a pipeline of values: query.go parses the
// query, package lookup reads facts about the index and then passages that may answer, and package rank orders and
// judges the passages. The package must not know where files come from, when they change, how answers are written, or
// MCP.
package rag

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/pgvector/pgvector-go"
	"golang.org/x/sync/errgroup"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/panics"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/lookup"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/rank"
	"github.com/compound-docs/compound-docs/rag/terms"
	"github.com/compound-docs/compound-docs/rag/wordvec"
)

// Searcher searches an index: see [Searcher.Search], [Searcher.Passages] and
// [Searcher.Explain]. Safe for concurrent use.
type Searcher struct {
	index    *lookup.Reader
	embedder QueryEmbedder
	// lateAt is when an embedding last took longer than Query.EmbeddingWait, in Unix nanoseconds. A success sets it to 0.
	lateAt atomic.Int64
}

// NewSearcher returns a Searcher; nothing is connected yet.
func NewSearcher(database *db.Database, embedder QueryEmbedder) *Searcher {
	return &Searcher{index: lookup.New(database), embedder: embedder}
}

// Search returns the documents most relevant to the query.
func (s *Searcher) Search(ctx context.Context, scope catalog.Scope, query Query) (Hits, error) {
	r, ranked, err := s.find(ctx, scope, query)
	if err != nil {
		return Hits{}, err
	}
	limits := rank.Limits{MinScore: query.MinScore, Documents: query.Limit, Critical: query.Critical}
	verdict := rank.Judge(r.asked.Question, ranked, r.found.Passages, limits)
	return Hits{Verdict: verdict, Coverage: r.coverage, asked: r.asked, passages: r.found.Passages}, nil
}

// reading is what a search has read from the index.
type reading struct {
	coverage Coverage
	asked    lookup.Request
	found    lookup.Found
}

// modelTries is how often a search is tried if the model is replaced while it runs.
const modelTries = 3

// find reads the facts and the passages that may answer a query, and returns them with the ranked documents. If the
// embedding model is replaced in the meantime, find begins again with the new model.
func (s *Searcher) find(ctx context.Context, scope catalog.Scope, query Query) (reading, []Hit, error) {
	query.Mode = cmp.Or(query.Mode, Hybrid)
	said, lines := terms.Parts(query.Text)
	query.Text = cmp.Or(said, query.Text)
	p := plan{scope: scope, query: query, lines: lines, isPrinted: said == ""}
	if query.Mode == Hybrid && said != "" {
		if numbers := wordvec.Vector(said); numbers != nil {
			p.meaning = new(pgvector.NewHalfVector(numbers))
		}
	}
	var r reading
	var err error
	for range modelTries {
		r, err = s.read(ctx, p)
		if !errors.Is(err, model.ErrModelReplaced) {
			break
		}
	}
	if err != nil {
		return reading{}, nil, err
	}
	ranked, err := s.order(ctx, r, query.Limit)
	return r, ranked, err
}

// order ranks the documents that were found. It adds each document that the query names, or that replaces or amends one
// of the first results. An added document must pass the filter, but needs no word of the query.
func (s *Searcher) order(ctx context.Context, r reading, first int) ([]Hit, error) {
	named, err := s.index.Named(ctx, r.asked)
	if err != nil {
		return nil, err
	}
	r.asked.Question.Named = named
	var ranked []Hit
	candidates, wanted := r.found.Candidates, named
	for range 1 + maxSuccessors {
		if len(wanted) > 0 {
			found, err := s.index.Documents(ctx, r.asked, wanted)
			if err != nil {
				return nil, err
			}
			if len(found) == 0 && ranked != nil {
				break
			}
			candidates = append(candidates, found...)
		}
		ranked = rank.Order(r.asked.Question, candidates, r.found.Passages)
		wanted = rank.Missing(ranked, first)
		if len(wanted) == 0 {
			break
		}
	}
	return ranked, s.markNewer(ctx, r, ranked)
}

// markNewer looks for later documents on the subject of each document, and sets Newer to the path of the latest. A
// later document does not count if there is a link between the two documents.
func (s *Searcher) markNewer(ctx context.Context, r reading, ranked []Hit) error {
	doubts := r.asked.Question.Doubts(ranked)
	if len(doubts) == 0 {
		return nil
	}
	var documents []int64
	for _, d := range doubts {
		documents = append(documents, ranked[d.Earlier].ID, ranked[d.Later].ID)
	}
	linked, err := s.index.Linked(ctx, r.asked.Scope, documents)
	latest := map[int]string{}
	for _, d := range doubts {
		earlier, later := &ranked[d.Earlier], ranked[d.Later]
		if later.Date > latest[d.Earlier] && !linked[[2]int64{earlier.ID, later.ID}] && !linked[[2]int64{later.ID, earlier.ID}] {
			earlier.Newer, latest[d.Earlier] = later.Path, later.Date
		}
	}
	return err
}

// maxSuccessors bounds a chain of documents that replace each other.
const maxSuccessors = 5

// Passages returns all passages of the documents with these IDs, in their order in each document. Each passage has its
// log-odds for the query of hits, and the ID of its document. Other fields of the document are not set.
func (s *Searcher) Passages(ctx context.Context, hits Hits, documents []int64) ([]Hit, error) {
	texts, err := s.index.Texts(ctx, hits.asked, documents)
	if err != nil {
		return nil, err
	}
	return rank.Assess(hits.asked.Question, texts, hits.passages), nil
}

// read reads the facts about the index, and then the candidates. If the last search found that the facts had not
// changed, read uses the known facts to read the candidates while it reads the facts again. If the facts turn out to
// have changed, it reads the candidates once more. So a search of an index without changes waits for one round trip.
func (s *Searcher) read(ctx context.Context, p plan) (reading, error) {
	embedding := s.embed(ctx, p)
	defer embedding.end()
	if p.query.Mode == Vector && embedding.model == nil { // return its error, even if the wait has used up the time of ctx
		_, err := embedding.vectors(context.WithoutCancel(ctx), p, lookup.Facts{})
		return reading{}, err
	}
	known := s.index.Known(p.scope)
	var facts lookup.Facts
	var reads errgroup.Group
	reads.Go(func() error {
		return panics.Catch(func() error {
			fresh, err := s.index.Facts(ctx, p.scope, embedding.model, known)
			facts = fresh
			return err
		})
	})
	var guess reading
	var guessErr error
	atRest := known.Confirmed && known.IsOf(embedding.model) && !p.query.Behind
	if atRest {
		guess, guessErr = s.candidates(ctx, p, known, embedding)
	}
	if err := reads.Wait(); err != nil {
		return reading{}, err //nolint:wrapcheck // of this package's reads
	}
	if atRest && facts.Confirmed {
		return guess, guessErr
	}
	return s.candidates(ctx, p, facts, embedding)
}

// candidates reads the passages that may answer. The facts decide what words weigh and how vectors are compared.
func (s *Searcher) candidates(ctx context.Context, p plan, facts lookup.Facts, embedding *embedding) (reading, error) {
	vectors, err := embedding.vectors(ctx, p, facts)
	if err != nil {
		return reading{}, err
	}
	if p.query.EmbeddingWait > 0 && errors.Is(vectors.Fallback, model.ErrLate) {
		s.lateAt.Store(time.Now().UnixNano())
	}
	question, err := p.question(facts, vectors)
	if err != nil {
		return reading{}, err
	}
	if !question.ByWords {
		vectors.Mode = Vector
	}
	request := lookup.Request{
		Scope: p.scope, Facts: facts, Question: question, Filter: p.query.Filter, Limit: p.query.Limit, Critical: p.query.Critical,
		Vector: vectors.byModel, Meaning: vectors.builtIn,
	}
	found, err := s.index.Candidates(ctx, request)
	return reading{coverage: vectors.Coverage, asked: request, found: found}, err
}
