package tools

import (
	"fmt"

	"github.com/compound-docs/compound-docs/rag"
)

// SearchAnswer returns the structured content with which semantic_search answers
// the hits, as JSON, so that an evaluation can say what an answer costs.
func SearchAnswer(hits rag.Hits) ([]byte, error) {
	results, omitted := fit(searchResults(hits.Documents, nil), maxList)
	answer, err := readable(semanticSearchOutput{Results: results, TotalMatches: len(results), OmittedCount: omitted})
	if err != nil {
		return nil, fmt.Errorf("encode a search answer: %w", err)
	}
	return answer, nil
}
