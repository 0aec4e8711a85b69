package workspace

import (
	"context"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/codename"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

const (
	maxNeighbours = 3   // a writer can be asked to read so many documents
	leastNear     = 0.2 // a relevance that is worth a look
)

// Neighbours returns up to three of the project's documents that are most like the document at a path of
// the index, nearest first, with the similar passage. Duplicates and relatives are equally near. Without
// Ollama words decide.
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
		return hit.Path == path || hit.SupersededBy == path // the writer knows that one
	})
	return near[:min(len(near), maxNeighbours)], err
}

// DocumentsCiting returns the IDs of the indexed documents that cite one of the places, such as
// src/pool.go:12-20 or src/, or name what the files there define. The list is not nil.
func (p *Project) DocumentsCiting(ctx context.Context, places []string) ([]int64, error) {
	documents, err := p.index.CitedPlaces(ctx, p.Tenant, catalog.Compounding)
	var names codename.Names
	for _, d := range documents {
		names.Add(d.Names, d.Places)
	}
	citing, sources := []int64{}, Sources{p.Definition.Root}
	for _, text := range places {
		place := document.ParsePlace(strings.TrimPrefix(text, "./"))
		cites := sources.Citing(ctx, place)
		for _, d := range documents {
			if slices.ContainsFunc(d.Places, func(cited string) bool { return cites(document.ParsePlace(cited)) }) {
				citing = append(citing, d.ID)
			}
		}
		for _, m := range names.In(place.Path, sources.Text(place.Path)) {
			citing = append(citing, documents[m.Document].ID)
		}
	}
	return citing, err
}
