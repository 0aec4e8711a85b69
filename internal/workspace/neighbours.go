package workspace

import (
	"context"
	"slices"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/index"
)

const (
	// maxNeighbours is the number of documents that a writer can be asked to read.
	maxNeighbours = 3
	// leastNear is the relevance of a document below which nobody would look at it.
	leastNear = 0.05
)

// Neighbours returns up to three of the project's documents that are most like the one at
// a path of the index, the nearest first, each with the passage that is like it. They are
// ranked and not judged: duplicates and relatives are equally near. Without Ollama they
// are found by words.
func (p *Project) Neighbours(ctx context.Context, path string, searcher *rag.Searcher) ([]rag.Hit, error) {
	file, err := p.Read(path)
	if err != nil {
		return nil, err
	}
	text, err := index.Gist(file.Content)
	if err != nil {
		return nil, err
	}
	hits, err := searcher.Search(ctx, p.Compounding(), rag.Query{
		Text: text, Limit: 3 * maxNeighbours, MinScore: leastNear, Unasked: true,
	})
	near := slices.DeleteFunc(hits.Documents, func(hit rag.Hit) bool {
		return hit.Path == path || hit.SupersededBy == path // of that one its writer has decided
	})
	return near[:min(len(near), maxNeighbours)], err
}
