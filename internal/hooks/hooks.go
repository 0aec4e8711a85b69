// Package hooks answers the hooks of AI assistants. An assistant calls a hook at an event, such as a prompt or a
// command that is about to run. The package searches for documents that may help. The answer points to one document,
// or lists a few for a new task. A file for each session lists the shown documents. The package must not know MCP.
//
// event.go describes events and chooses the search for each. acts.go finds documents for commands, edits and failures.
// A document matches by its triggers (package trigger), by a file that it cites, or by a name or a message that it
// quotes. decide.go chooses what to say. session.go has the memory of a session. assistants.go has the formats of
// assistants.
package hooks

import (
	"context"
	"errors"
	"strings"

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

// Documents are the documents to which hooks may point.
type Documents interface {
	// RecallScopes returns the collections that hooks search, as scopes for a search.
	RecallScopes(ctx context.Context) []catalog.Scope
	// Heard returns the documents with one of the cues. A cue, such as "run psql", is a key for triggers in the index.
	Heard(ctx context.Context, cues []string) (*quoted.Book, error)
	// Book returns all documents. The caller must not change the book.
	Book(ctx context.Context) *quoted.Book
	// Read reads a document from disk, by its path in the index.
	Read(path string) (document.File, error)
	// Stale returns, by document path, the cited places that have changed since the document was written.
	Stale(ctx context.Context, documents []string) map[string]string
	// Outdated counts the hits whose files have changed since they were indexed.
	Outdated(of catalog.Collection, hits []rag.Hit) int
}

// Sources are the files of the repository that documents may be about.
type Sources interface {
	// Text returns the beginning of a file, or "" if the file cannot be read.
	Text(name string) string
	Exists(name string) bool
	// Share returns the share of the project's files that match one of the patterns, or 0 if git cannot list the files.
	Share(ctx context.Context, patterns []string) float64
	// Former returns those earlier paths of a moved file that documents still cite.
	Former(ctx context.Context, name string) []string
	// Citing returns a function that reports whether a cited place overlaps the given place.
	Citing(ctx context.Context, place document.Place) func(cited document.Place) bool
}

// Project describes the active project, as far as hooks need it.
type Project struct {
	Searcher
	Documents
	Sources

	// Root is the folder of the repository. IsDocument reports whether a document has this path below Root.
	Root       string
	IsDocument func(path string) bool
	Tenant     *catalog.Tenant
	// Settings are the user's, and Config is the project's.
	Settings project.Settings
	Config   project.Config
	// Behind says that some changed files are not in the index yet.
	Behind bool
}

// allowed returns which events hooks may answer. Both the user's settings and the project's config must allow an event.
func (p Project) allowed() project.Recall { return p.Settings.Recall.And(p.Config.Recall) }

// Handle returns the answer to an event, and records the event in its session. For the event [Compact] the caller uses
// [Session.Compact] instead, which needs no project.
func Handle(ctx context.Context, sessions *Store, p Project, e Event) (Answer, error) {
	act, allowed := e.act(), p.allowed()
	isNothing := act == nothing && !e.Resumes
	if allowed == project.RecallOff || isNothing || act != asking && allowed == project.RecallPrompt {
		return Answer{}, nil
	}
	e = e.in(p.Root)
	found, searchErr := p.look(ctx, e)
	found = usable(act, found)
	var said decision
	err := sessions.Update(ctx, e.SessionID, func(s *Session) {
		said = decide(*s, p, e, found)
		if e.Resumes {
			said.text = strings.TrimSpace(s.Waiting + "\n" + said.text)
		}
		s.note(p, e, said)
	})
	isLater := act == delegating || e.Waits && !said.deny // the session keeps the text for the subagent or a later event
	if err != nil || said.text == "" || isLater {
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

// Said is what hooks would say about a document.
type Said struct {
	// Text is the line for the assistant. Path is the document's path in the index.
	Text string `json:"text"`
	Path string `json:"path"`
	// Why is the reason, such as "for this command". Rule is the matching trigger, or "" without one.
	Why  string `json:"why"`
	Rule string `json:"rule,omitempty"`
}

// Preview returns what hooks would say at an event in a new session, best document first. It stores nothing.
func Preview(ctx context.Context, p Project, e Event) ([]Said, error) {
	e = e.in(p.Root)
	if e.FilePath != "" && e.Content == "" {
		e.Content = p.Text(e.FilePath)
	}
	found, err := p.look(ctx, e)
	all := []Said{}
	for _, c := range usable(e.act(), found) {
		all = append(all, Said{Text: plain.Hook(c.line), Path: c.Path, Why: c.why, Rule: c.rule})
	}
	return all, err
}
