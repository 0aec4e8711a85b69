package workspace

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/history"
	"github.com/compound-docs/compound-docs/rag/index"
)

const (
	// staleAge is the least time between two checks for stale documents. A check may take a share of
	// 1/staleShare of the time, because git takes seconds in a long history.
	staleAge   = 5 * time.Second
	staleShare = 20
	// maxCheckWait bounds the wait of a call that comes before the first check has ended. Of the time that the call has
	// left, it takes 1/checkWaitShare: a hook asks several times, and may have a quarter of a second.
	maxCheckWait   = 200 * time.Millisecond
	checkWaitShare = 10
)

// staleDocuments finds out in the background which documents of a project may no longer hold: when a
// call first asks, and when the commit or the documents have changed. Safe for concurrent use.
type staleDocuments struct {
	checker *history.PlaceChecker
	cited   func(ctx context.Context) ([]index.CitedPlaces, error)
	logger  *slog.Logger

	due     chan struct{} // holds a token when a check is due
	checked chan struct{} // closed when the first check has ended

	// checkAfter saw these last.
	head    string
	version int64

	mu      sync.Mutex
	changes map[string]string // of cited places, by the document's path
	moved   map[string]string // new paths by cited ones
}

// Stale returns a function that returns, by path, which cited places of documents have changed since
// the documents were written, as of the last commit. Before the first check has ended, the function
// waits a moment.
func (p *Project) Stale(ctx context.Context) func() map[string]string { return p.stale.ask(ctx) }

func (s *staleDocuments) ask(ctx context.Context) func() map[string]string {
	if !isClosed(s.checked) {
		signal(s.due)
	}
	return func() map[string]string {
		waitFor(ctx, s.checked)
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.changes
	}
}

// Sources returns the files of the repository that documents may be about. Moved waits as Stale does.
func (p *Project) Sources() Sources {
	return Sources{Root: p.Definition.Root, Moved: func(ctx context.Context) map[string]string {
		p.stale.ask(ctx)()
		p.stale.mu.Lock()
		defer p.stale.mu.Unlock()
		return p.stale.moved
	}}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// waitFor waits until c is closed, for a moment.
func waitFor(ctx context.Context, c <-chan struct{}) {
	most := maxCheckWait
	if deadline, isLimited := ctx.Deadline(); isLimited {
		most = min(most, time.Until(deadline)/checkWaitShare)
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	select {
	case <-c:
	case <-ctx.Done():
	}
}

// run makes the checks that are due, until ctx ends.
func (s *staleDocuments) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.due:
		}
		began := time.Now()
		s.refresh(ctx)
		wait(ctx, max(staleAge, staleShare*time.Since(began)))
	}
}

// checkAfter asks for a check after another commit was checked out, so that the next answer knows its changes.
// Unless the server is idle, it also asks after a change of the documents. One goroutine calls it.
func (s *staleDocuments) checkAfter(head string, version int64, idle bool) {
	if head != s.head || version != s.version && !idle {
		s.head, s.version = head, version
		signal(s.due)
	}
}

// refresh makes a check. An error leaves the earlier result.
func (s *staleDocuments) refresh(ctx context.Context) {
	if err := s.look(ctx); err != nil && ctx.Err() == nil {
		s.logger.DebugContext(ctx, "look for stale documents", "error", err)
	}
	if !isClosed(s.checked) {
		close(s.checked)
	}
}

// look reads what documents cite, and asks git what became of it. Nothing is stale without git: a missing
// file may belong to another repository.
func (s *staleDocuments) look(ctx context.Context) error {
	cited, err := s.cited(ctx)
	if err != nil {
		return err
	}
	documents := make([]history.CitingDocument, len(cited))
	for i, d := range cited {
		documents[i].Path = d.Path
		for _, text := range d.Places {
			documents[i].Places = append(documents[i].Places, document.ParsePlace(text))
		}
	}
	changes, _, err := s.checker.Check(ctx, documents)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes, s.moved = describeChanges(documents, changes), history.MovedPaths(documents, changes)
	return nil
}

// describeChanges returns, by path, how many of a document's places have changed or are gone, and names
// the first.
func describeChanges(documents []history.CitingDocument, changes []history.PlaceChange) map[string]string {
	const named = 3
	changed := map[int][]string{}
	for _, c := range changes {
		place := documents[c.Document].Places[c.Place].String()
		switch c.State {
		case history.Gone:
			changed[c.Document] = append(changed[c.Document], place+" (gone)")
		case history.Changed:
			changed[c.Document] = append(changed[c.Document], place)
		case history.Moved:
			if c.Now.Path != documents[c.Document].Places[c.Place].Path {
				changed[c.Document] = append(changed[c.Document], place+" (now "+c.Now.Path+")")
			}
		case history.Same, history.Unknown:
		}
	}
	described := make(map[string]string, len(changed))
	for i, places := range changed {
		text := fmt.Sprintf("%d of %d cited places changed: %s",
			len(places), len(documents[i].Places), strings.Join(places[:min(len(places), named)], ", "))
		if more := len(places) - named; more > 0 {
			text += fmt.Sprintf(", and %d more", more)
		}
		described[documents[i].Path] = text
	}
	return described
}
