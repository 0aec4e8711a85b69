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

// recalled returns the collections that hooks search.
func (w *Workspace) recalled(p *project.Project) []catalog.Collection {
	var collections []catalog.Collection
	for _, c := range []catalog.Collection{catalog.Compounding, catalog.External, catalog.Handbook} {
		named := slices.Contains(w.settings.RecallCollections, string(c))
		if named && (c != catalog.External || p.HasExternal()) {
			collections = append(collections, c)
		}
	}
	return collections
}

// RecallScopes returns what hooks search.
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

// Heard returns what the documents of the collections that hooks search declare and cite, if they have one of some cues.
func (p *Project) Heard(ctx context.Context, cues []string) (*quoted.Book, error) {
	return p.book.heard(ctx, cues)
}

// Book returns what the documents of the collections that hooks search name and quote, as the index has it now.
func (p *Project) Book(ctx context.Context) *quoted.Book { return p.book.current(ctx) }

// ActiveWithin is Active for callers that cannot wait long, such as hooks: an activation goes on when ctx
// ends, and serves the next call.
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

// activationTimeout bounds an activation in the background.
const activationTimeout = 30 * time.Second
