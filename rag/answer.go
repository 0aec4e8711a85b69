package rag

import (
	"cmp"
	"context"
	"slices"

	"github.com/pgvector/pgvector-go"

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
	// Sources are the critical documents first, then by relevance. Of each, and of
	// each of Linked, a passage at least was quoted to the language model.
	Sources []Hit
	Linked  []Linked
	// Omitted are the paths of documents that were found and not quoted, since
	// the language model's context window has no room for them.
	Omitted []string
	// CriticalNotConsidered is how many critical documents there are beyond those
	// nearest to the question.
	CriticalNotConsidered int
	// Closest is set when no document reached the threshold.
	Closest *Hit
	// FallbackReason says why the text is quoted passages instead of a written
	// answer, and is nil for a written one.
	FallbackReason error
}

// Ask answers a question from the documents of the scope. Nothing is generated
// when no document is relevant enough, and when the language model fails the
// best passages are quoted instead.
func (s *Searcher) Ask(ctx context.Context, scope Scope, question Question) (Answer, error) {
	vector, err := s.queryVector(ctx, scope.Tenant, question.Text)
	if err != nil {
		return Answer{}, err
	}
	answer, err := s.findSources(ctx, scope, question, vector)
	if err != nil || len(answer.Sources) == 0 {
		return answer, err
	}
	limits := linkLimits{depth: question.MaxDepth, documents: question.MaxLinked, minLevel: question.MinLevel}
	if answer.Linked, err = s.follow(ctx, scope.Tenant, linkOrigins(answer.Sources), limits); err != nil {
		return Answer{}, err
	}
	return s.write(ctx, scope, question, answer, vector)
}

// findSources searches for what to answer from. Critical documents are searched
// apart, so that they take no place from the others.
func (s *Searcher) findSources(
	ctx context.Context, scope Scope, question Question, vector pgvector.HalfVector,
) (Answer, error) {
	query := question.Query
	query.Levels = slices.DeleteFunc(Levels(), func(level Level) bool {
		return rank(level) < rank(question.MinLevel) || question.IncludeCritical && level == Critical
	})
	hits := Hits{Documents: []Hit{}}
	var err error
	if len(query.Levels) > 0 {
		if hits, err = s.searchVector(ctx, scope, query, vector); err != nil {
			return Answer{}, err
		}
	}
	answer := Answer{Sources: hits.Documents, Linked: []Linked{}, Closest: hits.Closest}
	if !question.IncludeCritical {
		return answer, nil
	}
	critical, beyond, err := s.critical(ctx, scope, question.Query, vector)
	if err != nil {
		return Answer{}, err
	}
	reached := len(hits.Documents) > 0
	for _, hit := range critical {
		// One that was promoted between the two searches is in both.
		answer.Sources = slices.DeleteFunc(answer.Sources, func(other Hit) bool { return other.id == hit.id })
		reached = reached || hit.Score >= question.MinScore
		if answer.Closest == nil || hit.Score > answer.Closest.Score {
			answer.Closest = &hit
		}
	}
	if reached {
		answer.Closest = nil
	}
	answer.Sources, answer.CriticalNotConsidered = append(critical, answer.Sources...), beyond
	return answer, nil
}

// critical returns the critical documents nearest to the query, and how many
// more there are.
func (s *Searcher) critical(
	ctx context.Context, scope Scope, query Query, vector pgvector.HalfVector,
) (hits []Hit, beyond int, err error) {
	query.Levels, query.Limit, query.MinScore = []Level{Critical}, maxCritical, 0
	found, err := s.searchVector(ctx, scope, query, vector)
	if err != nil || len(found.Documents) < maxCritical {
		return found.Documents, 0, err
	}
	err = s.db.Read(ctx, "count critical documents", func(q *db.Queries) error {
		all, err := q.DocumentCountAtLevel(ctx, db.DocumentCountAtLevelParams{
			ProjectID: scope.Tenant.ProjectID, TenantID: scope.Tenant.ID, Collection: scope.Collection,
			PromotionLevel: Critical, DocTypes: newFilter(scope, query, Levels()).docTypes,
		})
		beyond = max(0, int(all)-len(found.Documents))
		return err
	})
	return found.Documents, beyond, err
}

// linkOrigins returns the paths of the sources in the order in which their links
// are followed: by relevance alone, since a critical one may be here for none.
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
