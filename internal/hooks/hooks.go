// Package hooks answers the hooks of an assistant. It reads an event and looks for documents that may help. It points
// to one of them, or gives a shortlist for a new task. It remembers what each session was shown. It must not know MCP.
//
// event.go has the events and the search for each. acts.go finds documents for commands, edits and failures: by their
// triggers (package trigger), by the places that they cite, and by names of code or lines of an error that they quote.
// decide.go chooses what to say, and session.go has what a session keeps. assistants.go knows how each assistant sends
// events.
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

// Documents are the documents to which hooks may point.
type Documents interface {
	// RecallScopes returns the scopes that hooks search.
	RecallScopes(ctx context.Context) []catalog.Scope
	// Heard returns a book of the documents that have one of the cues. Package trigger says what a cue is.
	Heard(ctx context.Context, cues []string) (*quoted.Book, error)
	// Book returns a book of all documents. The caller must not change it.
	Book(ctx context.Context) *quoted.Book
	// Read returns a document as it is on disk. path is its path in the index.
	Read(path string) (document.File, error)
	// Stale maps the paths of documents to their cited places that have changed.
	Stale(ctx context.Context, documents []string) map[string]string
	// Outdated counts the hits whose files differ from the index.
	Outdated(of catalog.Collection, hits []rag.Hit) int
}

// Sources are the files of the repository that documents may be about.
type Sources interface {
	// Text returns the beginning of a file, or "" if the file cannot be read. Exists reports whether the file exists.
	Text(name string) string
	Exists(name string) bool
	// Share returns the share of the project's files that match one of the patterns, or 0 if nobody knows.
	Share(ctx context.Context, patterns []string) float64
	// Former returns former paths of a file that documents still cite.
	Former(ctx context.Context, name string) []string
	// Citing returns a function that reports whether a cited place overlaps the given place.
	Citing(ctx context.Context, place document.Place) func(cited document.Place) bool
}

// Project has the parts of a session's project that hooks need.
type Project struct {
	Searcher
	Documents
	Sources

	// Root is the folder of the repository. IsDocument reports whether a path in it is one of the project's
	// own documents.
	Root       string
	IsDocument func(path string) bool
	Tenant     *catalog.Tenant
	// Settings belong to the user, and Config to the project.
	Settings project.Settings
	Config   project.Config
	// Behind says that files have changed and the index will change.
	Behind bool
}

// allowed says which events hooks may answer, by the user's settings and the project's config.
func (p Project) allowed() project.Recall { return p.Settings.Recall.And(p.Config.Recall) }

// Handle returns the answer to an event, and records the event in its session. [Store.Compact] handles [Compact],
// because that event needs no project.
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
	err := errors.Join(sessions.fire(p.Root), sessions.Update(ctx, e.SessionID, func(s *Session) {
		said = decide(*s, p, e, found, time.Now())
		if e.Resumes {
			said.text = strings.TrimSpace(s.Waiting + "\n" + said.text)
		}
		s.note(p, e, said)
	}))
	isLater := act == delegating || e.Waits && !said.deny // the subagent itself gets the text when it begins
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
	// Text is the line that the assistant gets, and Path names the document.
	Text string `json:"text"`
	Path string `json:"path"`
	// Why says what the document has to do with the act. Rule names the trigger that matches, or is "".
	Why  string `json:"why"`
	Rule string `json:"rule,omitempty"`
}

// Preview returns what hooks would say about an act, best first. It keeps nothing in a session.
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
