// Package answer answers questions from documents. It searches with package rag, follows the links of documents,
// chooses passages to quote, and lets a language model write the answer. It must not know MCP, or how the search works.
package answer

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync/atomic"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/relevance"
)

// Generator is a language model that writes answers.
type Generator interface {
	Generate(ctx context.Context, prompt model.Prompt, onText func(text string)) (string, error)
	// ContextWindow returns how many tokens prompt and answer may have together.
	ContextWindow(ctx context.Context) int
}

// Answerer answers questions. It is safe for concurrent use.
type Answerer struct {
	db        *db.Database
	searcher  *rag.Searcher
	generator Generator
	logger    *slog.Logger
	links     atomic.Pointer[linkGraph] // of the tenant that asked last
}

// New returns an Answerer. It opens no connection.
func New(database *db.Database, searcher *rag.Searcher, generator Generator, logger *slog.Logger) *Answerer {
	return &Answerer{db: database, searcher: searcher, generator: generator, logger: logger}
}

// maxCritical bounds the critical documents that an answer considers. A search cannot list more. The context window
// decides how many critical documents the model gets.
const maxCritical = 100

// Question asks for an answer from the documents.
type Question struct {
	rag.Query // Levels and Critical must be empty: use MinLevel and IncludeCritical

	// MinLevel is the lowest level of the documents to use, linked documents included.
	MinLevel catalog.Level
	// IncludeCritical adds critical documents of every doc-type and score, which do not count against Limit.
	IncludeCritical bool
	// MaxDepth bounds how many links in a row are followed, MaxLinked how many documents are added. 0 follows no links.
	MaxDepth, MaxLinked int
	// Stale, if not nil, returns why documents may be outdated: a reason for each such document, by path.
	Stale func(documents []string) map[string]string
	// OnText, if not nil, gets each piece of the answer as the model writes it, and at times "" before the first piece.
	OnText func(text string)
}

// Answer is an answer with its sources.
type Answer struct {
	// Text is "" if no document was relevant enough. Then Sources has only critical documents.
	Text string
	// Grade says how sure the answer is. If it is [rag.MayAnswer], no source reaches the threshold.
	Grade rag.Grade
	// Sources are documents by relevance. A document follows its successor. If Text is not "", it was made from Sources
	// and Linked, at least from a part of each document.
	Sources []rag.Hit
	Linked  []Linked
	// Omitted are the paths of documents that did not fit into the context window.
	Omitted []string
	// MayAnswer are documents that may answer and are not in Sources; see [rag.Hits].
	MayAnswer []rag.Hit
	// Empty is set if there was no document to search.
	Empty bool
	// Coverage says how the search was made.
	rag.Coverage
	// FallbackReason says why Text consists of quoted passages. It is nil if the language model wrote Text.
	FallbackReason error
	// CutShort says why the answer is incomplete. It is nil for a complete answer.
	CutShort error
}

// Ask answers a question from the documents of the scope. If no document is relevant enough, Ask does not call the
// language model, which would write about something else. If the model fails, Ask quotes the best passages.
func (a *Answerer) Ask(ctx context.Context, scope catalog.Scope, question Question) (Answer, error) {
	query := question.Query
	query.Levels = slices.DeleteFunc(catalog.Levels(), func(level catalog.Level) bool {
		return rank(level) < rank(question.MinLevel)
	})
	if question.IncludeCritical {
		query.Critical = maxCritical
	}
	results, err := a.searcher.Search(ctx, scope, query)
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{
		Grade: results.Grade, Sources: []rag.Hit{}, Linked: []Linked{}, MayAnswer: results.MayAnswer,
		Coverage: results.Coverage, Empty: results.Empty(),
	}
	documents := results.Documents
	isLikely := func(hit rag.Hit) bool { return hit.Score >= relevance.Unrelated }
	switch {
	case results.Grade == rag.Nothing, results.Grade == rag.MayAnswer && !slices.ContainsFunc(results.MayAnswer, isLikely):
		for _, hit := range results.Critical {
			if hit.Holds() && hit.SupersededBy == "" {
				answer.Sources = append(answer.Sources, hit)
			}
		}
		return answer, nil
	case results.Grade == rag.MayAnswer:
		most := min(len(results.MayAnswer), question.Limit)
		documents, answer.MayAnswer = results.MayAnswer[:most], results.MayAnswer[most:]
		question.MinScore = min(question.MinScore, relevance.Likely)
	}
	answer.Sources = sourcesOf(results, documents, question.MinScore)
	if len(answer.Sources) == 0 {
		return answer, nil
	}
	answer.Linked, err = a.linked(ctx, results, answer.Sources, question)
	if err != nil {
		return Answer{}, err
	}
	return a.write(ctx, results, question, answer)
}

// sourcesOf returns the sources of an answer, by relevance: the given documents, and critical documents of the results.
// It leaves out a replaced critical document if its score is below minScore, or if its latest successor was not found.
// A successor comes before the document that it replaces.
func sourcesOf(results rag.Hits, documents []rag.Hit, minScore float64) []rag.Hit {
	position := func(hits []rag.Hit, path string) int {
		return slices.IndexFunc(hits, func(hit rag.Hit) bool { return hit.Path == path })
	}
	sources, found := slices.Clone(documents), slices.Concat(documents, results.Critical)
	for _, hit := range results.Critical {
		isReplaced := hit.SupersededBy != "" && (hit.Score < minScore || position(found, results.Latest(hit.Path)) < 0)
		if !isReplaced {
			sources = append(sources, hit)
		}
	}
	slices.SortStableFunc(sources, func(a, b rag.Hit) int { return cmp.Compare(b.Score, a.Score) })
	for i, hit := range sources {
		if later := position(sources, results.Latest(hit.Path)); later > i {
			successor := sources[later]
			sources = slices.Insert(slices.Delete(sources, later, later+1), i, successor)
		}
	}
	return sources
}

func rank(level catalog.Level) int { return slices.Index(catalog.Levels(), level) }
