package workspace

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/staleness"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/quoted"
)

const (
	// staleAge is the least time between two looks for stale documents, and staleShare how
	// much longer it is than a look took: in a long history git takes seconds.
	staleAge   = 5 * time.Second
	staleShare = 20
	// stalePatience bounds the wait of the first search, which comes before it is known.
	stalePatience = 200 * time.Millisecond
)

// staleDocuments knows which documents of a project may no longer hold. It finds that out in
// the background: when somebody first asks, and when the commit or the documents have changed. Safe for concurrent use.
type staleDocuments struct {
	checker *staleness.Checker
	cited   func(ctx context.Context) ([]index.CitedPlaces, error)
	logger  *slog.Logger

	asked chan struct{} // holds a token when somebody has asked, or something has changed
	known chan struct{} // closed when the documents are first known
	found chan struct{} // closed when it is first known which are stale

	// head and version are those that follow has met.
	head    string
	version int64

	mu sync.Mutex
	// documents are those that cite places or quote code, and critical ones. book has what they
	// quote, in the same order. Neither is changed.
	documents []index.CitedPlaces
	book      *quoted.Book
	// what says by the path of a document what became of the places that it cites. It is
	// not changed.
	what map[string]string
}

// Stale returns a function that says, by the paths of the documents, which cite places that
// have changed or are gone since the documents were written, as of the last commit. Only
// before that is first known the function waits, for a moment.
func (p *Project) Stale(ctx context.Context) func() map[string]string { return p.stale.ask(ctx) }

func (s *staleDocuments) ask(ctx context.Context) func() map[string]string {
	select {
	case <-s.found:
	default:
		signal(s.asked)
	}
	return func() map[string]string {
		patience := time.NewTimer(stalePatience)
		defer patience.Stop()
		select {
		case <-s.found:
		case <-patience.C:
		case <-ctx.Done():
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.what
	}
}

// run finds out what is asked for, until ctx ends.
func (s *staleDocuments) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.asked:
		}
		began := time.Now()
		s.refresh(ctx)
		wait(ctx, max(staleAge, staleShare*time.Since(began)))
	}
}

// follow asks again if another commit was checked out, so that the first answer after it knows
// what it has changed, and, unless the server is idle, if the documents have changed. One
// goroutine calls it.
func (s *staleDocuments) follow(head string, version int64, idle bool) {
	if head != s.head || version != s.version && !idle {
		s.head, s.version = head, version
		signal(s.asked)
	}
}

func (s *staleDocuments) refresh(ctx context.Context) {
	var what map[string]string
	cited, err := s.cited(ctx)
	if err == nil {
		s.keepDocuments(cited)
		what, err = s.find(ctx, cited)
	}
	if err != nil && ctx.Err() == nil {
		s.logger.DebugContext(ctx, "look for stale documents", "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.what = what
	}
	select {
	case <-s.found:
	default:
		close(s.found)
	}
}

// keepDocuments keeps what documents cite and quote, which is known before it is known which are stale.
func (s *staleDocuments) keepDocuments(cited []index.CitedPlaces) {
	book := &quoted.Book{}
	for _, d := range cited {
		book.Add(d.Title, d.Quotes)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.documents, s.book = cited, book
	select {
	case <-s.known:
	default:
		close(s.known)
	}
}

// citing returns the documents that cite places or quote code, and the book of what they quote. It
// waits a moment until they are first known.
func (s *staleDocuments) citing(ctx context.Context) ([]index.CitedPlaces, *quoted.Book) {
	select {
	case <-s.known:
	default:
		signal(s.asked)
		patience := time.NewTimer(stalePatience)
		defer patience.Stop()
		select {
		case <-s.known:
		case <-patience.C:
		case <-ctx.Done():
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.documents, s.book
}

func (s *staleDocuments) find(ctx context.Context, cited []index.CitedPlaces) (map[string]string, error) {
	documents := make([]staleness.Document, len(cited))
	for i, d := range cited {
		documents[i].Path = d.Path
		for _, text := range d.Places {
			documents[i].Places = append(documents[i].Places, document.ParsePlace(text))
		}
	}
	// Without git there is nothing to say: a file that is not there may be another
	// repository's.
	found, _, err := s.checker.Check(ctx, documents)
	if err != nil {
		return nil, err
	}
	return describeStale(documents, found), nil
}

// describeStale says of each document with places that changed or are gone how many these
// are, and names the first.
func describeStale(documents []staleness.Document, found []staleness.Finding) map[string]string {
	const named = 3
	changed := map[int][]string{}
	for _, f := range found {
		if f.State == staleness.Changed || f.State == staleness.Gone {
			what := documents[f.Document].Places[f.Place].String()
			if f.State == staleness.Gone {
				what += " (gone)"
			}
			changed[f.Document] = append(changed[f.Document], what)
		}
	}
	what := make(map[string]string, len(changed))
	for i, places := range changed {
		text := fmt.Sprintf("%d of %d cited places changed: %s",
			len(places), len(documents[i].Places), strings.Join(places[:min(len(places), named)], ", "))
		if more := len(places) - named; more > 0 {
			text += fmt.Sprintf(", and %d more", more)
		}
		what[documents[i].Path] = text
	}
	return what
}
