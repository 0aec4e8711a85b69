package rag

import "context"

// Search returns the documents most relevant to the query.
func (s *Searcher) Search(ctx context.Context, scope Scope, query Query) (Hits, error) {
	documents := newList(scope, query)
	found, err := s.lookUp(ctx, scope, query.Text, query.Mode, documents)
	if err != nil {
		return Hits{}, err
	}
	return found.hits(documents), nil
}
