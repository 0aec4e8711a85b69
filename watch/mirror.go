package watch

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/fsnotify/fsnotify"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/panics"
)

// Config connects a mirror with its surroundings. Every field is required.
type Config struct {
	// Debounce is how long the folder must be quiet before changed files are read.
	Debounce time.Duration
	// Ready returns an error while the files may belong to another branch. Then nothing is indexed or removed.
	Ready func() error
	// OnChange is called after every change of the status. It must not block.
	OnChange func()
}

const (
	// rescanInterval is the time between two comparisons of the folder with the index. It is pollInterval if the file
	// system reports no changes.
	rescanInterval = 5 * time.Minute
	pollInterval   = 5 * time.Second
	// maxWatched bounds the watched folders, because all programs share the system's watches. A larger tree is polled.
	maxWatched = 10_000
)

// maxWait is how long changes without a pause can delay a walk.
const maxWait = 5 * time.Second

// missingPoll is how often a mirror looks for a missing folder.
const missingPoll = time.Second

// Mirror keeps an index equal to a folder, or only observes the folder while another server indexes it.
// Safe for concurrent use.
type Mirror struct {
	folder   Folder
	indexer  Indexer
	config   Config
	logger   *slog.Logger
	schedule *schedule

	rescan, poll time.Duration // tests shorten them
	maxWatched   int

	// Only the goroutine of Run or Observe uses these fields.
	index    Indexer // nil for Observe
	log      *slog.Logger
	walked   outcome                     // of the last walk, zero after a failure
	settling bool                        // from the end of a walk until events that came during the walk are handled
	retryAt  time.Time                   // no walk before this, after a failure of the indexer
	delays   *backoff.ExponentialBackOff // after failures of the indexer

	mu      sync.Mutex
	status  Progress
	folders map[string]document.Stamp // of the last walk
}

// NewMirror returns a Mirror that does nothing until Run or Observe.
func NewMirror(folder Folder, indexer Indexer, config Config, logger *slog.Logger) *Mirror {
	return &Mirror{
		folder: folder, indexer: indexer, config: config, logger: logger.With("folder", folder.Dir),
		schedule: newSchedule(config.Debounce, maxWait), rescan: rescanInterval, poll: pollInterval, maxWatched: maxWatched,
	}
}

// Run makes the index equal to the folder, at once and after each change, until ctx ends.
func (m *Mirror) Run(ctx context.Context) { m.run(ctx, m.indexer, m.logger) }

// Observe walks the folder at once and after each change until ctx ends. It does not use the index. It keeps State,
// Queued, Synced and Err of the status up to date. It cannot run together with Run.
func (m *Mirror) Observe(ctx context.Context) {
	m.run(ctx, nil, slog.New(slog.DiscardHandler)) // the other server logs
}

func (m *Mirror) run(ctx context.Context, index Indexer, log *slog.Logger) {
	m.index, m.log = index, log
	m.walked, m.retryAt = outcome{}, time.Time{}
	m.delays = &backoff.ExponentialBackOff{InitialInterval: 500 * time.Millisecond, Multiplier: 2, MaxInterval: 15 * time.Second}
	m.schedule.addNow()
	missing := "" // why the folder cannot be opened, or ""
	for ctx.Err() == nil {
		isWatched, err := m.follow(ctx)
		switch {
		case ctx.Err() != nil:
		case isWatched:
			missing = ""
			m.log.InfoContext(ctx, "events were lost; watching the folder again", "reason", err)
		case errors.Is(err, errNoFolder), errors.Is(err, fs.ErrNotExist):
			if err.Error() != missing || m.walked.known != nil {
				m.schedule.add(true)
			}
			missing = err.Error()
			_ = m.walkOnChanges(ctx, &notifier{}, m.rescan, missingPoll) // no watcher, so no lost events
		default:
			missing = ""
			m.log.WarnContext(ctx, "the folder cannot be watched; it is walked from time to time instead",
				"every", m.poll, "reason", err)
			m.schedule.addNow()
			_ = m.walkOnChanges(ctx, &notifier{polls: true}, m.poll, m.rescan)
		}
	}
}

// follow watches and walks the folder until events are lost. isWatched says whether the folder could be watched.
func (m *Mirror) follow(ctx context.Context) (isWatched bool, err error) {
	n, err := newNotifier(m.folder, m.schedule, m.maxWatched)
	if err != nil {
		return false, err
	}
	m.schedule.add(true) // earlier changes are not among the events
	err = m.walkOnChanges(ctx, n, m.rescan, forever)
	m.schedule.add(true) // later changes have no event
	return n.err == nil, errors.Join(err, n.watcher.Close())
}

// A walk counts as done after settleTime without an event. On a busy machine Go looks for input only every 10 ms.
const settleTime = 10 * time.Millisecond

// walkOnChanges walks the folder after events and once in each interval. It returns nil after duration, and an error
// when events are lost or ctx ends.
func (m *Mirror) walkOnChanges(ctx context.Context, n *notifier, interval, duration time.Duration) error {
	rescan, end := time.NewTicker(interval), time.NewTimer(duration)
	defer rescan.Stop()
	defer end.Stop()
	events := n.events
	var resume <-chan time.Time // sends at the end of a pause
	for {
		wait := m.step(ctx, n)
		if n.err != nil {
			return n.err
		}
		if m.settling {
			if !n.polls && m.walked.folders["."].Inode != n.top {
				return errFolderMoved // a folder above was moved, which brings no event
			}
			events, wait = n.events, min(wait, settleTime)
		}
		due := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case event := <-events:
			if err := n.handleBurst(event); err != nil {
				return err
			}
			events, resume = nil, time.After(burstPause)
		case <-resume:
			events = n.events
		case err := <-n.errors:
			return cmp.Or(err, fsnotify.ErrClosed) // an overflow, or a read that failed
		case <-end.C:
			return nil
		case <-rescan.C:
			m.schedule.addNow()
		case <-m.schedule.wake:
		case <-due.C:
			if m.settling {
				if err := m.settle(n); err != nil {
					return err
				}
			}
		}
		due.Stop()
	}
}

// settle marks the walk as done after settleTime. If an event has come at that moment, settle handles the event
// instead, because the index is not current then.
func (m *Mirror) settle(n *notifier) error {
	select {
	case event := <-n.events:
		return n.handleBurst(event)
	default:
	}
	m.settling = false
	m.schedule.done(true)
	m.update(func(s *Progress) {
		if m.schedule.pending() == 0 {
			s.Synced = time.Now()
		}
	})
	return nil
}

// step walks the folder if a walk is due, and returns how long the next step can wait. After a panic the status shows a
// failure, and the folder is walked again.
func (m *Mirror) step(ctx context.Context, n *notifier) time.Duration {
	if wait := time.Until(m.retryAt); wait > 0 {
		return wait
	}
	due, whole, wait := m.schedule.take()
	if !due {
		m.config.OnChange() // the number of queued walks may have changed
		return wait
	}
	err := panics.Catch(func() error { return m.walk(ctx, n, whole) })
	if bug, ok := errors.AsType[*panics.Error](err); ok {
		m.log.ErrorContext(ctx, "a bug stopped the indexing of the folder", "panic", bug.Value, "stack", string(bug.Stack))
	}
	m.update(func(s *Progress) { s.Err = err })
	m.settling = err == nil
	if m.settling {
		m.delays.Reset()
		return 0
	}
	m.schedule.done(false)
	if errors.As(err, new(*notReadyError)) {
		m.retryAt = time.Now().Add(m.config.Debounce)
	} else if ctx.Err() == nil {
		m.log.WarnContext(ctx, "indexing waits", "error", err)
		m.retryAt = time.Now().Add(m.delays.NextBackOff())
	}
	return 0
}

// notReadyError wraps an error of [Config.Ready], which is a reason to wait and not a failure.
type notReadyError struct{ error }

func (e *notReadyError) Unwrap() error { return e.error }

func (m *Mirror) ready() error {
	if err := m.config.Ready(); err != nil {
		return &notReadyError{err}
	}
	return nil
}

// walk indexes the changes since the last walk, and watches new folders. A whole walk compares the folder with the list
// of files in the index. Any other walk compares the folder with the last walk.
func (m *Mirror) walk(ctx context.Context, n *notifier, whole bool) error {
	before := m.walked
	m.walked = outcome{} // stays so after a failure
	if err := m.ready(); err != nil {
		return err
	}
	whole = whole || before.known == nil
	indexed := func(context.Context) (map[string]document.Stamp, error) { return before.known, nil }
	if whole && m.index != nil {
		before.failed, indexed = nil, m.index.Known
	}
	walk := &reconciler{
		folder: m.folder, indexer: m.index, indexed: indexed, failing: errorsByPath(before.failed), whole: whole,
		ready: m.ready, enter: n.watch,
		report: func(done, total int) {
			m.update(func(s *Progress) { s.Done, s.Total, s.Err = done, total, nil })
		},
	}
	walked, err := walk.run(ctx)
	m.update(func(s *Progress) { s.Done, s.Total = 0, 0 })
	if err != nil {
		return err
	}
	m.walked = walked
	m.update(func(s *Progress) { s.State, m.folders = 1+m.walked.state, m.walked.folders })
	if m.index != nil {
		m.setFailed(ctx, m.walked.failed)
	}
	if len(m.walked.changing) > 0 {
		m.schedule.add(false)
	}
	return nil
}
