package workspace

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/compound-docs/compound-docs/internal/hooks/quoted"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

// bookShare limits how often a [bookshelf] is read. After a reading of duration d, the next reading starts bookShare*d
// later at the earliest. Otherwise each hook would cause a reading while many documents are saved.
const bookShare = 5

// bookshelf keeps the book of a project: its documents in a form that hooks can compare quickly. It reads the book
// again when the version of the index changes. Safe for concurrent use.
type bookshelf struct {
	index  *index.Index
	tenant *catalog.Tenant
	// collections are the collections that hooks search, except the handbook. The handbook's documents belong to no
	// project, and neither cite places nor have triggers.
	collections []catalog.Collection
	logger      *slog.Logger

	mu sync.Mutex
	// book is empty before the first reading. The other fields describe the last reading.
	book    *quoted.Book
	version int64         // version of the index
	at      time.Time     // end of the reading
	took    time.Duration // duration of the reading
}

// current returns the book of the present index, or the earlier book if the index cannot be read or no reading is due.
func (s *bookshelf) current(ctx context.Context) *quoted.Book {
	s.mu.Lock()
	defer s.mu.Unlock()
	version, err := s.index.Version(ctx, s.tenant)
	isKnown := err == nil && version == s.version && !s.at.IsZero()
	if err != nil || isKnown || time.Since(s.at) < bookShare*s.took {
		return s.book
	}
	began := time.Now()
	documents, err := s.index.CitedPlaces(ctx, s.tenant, nil, s.collections...)
	if err != nil {
		s.logger.DebugContext(ctx, "read what documents say for hooks", "error", err)
		return s.book
	}
	s.book, s.version, s.at, s.took = quoted.NewBook(documents), version, time.Now(), time.Since(began)
	return s.book
}
