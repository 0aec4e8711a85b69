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
)

// Citation is a document that cites a place.
type Citation struct {
	Path, Title string
	Level       catalog.Level
	Place       document.Place
}

// Citing returns the documents that cite a place, or the folder that it is in, as the index
// had them when it was last looked for stale documents: critical ones first. It reads
// neither files nor the index.
func (p *Project) Citing(ctx context.Context, place document.Place) []Citation {
	p.stale.ask(ctx)()
	p.stale.mu.Lock()
	defer p.stale.mu.Unlock()
	var found []Citation
	for _, d := range p.stale.documents {
		for _, text := range d.Places {
			if cited := document.ParsePlace(text); cited.Overlaps(place) {
				found = append(found, Citation{Path: d.Path, Title: d.Title, Level: d.Level, Place: cited})
				break
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Citation) int {
		rank := func(c Citation) int { return slices.Index(catalog.Levels(), c.Level) }
		return cmp.Or(rank(b)-rank(a), cmp.Compare(a.Path, b.Path))
	})
	return found
}

// DocumentsCiting returns the IDs of the documents that cite one of the places, such as
// src/pool.go:12-20 or src/, as the index has them now. The list is not nil.
func (p *Project) DocumentsCiting(ctx context.Context, places []string) ([]int64, error) {
	documents, err := p.index.CitedPlaces(ctx, p.Compounding())
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

// Recall says which hooks may be answered about a project, what the user's settings and
// the project's configuration both allow, and from which relevance a document is shown.
func (w *Workspace) Recall(p *Project) (allowed project.Recall, threshold float64) {
	return w.settings.Recall.And(p.Definition.Config.Recall), w.settings.RecallThreshold
}

// KeepsQuestions reports whether the user's settings allow to keep questions that found nothing.
func (w *Workspace) KeepsQuestions() bool { return w.settings.KeepQuestions }

// ActiveWithin is Active for callers that cannot wait long, such as hooks: an activation
// goes on when ctx ends, and the next call meets it.
func (w *Workspace) ActiveWithin(ctx context.Context) (*Project, error) {
	var active *Project
	var err error
	done := make(chan struct{})
	w.running.Go(func() {
		ctx, cancel := context.WithTimeout(w.life, activationPatience)
		defer cancel()
		active, err = w.Active(ctx)
		close(done)
	})
	select {
	case <-done:
		return active, err
	case <-ctx.Done():
		return nil, apierror.Errorf(apierror.ProjectNotActivated, "the project is still being activated")
	}
}

// activationPatience bounds an activation that nobody waits for.
const activationPatience = 30 * time.Second

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
