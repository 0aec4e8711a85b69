package watch

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/compound-docs/compound-docs/internal/panics"
)

// Config says how eagerly a folder is mirrored. Zero values are replaced by
// defaults.
type Config struct {
	// Debounce is how long a file must be unchanged before it is read: 500 ms.
	Debounce time.Duration
	// Rescan is the time between two walks of the whole folder: 5 min.
	Rescan time.Duration
	// Poll is the same where the file system reports no changes: 5 s.
	Poll time.Duration
	// MaxDirs is how many folders are watched at most: 10,000. All programs share
	// the system's watches, so a larger tree is polled.
	MaxDirs int
	// Ready, if not nil, returns an error while the working tree may be on another
	// branch. Nothing is indexed or removed meanwhile.
	Ready func() error
	// OnChange, if not nil, is called after every change of the status. It must
	// not block.
	OnChange func()
}

func (c Config) withDefaults() Config {
	c.Debounce = cmp.Or(c.Debounce, 500*time.Millisecond)
	c.Rescan = cmp.Or(c.Rescan, 5*time.Minute)
	c.Poll = cmp.Or(c.Poll, 5*time.Second)
	c.MaxDirs = cmp.Or(c.MaxDirs, 10_000)
	if c.Ready == nil {
		c.Ready = func() error { return nil }
	}
	if c.OnChange == nil {
		c.OnChange = func() {}
	}
	return c
}

// maxWait is the longest delay of a file that keeps changing.
const maxWait = 5 * time.Second

// linkPoll is how often symbolic links, and files with another name, are looked at.
const linkPoll = time.Second

// How long a mirror waits after a failure of the indexer.
const (
	firstRetry = 500 * time.Millisecond
	lastRetry  = 15 * time.Second
)

// Mirror keeps an index equal to a folder. Safe for concurrent use.
type Mirror struct {
	folder  Folder
	indexer Indexer
	config  Config
	logger  *slog.Logger
	queue   *queue

	// What belongs to Run. walked is the outcome of the last walk, zero after a failure.
	walked outcome
	// found is set if the last walk found the folder.
	found atomic.Bool

	mu     sync.Mutex
	status Status
	failed map[string]Failed
}

// NewMirror returns a Mirror that does nothing until it is run.
func NewMirror(folder Folder, indexer Indexer, config Config, logger *slog.Logger) *Mirror {
	config = config.withDefaults()
	return &Mirror{
		folder: folder, indexer: indexer, config: config, logger: logger.With("folder", folder.Dir),
		queue: newQueue(config.Debounce, maxWait), failed: map[string]Failed{},
	}
}

// Run walks the folder and then follows its changes, until ctx ends.
func (m *Mirror) Run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	defer watching.Wait()
	defer cancel()
	m.walked = outcome{}
	watching.Go(func() {
		panics.Restart(ctx, m.logger, "watch "+m.folder.Dir, func() { m.watch(ctx) })
	})
	retry := backoff.NewExponentialBackOff()
	retry.InitialInterval, retry.MaxInterval = firstRetry, lastRetry
	for {
		wait, err := m.step(ctx)
		if ctx.Err() != nil {
			return
		}
		switch {
		case err == nil:
			retry.Reset()
		case errors.As(err, new(*notReadyError)):
			wait = m.config.Debounce
		default:
			m.logger.WarnContext(ctx, "indexing waits", "error", err)
			wait = retry.NextBackOff()
		}
		if !m.sleep(ctx, wait, err != nil) {
			return
		}
	}
}

// sleep waits for the time given or for a change. It returns false when ctx ends. After
// a failure no change ends the wait.
func (m *Mirror) sleep(ctx context.Context, wait time.Duration, failed bool) bool {
	var due <-chan time.Time
	if wait >= 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		due = timer.C
	}
	var polled <-chan time.Time
	if len(m.walked.polled) > 0 {
		poll := time.NewTicker(linkPoll)
		defer poll.Stop()
		polled = poll.C
	}
	wake := m.queue.wake
	if failed {
		wake = nil
	}
	for {
		select {
		case <-ctx.Done():
			return false
		case <-polled:
			if len(m.folder.Outdated(m.walked.polled)) > 0 {
				m.queue.add()
			}
			continue
		case <-wake:
		case <-due:
		}
		return true
	}
}

// step walks the folder if that is due. A panic counts as a failure: it is shown in the
// status, and the folder is walked again.
func (m *Mirror) step(ctx context.Context) (wait time.Duration, err error) {
	due, whole, wait := m.queue.take()
	if !due {
		m.config.OnChange() // more may be queued
		return wait, nil
	}
	err = panics.Catch(func() error { return m.walk(ctx, whole) })
	if bug, ok := errors.AsType[*panics.Error](err); ok {
		m.logger.ErrorContext(ctx, "a bug was met while the folder was indexed", "panic", bug.Value, "stack", string(bug.Stack))
	}
	m.queue.done(err == nil)
	m.update(func(s *Status) {
		s.Err = err
		if err == nil && m.queue.pending() == 0 {
			s.Synced = time.Now()
		}
	})
	return wait, err
}

// notReadyError is the error of [Config.Ready]: a reason to wait, not a failure.
type notReadyError struct{ err error }

func (e *notReadyError) Error() string { return e.err.Error() }

func (e *notReadyError) Unwrap() error { return e.err }

func (m *Mirror) ready() error {
	if err := m.config.Ready(); err != nil {
		return &notReadyError{err: err}
	}
	return nil
}

// walk makes the index hold what has changed in the folder since the last walk, or, if it is
// whole, all that is in the folder.
func (m *Mirror) walk(ctx context.Context, whole bool) error {
	walk := &reconciler{
		folder: m.folder, indexer: m.indexer, before: m.walked, whole: whole || m.walked.known == nil, ready: m.ready,
		report: func(done, total int) {
			m.update(func(s *Status) { s.Done, s.Total, s.Err = done, total, nil })
		},
	}
	m.walked = outcome{}
	err := m.ready()
	if err == nil && walk.whole {
		walk.before = outcome{}
		walk.before.known, err = m.indexer.Known(ctx)
	}
	if err != nil {
		return err
	}
	m.walked, err = walk.run(ctx)
	m.update(func(s *Status) { s.Done, s.Total = 0, 0 })
	if err != nil {
		return err
	}
	m.found.Store(m.walked.known != nil)
	m.setFailed(ctx, m.walked.failed)
	if len(m.walked.changing) > 0 {
		m.queue.add()
	}
	return nil
}
