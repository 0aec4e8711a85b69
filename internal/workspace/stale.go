package workspace

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/compound-docs/compound-docs/internal/staleness"
	"github.com/compound-docs/compound-docs/rag"
)

const (
	// staleAge is how long it is taken to be known which documents are stale, and
	// staleShare how much longer it is than finding out took: in a long history git takes
	// seconds.
	staleAge   = 5 * time.Second
	staleShare = 20
	// stalePatience bounds the wait of the first search, which comes before it is known.
	stalePatience = 200 * time.Millisecond
)

// staleDocuments knows which documents of a project may no longer hold. It finds that out
// in the background, when somebody asks and it was not found out lately. Safe for
// concurrent use.
type staleDocuments struct {
	checker *staleness.Checker
	files   func(ctx context.Context) ([]rag.DocumentFiles, error)
	logger  *slog.Logger

	asked chan struct{} // holds a token when somebody has asked
	found chan struct{} // closed when it is first known

	mu sync.Mutex
	// what says by the path of a document what became of its files. It is not changed.
	what map[string]string
}

func newStaleDocuments(
	root string, files func(ctx context.Context) ([]rag.DocumentFiles, error), logger *slog.Logger,
) *staleDocuments {
	return &staleDocuments{
		checker: staleness.NewChecker(root), files: files, logger: logger,
		asked: make(chan struct{}, 1), found: make(chan struct{}),
	}
}

// Stale begins to find out which documents are about files that are gone or were changed
// after the document's date. The function that it returns says, by the paths of the
// documents, what became of the files, as far as that is known: only before it is first
// known it waits, for a moment.
func (p *Project) Stale(ctx context.Context) func() map[string]string { return p.stale.ask(ctx) }

func (s *staleDocuments) ask(ctx context.Context) func() map[string]string {
	select {
	case s.asked <- struct{}{}:
	default:
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

// run finds out what is asked for, and was not found out lately, until ctx ends.
func (s *staleDocuments) run(ctx context.Context) {
	var next time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.asked:
		}
		if began := time.Now(); began.After(next) {
			s.refresh(ctx)
			next = time.Now().Add(max(staleAge, staleShare*time.Since(began)))
		}
	}
}

func (s *staleDocuments) refresh(ctx context.Context) {
	what, err := s.find(ctx)
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

func (s *staleDocuments) find(ctx context.Context) (map[string]string, error) {
	files, err := s.files(ctx)
	if err != nil {
		return nil, err
	}
	documents := make([]staleness.Document, len(files))
	for i, d := range files {
		documents[i] = staleness.Document(d)
	}
	// Without git there is nothing to say: a file that is not there may be another
	// repository's.
	found, _, err := s.checker.Check(ctx, documents)
	if err != nil {
		return nil, err
	}
	what, more := map[string]string{}, map[string]int{}
	for _, f := range found {
		path := documents[f.Document].Path
		switch {
		case f.Kind == staleness.Unknown:
		case what[path] == "":
			what[path] = f.What
		default:
			more[path]++
		}
	}
	for path, n := range more {
		what[path] += fmt.Sprintf(", and %d more of its files", n)
	}
	return what, nil
}
