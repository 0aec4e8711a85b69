package workspace

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/compound-docs/compound-docs/internal/hooks/quoted"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

// bookShare bounds the share of the time in which a book is read again: while many documents are saved, each hook sees
// another version of the index.
const bookShare = 5

// bookshelf keeps the book of a project's documents, and reads it again when the index has another version. Safe for
// concurrent use.
type bookshelf struct {
	index    *index.Index
	tenant   *catalog.Tenant
	recalled []catalog.Collection // that hooks search
	logger   *slog.Logger

	mu sync.Mutex
	// book is as of a version, and was read at a time and for a while. It is empty before the first reading.
	book    *quoted.Book
	version int64
	at      time.Time
	took    time.Duration
}

// current returns the book of the index as it is now. If the index cannot be read, it returns the earlier one.
func (s *bookshelf) current(ctx context.Context) *quoted.Book {
	s.mu.Lock()
	defer s.mu.Unlock()
	version, err := s.index.Version(ctx, s.tenant)
	isKnown := err == nil && version == s.version && !s.at.IsZero()
	if err != nil || isKnown || time.Since(s.at) < bookShare*s.took {
		return s.book
	}
	began := time.Now()
	documents, err := s.index.CitedPlaces(ctx, s.tenant, nil, s.collections()...)
	if err != nil {
		s.logger.DebugContext(ctx, "read what documents say for hooks", "error", err)
		return s.book
	}
	s.book, s.version, s.at, s.took = quoted.NewBook(documents), version, time.Now(), time.Since(began)
	return s.book
}

// heard returns the book of the documents with one of some cues, as the index has them now.
func (s *bookshelf) heard(ctx context.Context, cues []string) (*quoted.Book, error) {
	documents, err := s.index.CitedPlaces(ctx, s.tenant, cues, s.collections()...)
	return quoted.NewBook(documents), err
}

// collections are those that hooks search and whose documents may cite places or have triggers. The handbook is of no project.
func (s *bookshelf) collections() []catalog.Collection {
	return slices.DeleteFunc(slices.Clone(s.recalled), func(c catalog.Collection) bool { return c == catalog.Handbook })
}
