package workspace

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/quoted"
)

// Citation is a document that cites a place, or quotes what is about to be run or written.
type Citation struct {
	index.CitedPlaces

	Place document.Place // that the document cites
	Match quoted.Match   // that the document quotes
}

// Citing returns the documents that cite a place or its folder, critical ones first. It takes them from
// the last check for stale documents, and reads neither files nor the index.
func (p *Project) Citing(ctx context.Context, place document.Place) []Citation {
	var citations []Citation
	documents, _ := p.stale.citing(ctx)
	for _, d := range documents {
		if !slices.Contains(p.recalled, d.Collection) {
			continue
		}
		for _, text := range d.Places {
			if cited := document.ParsePlace(text); cited.Overlaps(place) {
				citations = append(citations, Citation{CitedPlaces: d, Place: cited})
				break
			}
		}
	}
	slices.SortStableFunc(citations, func(a, b Citation) int {
		rank := func(c Citation) int { return slices.Index(catalog.Levels(), c.Level) }
		return cmp.Or(rank(b)-rank(a), cmp.Compare(a.Path, b.Path))
	})
	return citations
}

// OnCommand returns the documents about a command line, best first: documents that quote it, then
// documents that cite a file of it.
func (p *Project) OnCommand(ctx context.Context, line string) []Citation {
	documents, book := p.stale.citing(ctx)
	citations := p.quoting(documents, book.Command(line))
	for _, name := range quoted.Files(line) {
		file := strings.TrimPrefix(name, "./")
		for i, d := range documents {
			cited := slices.IndexFunc(d.Places, func(place string) bool {
				return strings.EqualFold(document.ParsePlace(place).Path, file)
			})
			if cited >= 0 && slices.Contains(p.recalled, d.Collection) && !book.Advises(i, line) {
				citations = append(citations, Citation{CitedPlaces: d, Place: document.ParsePlace(d.Places[cited])})
			}
		}
	}
	return citations
}

// OnText returns the documents that warn of something in a text, best first.
func (p *Project) OnText(ctx context.Context, text string) []Citation {
	documents, book := p.stale.citing(ctx)
	return p.quoting(documents, book.Text(text))
}

// OnOutput returns the documents that quote a line of a failed command's output.
func (p *Project) OnOutput(ctx context.Context, output string) []Citation {
	documents, book := p.stale.citing(ctx)
	return p.quoting(documents, book.Output(output))
}

// quoting returns the documents that match, of the collections that hooks search.
func (p *Project) quoting(documents []index.CitedPlaces, matches []quoted.Match) []Citation {
	var citations []Citation
	for _, m := range matches {
		if d := documents[m.Document]; slices.Contains(p.recalled, d.Collection) {
			citations = append(citations, Citation{CitedPlaces: d, Match: m})
		}
	}
	return citations
}

// DocumentsCiting returns the IDs of the indexed documents that cite one of the places, such as
// src/pool.go:12-20 or src/. The list is not nil.
func (p *Project) DocumentsCiting(ctx context.Context, places []string) ([]int64, error) {
	documents, err := p.index.CitedPlaces(ctx, p.Tenant, catalog.Compounding)
	citing := []int64{}
	for _, d := range documents {
		if slices.ContainsFunc(d.Places, func(text string) bool {
			cited := document.ParsePlace(text)
			return slices.ContainsFunc(places, func(place string) bool {
				return cited.Overlaps(document.ParsePlace(strings.TrimPrefix(place, "./")))
			})
		}) {
			citing = append(citing, d.ID)
		}
	}
	return citing, err
}

// Recall returns which hooks both the user's settings and the project's configuration allow.
func (w *Workspace) Recall(p *Project) project.Recall {
	return w.settings.Recall.And(p.Definition.Config.Recall)
}

// recalled returns the collections that hooks search.
func (w *Workspace) recalled(p *project.Project) (collections []catalog.Collection) {
	for _, c := range []catalog.Collection{catalog.Compounding, catalog.External, catalog.Handbook} {
		named := slices.Contains(w.settings.RecallCollections, string(c))
		if named && (c != catalog.External || p.Config.ExternalDocs != nil) {
			collections = append(collections, c)
		}
	}
	return collections
}

// RecallScopes returns what hooks search.
func (w *Workspace) RecallScopes(ctx context.Context, p *Project) (scopes []catalog.Scope) {
	for _, collection := range p.recalled {
		if collection != catalog.Handbook {
			scopes = append(scopes, catalog.Scope{Tenant: p.Tenant, Collection: collection})
		} else if edition, err := w.Handbook(ctx); err == nil && edition != (index.HandbookEdition{}) {
			scopes = append(scopes, edition.Scope())
		}
	}
	return scopes
}

// ActiveWithin is Active for callers that cannot wait long, such as hooks: an activation goes on when ctx
// ends, and serves the next call.
func (w *Workspace) ActiveWithin(ctx context.Context) (*Project, error) {
	type activation struct {
		active *Project
		err    error
	}
	done := make(chan activation, 1)
	w.running.Go(func() {
		ctx, cancel := context.WithTimeout(w.life, activationPatience)
		defer cancel()
		active, err := w.Active(ctx)
		done <- activation{active, err}
	})
	select {
	case a := <-done:
		return a.active, a.err
	case <-ctx.Done():
		return nil, apierror.Errorf(apierror.ProjectNotActivated, "the project is still being activated")
	}
}

// activationPatience bounds an activation that nobody waits for.
const activationPatience = 30 * time.Second

const (
	maxNeighbours = 3    // a writer can be asked to read so many documents
	leastNear     = 0.05 // a relevance that is worth a look
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
