package rag

import "context"

// maxSnippet is the length of a snippet, in characters: ten of them are a quarter of
// what an answer with ten documents costs.
const maxSnippet = 160

// Search returns the documents most relevant to the query.
func (s *Searcher) Search(ctx context.Context, scope Scope, query Query) (Hits, error) {
	documents := newList(scope, query)
	found, err := s.lookUp(ctx, scope, query.Text, query.Mode, documents)
	if err != nil {
		return Hits{}, err
	}
	hits := found.hits(documents)
	onEach(len(hits.Documents), func(i int) {
		hit := &hits.Documents[i]
		hit.Snippet = found.terms.Snippet(hit.content, maxSnippet)
	})
	return hits, nil
}
