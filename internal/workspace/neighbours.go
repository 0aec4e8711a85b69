package workspace

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/codename"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/hooks/trigger"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

const (
	maxNeighbours = 3   // a writer has time to read three
	leastNear     = 0.2 // lowest relevance that is worth a look
)

// Neighbours returns the three documents that are most like the document at path in the index, with the similar
// passages. The nearest document comes first. The relevance does not tell a duplicate from a related document. Without
// a model server, words and built-in vectors decide.
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
		return hit.Path == path || hit.SupersededBy == path // the writer knows the document that this one replaces
	})
	return near[:min(len(near), maxNeighbours)], err
}

// DocumentsCiting returns the IDs of the indexed documents that cite one of the places, or that name a definition in a
// file of the places. A place is a text such as src/pool.go:12-20 or src/. Without an error the list is never nil.
func (p *Project) DocumentsCiting(ctx context.Context, places []string) ([]int64, error) {
	documents, err := p.index.CitedPlaces(ctx, p.Tenant, nil, catalog.Compounding)
	if err != nil {
		return nil, err
	}
	var names codename.Names
	for i, d := range documents {
		names.Add(i, d.Names, d.Places)
	}
	citing, sources := []int64{}, p.Sources()
	for _, text := range places {
		place, err := p.placeOf(text)
		if err != nil {
			return nil, err
		}
		cites := sources.Citing(ctx, place)
		if strings.ContainsAny(place.Path, "*?[{") {
			cites = func(cited document.Place) bool { return trigger.AreLike([]string{place.Path}, cited.Path) }
		}
		for _, d := range documents {
			if slices.ContainsFunc(d.Places, func(cited string) bool { return cites(document.ParsePlace(cited)) }) {
				citing = append(citing, d.ID)
			}
		}
		for _, m := range names.In(place.Path, sources.Text(place.Path)) {
			citing = append(citing, documents[m.Document].ID)
		}
	}
	return citing, nil
}

// placeOf parses a place: a file, a file with lines, a folder or a pattern. The text may be absolute or relative to the
// repository. The path of the result is relative.
func (p *Project) placeOf(text string) (document.Place, error) {
	place := document.ParsePlace(text)
	clean, err := p.cleanPath(place.Path)
	isOther := strings.Contains(text, "://") || strings.ContainsAny(text, "\x00\n")
	if err != nil || isOther || clean == "." || !filepath.IsLocal(clean) {
		return place, apierror.Refuse("paths", "%.200q is no path in the repository; give one such as src/pool.go, "+
			"src/pool.go:40-52, src/ or src/**/*.go", text)
	}
	info, err := p.Sources().describe(clean)
	if strings.HasSuffix(place.Path, "/") || err == nil && info.IsDir() {
		clean += "/"
	}
	place.Path = clean
	return place, nil
}
