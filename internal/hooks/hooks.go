// Package hooks answers the hooks of an assistant. It reads their events, looks for documents that an
// event needs, points to at most one, and remembers the pointers of each session. It knows no MCP.
//
// event.go has the events, with what each looks for, says and leaves in its session. assistants.go has
// the forms in which assistants give them, and the plugin and package clients say when.
package hooks

import (
	"context"
	"errors"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/hooks/quoted"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

// Searcher searches an index.
type Searcher interface {
	Search(ctx context.Context, scope catalog.Scope, query rag.Query) (rag.Hits, error)
}

// Documents are what hooks may point to.
type Documents interface {
	// RecallScopes returns what hooks search.
	RecallScopes(ctx context.Context) []catalog.Scope
	// Cited returns the documents that cite places, quote code or are critical, and the book of their
	// quotations. Neither is changed.
	Cited(ctx context.Context) ([]index.CitedPlaces, *quoted.Book)
	// Read returns a document as it is on disk, by its path in the index.
	Read(path string) (document.File, error)
}

// Freshness says what has changed since a document was written or indexed.
type Freshness interface {
	// Stale returns a function that returns, by path, which cited places have changed.
	Stale(ctx context.Context) func() map[string]string
	// Outdated counts the hits whose files differ from the index.
	Outdated(of catalog.Collection, hits []rag.Hit) int
}

// Sources are the files of the repository that documents may be about.
type Sources interface {
	// Text returns the beginning of a file, "" if it cannot be read.
	Text(name string) string
	// Citing returns a function that reports whether a place that a document cites has lines of the given place.
	Citing(ctx context.Context, place document.Place) func(cited document.Place) bool
}

// Project is the project that a session works in, as hooks see it.
type Project struct {
	Searcher
	Documents
	Freshness
	Sources

	// Root is the folder of the repository. IsDocument reports whether a path in it is one of the project's
	// own documents.
	Root       string
	IsDocument func(path string) bool
	Tenant     *catalog.Tenant
	// Allowed says which events are answered.
	Allowed project.Recall
	// Threshold is the least score of a document that a search finds.
	Threshold float64
	// Visible says that the person sees the text of a hook too.
	Visible bool
	// Behind says that the index is about to change.
	Behind bool
}

// Handle returns what to tell the assistant of an event, and keeps the event in its session. It does not
// handle [Compact], which needs no project: see [Store.Compact].
func Handle(ctx context.Context, sessions *Store, p Project, e Event) (Answer, error) {
	act := e.act()
	if p.Allowed == project.RecallOff || act == nothing || act != asking && p.Allowed == project.RecallPrompt {
		return Answer{}, nil
	}
	if e.FilePath != "" {
		e.FilePath = relativePath(p.Root, e.FilePath)
	}
	found, searchErr := p.look(ctx, e)
	var said decision
	err := errors.Join(sessions.fire(p.Root), sessions.Update(ctx, e.SessionID, func(s *Session) {
		if e.Summary != "" && e.Summary != s.Summary {
			s.compact()
			s.Summary = e.Summary
		}
		said = decide(*s, p, e, found, time.Now())
		s.note(p, e, said)
	}))
	if err != nil || said.text == "" || act == delegating { // a subagent is told when it begins
		return Answer{}, errors.Join(err, searchErr)
	}
	text := plain.Hook(said.text)
	answer := Answer{Hook: &Output{Event: e.Event, Context: text}}
	if said.deny {
		answer.Hook = &Output{Event: e.Event, Decision: "deny", Reason: text}
	}
	if p.Visible {
		answer.Message = text
	}
	return answer, nil
}
