package workspace

import (
	"context"
	"slices"
	"time"

	"github.com/compound-docs/compound-docs/internal/hooks/quoted"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

// recalled returns the collections that hooks search in a project.
func (w *Workspace) recalled(p *project.Project) []catalog.Collection {
	var collections []catalog.Collection
	for _, c := range []catalog.Collection{catalog.Compounding, catalog.External, catalog.Handbook} {
		named := slices.Contains(w.Settings.RecallCollections, string(c))
		if named && (c != catalog.External || p.Config.ExternalDocs != nil) {
			collections = append(collections, c)
		}
	}
	return collections
}

// RecallScopes returns the scopes that hooks search.
func (p *Project) RecallScopes(ctx context.Context) []catalog.Scope {
	var scopes []catalog.Scope
	for _, collection := range p.recalled {
		if collection != catalog.Handbook {
			scopes = append(scopes, catalog.Scope{Tenant: p.Tenant, Collection: collection})
			continue
		}
		edition, err := p.index.HandbookEdition(ctx)
		if err != nil || edition == (index.HandbookEdition{}) {
			continue // the other collections are enough
		}
		scopes = append(scopes, edition.Scope())
	}
	return scopes
}

// Heard returns what hooks compare with an act of the assistant, for the documents that have at least one of the cues.
// A cue is a key under which the index finds documents for an act. The handbook is left out.
func (p *Project) Heard(ctx context.Context, cues []string) (*quoted.Book, error) {
	documents, err := p.index.CitedPlaces(ctx, p.Tenant, cues, p.book.collections...)
	return quoted.NewBook(documents), err
}

// Book returns a book of all documents in the collections that hooks search, except the handbook. It may be a little
// older than the index.
func (p *Project) Book(ctx context.Context) *quoted.Book { return p.book.current(ctx) }

// ActiveWithin calls [Workspace.Active] for callers that cannot wait long, such as hooks. If ctx ends first, the error
// is PROJECT_NOT_ACTIVATED, and the activation continues for the next call.
func (w *Workspace) ActiveWithin(ctx context.Context) (*Project, error) {
	type activation struct {
		active *Project
		err    error
	}
	done := make(chan activation, 1)
	w.running.Go(func() {
		ctx, cancel := context.WithTimeout(w.life, activationTimeout)
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

const activationTimeout = 30 * time.Second
