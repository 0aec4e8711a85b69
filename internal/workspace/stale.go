package workspace

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/history"
	"github.com/compound-docs/compound-docs/rag/index"
)

const (
	// staleAge is the shortest pause between two checks for stale documents. In a long history git takes seconds for a
	// check. Then the pause is staleShare times as long as the check.
	staleAge   = 5 * time.Second
	staleShare = 20
	// maxCheckWait bounds how long a call waits for the first check. The call waits at most 1/checkWaitShare of its
	// remaining time, because a hook asks several times and may have only a quarter of a second.
	maxCheckWait   = 200 * time.Millisecond
	checkWaitShare = 10
)

// staleDocuments finds stale documents in the background. A document is stale if files or lines that it cites have
// changed since it was written. A check starts when a call first asks, and when the commit or the documents change.
// Safe for concurrent use.
type staleDocuments struct {
	root   string // root of the repository
	cited  func(ctx context.Context) ([]index.CitedPlaces, error)
	logger *slog.Logger
	once   bool // see [Workspace.Once]; then each call checks only the documents that it needs

	due     chan struct{} // holds a token when a check is due
	checked chan struct{} // closed when the first check has ended

	// Commit and version of the index when checkAfter last asked for a check.
	head    string
	version int64

	latest atomic.Pointer[staleness] // nil before the first check
}

// staleness is the result of a check. changes says which cited places have changed, by document path. moved has the new
// paths of moved files and folders, by cited path.
type staleness struct{ changes, moved map[string]string }

// Stale returns, by document path, which cited places have changed since the document was written. The map may also
// have documents that were not asked for. Only committed changes count. Stale waits a moment for the first check.
func (p *Project) Stale(ctx context.Context, documents []string) map[string]string {
	return p.stale.result(ctx, func(d index.CitedPlaces) bool { return slices.Contains(documents, d.Path) }).changes
}

// result returns what a check has found, at least for the documents for which wanted returns true. It waits at most for
// maxCheckWait and for a share of the time of ctx. If no check ends in this time, the result is empty.
func (s *staleDocuments) result(ctx context.Context, wanted func(d index.CitedPlaces) bool) staleness {
	most := maxCheckWait
	if deadline, isLimited := ctx.Deadline(); isLimited {
		most = min(most, time.Until(deadline)/checkWaitShare)
	}
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	if s.once {
		found, err := s.look(limited, history.NewPlaceChecker(s.root), wanted)
		if err != nil {
			s.logger.DebugContext(ctx, "look for stale documents", "error", err)
		}
		return found
	}
	if !isClosed(s.checked) {
		signal(s.due)
	}
	select {
	case <-s.checked:
	case <-limited.Done():
	}
	return *cmp.Or(s.latest.Load(), &staleness{})
}

// Sources returns the repository's files for one tool call. Its [Sources.Moved] waits a moment if no check for stale
// documents has ended yet.
func (p *Project) Sources() Sources {
	sources := Sources{Root: p.Definition.Root}
	citesMissing := func(d index.CitedPlaces) bool {
		return slices.ContainsFunc(d.Places, func(text string) bool { return !sources.Exists(document.ParsePlace(text).Path) })
	}
	var asked sync.Once
	var moved map[string]string
	sources.Moved = func(ctx context.Context) map[string]string {
		asked.Do(func() { moved = p.stale.result(ctx, citesMissing).moved })
		return moved
	}
	return sources
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// run makes the checks that are due, until ctx ends. If a check fails, the earlier result stays.
func (s *staleDocuments) run(ctx context.Context) {
	checker := history.NewPlaceChecker(s.root)
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.due:
		}
		began := time.Now()
		found, err := s.look(ctx, checker, func(index.CitedPlaces) bool { return true })
		if err == nil {
			s.latest.Store(&found)
		} else if ctx.Err() == nil {
			s.logger.DebugContext(ctx, "look for stale documents", "error", err)
		}
		if !isClosed(s.checked) {
			close(s.checked)
		}
		wait(ctx, max(staleAge, staleShare*time.Since(began)))
	}
}

// checkAfter asks for a check if another commit is checked out, so that the next answer knows the commit's changes. If
// the server is not idle, a change of the documents also causes a check. Only one goroutine calls checkAfter.
func (s *staleDocuments) checkAfter(head string, version int64, idle bool) {
	if head != s.head || version != s.version && !idle {
		s.head, s.version = head, version
		signal(s.due)
	}
}

// look reads which places documents cite, and asks git how these places have changed. wanted says whether to check a
// document. Without git no document is stale, because a missing file may belong to another repository.
func (s *staleDocuments) look(
	ctx context.Context, checker *history.PlaceChecker, wanted func(d index.CitedPlaces) bool,
) (staleness, error) {
	cited, err := s.cited(ctx)
	if err != nil {
		return staleness{}, err
	}
	var documents []history.CitingDocument
	for _, d := range cited {
		if !wanted(d) {
			continue
		}
		citing := history.CitingDocument{Path: d.Path}
		for _, text := range d.Places {
			citing.Places = append(citing.Places, document.ParsePlace(text))
		}
		documents = append(documents, citing)
	}
	changes, err := checker.Check(ctx, documents)
	if err != nil {
		return staleness{}, err
	}
	return staleness{changes: describeChanges(documents, changes), moved: history.MovedPaths(documents, changes)}, nil
}

// describeChanges returns, by document path, how many cited places have changed, moved or gone, with the first three.
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
