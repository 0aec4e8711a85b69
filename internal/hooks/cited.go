package hooks

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

// fewFolders is how many cited folders a document can be about. If a document cites more folders, none of these folders
// counts, because the document may be an overview of the project.
const fewFolders = 1

// citing returns the documents that cite a file, each with its passage about the file. Critical documents come first,
// then newer documents. If another document replaces or amends a citing document, citing returns the other document
// instead. The first result also names a newer document on the same subject, if there is one.
func (p Project) citing(ctx context.Context, documents []index.CitedPlaces, file string) ([]candidate, error) {
	places, cites := map[int64]string{}, p.Citing(ctx, document.Place{Path: file})
	isFolder := func(cited string) bool { return strings.HasSuffix(document.ParsePlace(cited).Path, "/") }
	for _, d := range documents {
		cited := d.Places
		if files := slices.DeleteFunc(slices.Clone(cited), isFolder); len(cited) > len(files)+fewFolders {
			cited = files
		}
		i := slices.IndexFunc(cited, func(place string) bool { return cites(document.ParsePlace(place)) })
		if i >= 0 {
			places[d.ID] = cited[i]
		}
	}
	if len(places) == 0 {
		return nil, nil
	}
	scope := catalog.Scope{Tenant: p.Tenant, Collection: catalog.Compounding}
	hits, err := p.Search(ctx, scope, rag.Query{
		Text: file, Mode: rag.Lexical, Limit: 2 * len(places), Filter: rag.Filter{Documents: slices.Collect(maps.Keys(places))},
	})
	var found []candidate
	for _, hit := range hits.Documents {
		c := candidate{Hit: hit, why: "cites " + places[hit.ID]}
		if name := path.Base(file); strings.Contains(hit.Content, name) {
			c.quote = name
		}
		c.Score = 1 // the citation counts, not the score
		earlier := slices.IndexFunc(hits.Documents, func(other rag.Hit) bool { return other.Successor() == hit.Path })
		switch {
		case slices.ContainsFunc(hits.Documents, func(other rag.Hit) bool { return other.Path == hit.Successor() }):
			continue
		case places[hit.ID] == "" && earlier >= 0:
			old := hits.Documents[earlier]
			c.why = "replaces or amends ./" + old.Path + ", which cites " + places[old.ID]
		}
		found = append(found, p.withNotes(ctx, catalog.Compounding, c))
	}
	if err != nil || len(found) == 0 {
		return nil, err
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		rank := func(c candidate) int { return slices.Index(catalog.Levels(), c.Level) }
		return cmp.Or(rank(b)-rank(a), cmp.Compare(b.Date, a.Date), cmp.Compare(a.Path, b.Path))
	})
	// If this search fails (the title may have no word to search for), only the note about a newer document is missing.
	similar, _ := p.Search(ctx, scope, rag.Query{Text: found[0].Title, Mode: rag.Lexical, Limit: maxCompared})
	for _, hit := range similar.Documents {
		if hit.ID == found[0].ID {
			found[0].Newer = hit.Newer
		}
	}
	return found, nil
}
