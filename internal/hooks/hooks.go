// Package hooks answers the hooks of an assistant. It reads their events, looks for documents that an
// event needs, points to at most one, and remembers the pointers of each session. It knows no MCP.
//
// event.go has the events, with what each looks for, says and leaves in its session. acts.go finds what commands, edits and
// failures need: documents whose triggers match (package trigger), and what can be inferred for sure: cited places, names of
// code, quoted lines of an error. assistants.go has the forms in which assistants give events.
package hooks

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/hooks/quoted"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// Searcher searches an index.
type Searcher interface {
	Search(ctx context.Context, scope catalog.Scope, query rag.Query) (rag.Hits, error)
}

// Documents are what hooks may point to.
type Documents interface {
	// RecallScopes returns what hooks search.
	RecallScopes(ctx context.Context) []catalog.Scope
	// Heard returns what the documents with one of some cues declare and cite, see package trigger.
	Heard(ctx context.Context, cues []string) (*quoted.Book, error)
	// Book returns what the documents name and quote. It is not changed.
	Book(ctx context.Context) *quoted.Book
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
	// Text returns the beginning of a file, "" if it cannot be read. Exists reports whether there is such a file.
	Text(name string) string
	Exists(name string) bool
	// Share returns which part of the project's files are like one of some patterns, 0 if it is not known.
	Share(ctx context.Context, patterns []string) float64
	// Former returns other paths by which documents may cite a file.
	Former(ctx context.Context, name string) []string
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
	// Settings are the user's, and Config is the project's.
	Settings project.Settings
	Config   project.Config
	// Behind says that the index is about to change.
	Behind bool
}

// allowed says which events are answered.
func (p Project) allowed() project.Recall { return p.Settings.Recall.And(p.Config.Recall) }

// Handle returns what to tell the assistant of an event, and keeps the event in its session. It does not
// handle [Compact], which needs no project: see [Store.Compact].
func Handle(ctx context.Context, sessions *Store, p Project, e Event) (Answer, error) {
	act, allowed := e.act(), p.allowed()
	isNothing := act == nothing && !e.Resumes
	if allowed == project.RecallOff || isNothing || act != asking && allowed == project.RecallPrompt {
		return Answer{}, nil
	}
	e = e.in(p.Root)
	found, searchErr := p.look(ctx, e)
	var said decision
	err := errors.Join(sessions.fire(p.Root), sessions.Update(ctx, e.SessionID, func(s *Session) {
		said = decide(*s, p, e, found, time.Now())
		if e.Resumes {
			said.text = strings.TrimSpace(s.Waiting + "\n" + said.text)
		}
		s.note(p, e, said)
	}))
	if e.Waits && !said.deny {
		return Answer{}, errors.Join(err, searchErr)
	}
	if err != nil || said.text == "" || act == delegating { // a subagent is told when it begins
		return Answer{}, errors.Join(err, searchErr)
	}
	text := plain.Hook(said.text)
	answer := Answer{Hook: &Output{Event: e.Event, Context: text}}
	if said.deny {
		answer.Hook = &Output{Event: e.Event, Decision: "deny", Reason: text}
	}
	if p.Settings.RecallVisible {
		answer.Message = text
	}
	return answer, nil
}

// Said is what hooks would say of a document.
type Said struct {
	// Text is the line that the assistant gets, and Path names the document.
	Text string `json:"text"`
	Path string `json:"path"`
	// Why says what the document has to do with the act, and Rule names the trigger that matches, "" for none.
	Why  string `json:"why"`
	Rule string `json:"rule,omitempty"`
}

// Preview returns what hooks would say at an act, the first first, without keeping anything.
func Preview(ctx context.Context, p Project, e Event) ([]Said, error) {
	e = e.in(p.Root)
	if e.FilePath != "" && e.Content == "" {
		e.Content = p.Text(e.FilePath)
	}
	found, err := p.look(ctx, e)
	all := []Said{}
	for _, c := range found {
		if text := c.pointer(); text != "" && c.holdsFor(e.act()) {
			all = append(all, Said{Text: plain.Hook(text), Path: c.Path, Why: c.why, Rule: c.rule})
		}
	}
	return all, err
}
