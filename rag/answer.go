package rag

import (
	"cmp"
	"context"
	"slices"

	"github.com/compound-docs/compound-docs/db"
)

// maxCritical is how many critical documents are considered for an answer.
const maxCritical = 20

// Question asks for an answer from the documents.
type Question struct {
	Query // Levels must be empty; see MinLevel.
	// MinLevel is the lowest level of the documents used, linked ones included.
	MinLevel Level
	// IncludeCritical puts critical documents in front whatever their score. They
	// do not count against Limit.
	IncludeCritical bool
	// MaxDepth and MaxLinked bound the documents that are reached over links; 0
	// follows none.
	MaxDepth, MaxLinked int
	// OnText, if not nil, is called with each piece of the answer as it is written.
	OnText func(text string)
}

// Answer is an answer with what it was drawn from.
type Answer struct {
	// Text is empty when there was nothing to answer from: see Sources and
	// Closest.
	Text string
	// Sources are the critical documents, then the others by relevance. At least one
	// passage of each, and of each document of Linked, was quoted to the language
	// model.
	Sources []Hit
	Linked  []Linked
	// Omitted are the paths of documents that were found and not quoted, because
	// the language model's context window has no room for them.
	Omitted []string
	// CriticalNotConsidered is how many critical documents there are beyond the
	// maxCritical most relevant ones.
	CriticalNotConsidered int
	// Closest is set when no document reached the threshold.
	Closest *Hit
	// Coverage says how the sources were searched for.
	Coverage
	// FallbackReason says why Text quotes passages. It is nil for an answer that the
	// language model has written.
	FallbackReason error
	// CutShort says why the text ends before the answer does, and is nil for a whole
	// one.
	CutShort error
}

// Ask answers a question from the documents of the scope. Nothing is generated
// when no document is relevant enough, and when the language model fails the
// best passages are quoted instead.
func (s *Searcher) Ask(ctx context.Context, scope Scope, question Question) (Answer, error) {
	found, answer, err := s.findSources(ctx, scope, question)
	if err != nil || len(answer.Sources) == 0 {
		return answer, err
	}
	limits := linkLimits{depth: question.MaxDepth, documents: question.MaxLinked, minLevel: question.MinLevel}
	if answer.Linked, err = s.follow(ctx, scope.Tenant, linkOrigins(answer.Sources), limits); err != nil {
		return Answer{}, err
	}
	return s.write(ctx, found, question, answer)
}

// findSources searches for what to answer from. Critical documents are a list of their
// own, so that they take no place from the others.
func (s *Searcher) findSources(ctx context.Context, scope Scope, question Question) (*lookup, Answer, error) {
	query := question.Query
	query.Levels = slices.DeleteFunc(Levels(), func(level Level) bool {
		return rank(level) < rank(question.MinLevel) || question.IncludeCritical && level == Critical
	})
	var lists []*list
	var others, critical *list
	if len(query.Levels) > 0 {
		others = newList(scope, query)
		lists = append(lists, others)
	}
	if question.IncludeCritical {
		query.Levels, query.Limit, query.MinScore = []Level{Critical}, maxCritical, 0
		critical = newCompleteList(scope, query)
		lists = append(lists, critical)
	}
	found, err := s.lookUp(ctx, scope, question.Text, question.Mode, lists...)
	if err != nil {
		return nil, Answer{}, err
	}
	answer := Answer{Sources: []Hit{}, Linked: []Linked{}, Coverage: found.coverage()}
	if others != nil {
		hits := found.hits(others)
		answer.Sources, answer.Closest = hits.Documents, hits.Closest
	}
	if critical != nil {
		hits := found.hits(critical)
		answer.CriticalNotConsidered, err = s.criticalBeyond(ctx, scope, query, len(hits.Documents))
		answer.addCritical(hits.Documents, question.MinScore)
	}
	return found, answer, err
}

// addCritical puts critical documents in front of the sources.
func (a *Answer) addCritical(critical []Hit, minScore float64) {
	reached := len(a.Sources) > 0
	for _, hit := range critical {
		// One that was promoted between the search by words and that by vectors is in both.
		a.Sources = slices.DeleteFunc(a.Sources, func(other Hit) bool { return other.id == hit.id })
		reached = reached || hit.Score >= minScore
		if a.Closest == nil || hit.Score > a.Closest.Score {
			a.Closest = &hit
		}
	}
	if reached {
		a.Closest = nil
	}
	a.Sources = append(critical, a.Sources...)
}

// criticalBeyond returns how many critical documents there are besides those found.
func (s *Searcher) criticalBeyond(ctx context.Context, scope Scope, query Query, found int) (beyond int, err error) {
	if found < maxCritical {
		return 0, nil
	}
	err = s.db.Read(ctx, "count critical documents", func(q *db.Queries) error {
		all, err := q.DocumentCountAtLevel(ctx, db.DocumentCountAtLevelParams{
			ProjectID: scope.Tenant.ProjectID, TenantID: scope.Tenant.ID, Collection: scope.Collection,
			PromotionLevel: Critical, DocTypes: newFilter(scope, query, Levels()).docTypes,
		})
		beyond = max(0, int(all)-found)
		return err
	})
	return beyond, err
}

// linkOrigins returns the paths of the sources in the order in which their links
// are followed: by relevance alone, because a critical document need not be relevant.
func linkOrigins(sources []Hit) []string {
	ordered := slices.Clone(sources)
	slices.SortStableFunc(ordered, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	paths := make([]string, len(ordered))
	for i, hit := range ordered {
		paths[i] = hit.Path
	}
	return paths
}

func rank(level Level) int { return slices.Index(Levels(), level) }
