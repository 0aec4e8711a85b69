package rag

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/pgvector/pgvector-go"

	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/relevance"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// lookup is one search: the query, what is known for scoring, and the candidates.
type lookup struct {
	facts
	candidates
	Coverage // its mode is the one asked for, and later the one used

	searcher *Searcher
	scope    catalog.Scope
	query    Query

	terms   terms.Query
	weights terms.Weighted
	rare    []int32
	pasted  []pastedLine
	vector  *pgvector.HalfVector // nil without one
	// meaning says that words are not asked; see [relevance.MeaningDecides].
	meaning bool
	// passages is how many the search may return.
	passages int
	// altered are the passages that are left out since they were altered in the database.
	altered []uuid.UUID
}

// modelTries is how often a search begins again because the model was replaced
// meanwhile.
const modelTries = 3

// lookUp finds candidates for a query. A vector of another model, one that was pulled
// just now, is not searched with: the next try meets the model that is there then.
func (s *Searcher) lookUp(ctx context.Context, scope catalog.Scope, query Query) (*lookup, error) {
	var err error
	query.Mode = cmp.Or(query.Mode, Hybrid)
	for range modelTries {
		l := &lookup{
			searcher: s, scope: scope, query: query, Coverage: Coverage{Mode: query.Mode, Embedded: 1},
			terms: terms.NewQuery(scope.Tenant.ProjectID, query.Text), candidates: newCandidates(query),
		}
		if err = l.run(ctx); !errors.Is(err, model.ErrModelReplaced) {
			return l, err
		}
	}
	return nil, err
}

// run finds candidates. A hybrid search goes on by words where Ollama cannot embed the
// query.
func (l *lookup) run(ctx context.Context) error {
	if l.Mode == Lexical {
		return l.runLexical(ctx)
	}
	if l.Mode == Vector || len(l.terms.Terms) == 0 {
		err := l.runWithVector(ctx)
		if unembeddable(err) {
			err = fmt.Errorf("%w; without `mode: \"vector\"` names and words are found meanwhile", err)
		}
		return err
	}
	err := l.runWithVector(model.FailFast(ctx))
	if ctx.Err() != nil || !unembeddable(err) {
		return err
	}
	l.Mode, l.Fallback = Lexical, err
	l.candidates, l.vector, l.Embedded = newCandidates(l.query), nil, 1
	return l.runLexical(ctx)
}

// runWithVector finds candidates by vector too, unless nothing has one. While the query is
// embedded, the facts are read and documents are found by their words.
func (l *lookup) runWithVector(ctx context.Context) error {
	model, err := l.searcher.embedder.EmbedModel(ctx)
	if err != nil {
		return err
	}
	embedding := l.searcher.embed(ctx, l.query.Text)
	defer embedding.end()
	if err := l.begin(ctx, &model); err != nil {
		return err
	}
	if l.Mode == Lexical || l.Embedded == 0 || l.progress.passages == 0 {
		if err := l.findByVectors(ctx, l.findByWords(ctx)); err != nil {
			return err
		}
		// The vector is of no use, but that Ollama cannot make it has to be said.
		if l.Mode == Vector {
			return embedding.failure(ctx, patientWait)
		}
		err := embedding.failure(ctx, failureWait)
		if unembeddable(err) {
			l.Fallback, err = err, nil
		}
		return err
	}
	words := l.findByWords(ctx)
	wordsFirst := len(words) > 0 && !embedding.ready()
	if wordsFirst {
		if err := l.searcher.db.Pipeline(ctx, "search by words", words...); err != nil {
			return err
		}
	}
	if l.Mode == Hybrid && !embedding.wait(ctx, l.query.Patience) {
		l.Mode = Lexical // what was found by words is scored by them
		return nil
	}
	if l.vector, err = embedding.vector(model); err != nil {
		return err
	}
	if wordsFirst {
		return l.findByVectors(ctx, l.findDistances(ctx))
	}
	return l.findByVectors(ctx, l.findByWords(ctx))
}

func (l *lookup) runLexical(ctx context.Context) error {
	if len(l.terms.Terms) == 0 {
		return apierror.Errorf(apierror.InvalidArgument,
			"the query has no word to search for, only such as \"the\" or \"is\", which stand everywhere; "+
				"name what you look for, or leave out `mode: \"lexical\"` to search by meaning").With("parameter", "query")
	}
	if err := l.begin(ctx, nil); err != nil {
		return err
	}
	return l.findByVectors(ctx, l.findByWords(ctx))
}

// begin reads the facts, and decides on the mode by them.
func (l *lookup) begin(ctx context.Context, model *model.Model) (err error) {
	if len(l.terms.Terms) == 0 {
		l.Mode = Vector
	}
	if l.facts, err = l.searcher.readFacts(ctx, l.scope, l.query.docTypes(), model, l.Mode != Vector); err != nil {
		return err
	}
	if model != nil {
		l.Embedded = l.progress.embedded()
	}
	l.passages = max(1, int(l.counts.of(l.query.allLevels())))
	if l.Mode == Vector {
		return nil
	}
	l.weights, l.rare = l.terms.Weigh(l.sample.size, l.sample.frequency), l.sample.rareTerms(l.terms, l.sample.maxMatches())
	if l.query.Documents == nil {
		l.pasted = pastedLines(l.scope.Tenant.ProjectID, l.query.Text, l.sample)
	}
	if l.Mode == Hybrid && (l.Embedded == 0 || l.progress.passages > 0 && !l.model.calibration.Usable()) {
		l.Mode = Lexical
	}
	l.meaning = relevance.MeaningDecides(l.weights.Known)
	return nil
}

// allLevels returns those of all documents that the query asks for.
func (q Query) allLevels() []catalog.Level {
	levels := q.levels()
	if q.Critical > 0 {
		levels = append(levels, catalog.Critical)
	}
	return levels
}

func (l *lookup) notifyAltered() {
	if hook := l.searcher.onAltered; hook != nil && len(l.altered) > 0 {
		hook(l.scope, l.altered)
	}
}

// notify reports the passages that were found and have no vector yet, and those that were
// altered.
func (l *lookup) notify(hits []Hit) {
	l.notifyAltered()
	hook := l.searcher.unembedded
	if hook == nil || l.Embedded == 1 && l.Mode != Lexical {
		return
	}
	var hashes []uuid.UUID
	for _, hit := range hits {
		if !hit.compared && !slices.Contains(hashes, hit.hash) {
			hashes = append(hashes, hit.hash)
		}
	}
	if len(hashes) > 0 {
		hook(l.scope.Tenant, l.scope.Collection, hashes)
	}
}
