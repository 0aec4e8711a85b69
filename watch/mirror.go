package watch

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/compound-docs/compound-docs/internal/panics"
)

// Config says how eagerly a folder is mirrored. Zero values are replaced by
// defaults.
type Config struct {
	// Debounce is how long a file must be unchanged before it is read: 500 ms.
	Debounce time.Duration
	// MaxWait is the longest delay of a file that keeps changing: 5 s.
	MaxWait time.Duration
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
	c.MaxWait = cmp.Or(c.MaxWait, 5*time.Second)
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

	// What belongs to Run. walked is what the last walk found, zero after a failure.
	walked progress
	watching

	mu     sync.Mutex
	status Status
	failed map[string]Failed
}

// NewMirror returns a Mirror that does nothing until it is run.
func NewMirror(folder Folder, indexer Indexer, config Config, logger *slog.Logger) *Mirror {
	config = config.withDefaults()
	return &Mirror{
		folder: folder, indexer: indexer, config: config, logger: logger.With("folder", folder.Dir),
		queue: newQueue(config.Debounce, config.MaxWait), failed: map[string]Failed{},
	}
}

// Run walks the folder and then follows its changes, until ctx ends.
func (m *Mirror) Run(ctx context.Context) {
	m.watching = watching{tick: time.NewTicker(m.config.Rescan)}
	defer m.tick.Stop()
	defer m.stopWatching(ctx)
	retry := backoff.NewExponentialBackOff()
	retry.InitialInterval, retry.MaxInterval = firstRetry, lastRetry
	m.ensureWatching(ctx)
	m.walked = progress{}
	m.queue.addAllNow()
	for {
		wait, err := m.guardedStep(ctx)
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
		m.ensureWatching(ctx)
	}
}

// sleep waits for the time given, for a change or for the next walk. It returns
// false when ctx ends. After a failure the changes of files do not end the wait.
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
		case <-m.tick.C:
			if m.missing == "" {
				m.queue.addAllNow()
			}
			if failed && !m.ensureWatching(ctx) {
				continue
			}
		case <-polled:
			m.Look(m.folder.Outdated(m.walked.polled))
			continue
		case <-wake:
		case <-m.lost():
		case <-due:
		}
		return true
	}
}

// guardedStep is step, whose panic counts as a failure: it is shown in the status,
// and the folder is walked again.
func (m *Mirror) guardedStep(ctx context.Context) (wait time.Duration, err error) {
	err = panics.Catch(func() error {
		wait, err = m.step(ctx)
		return err
	})
	if bug, ok := errors.AsType[*panics.Error](err); ok {
		m.logger.ErrorContext(ctx, "a bug was met while the folder was indexed", "panic", bug.Value, "stack", string(bug.Stack))
		m.queue.done(false)
		m.update(func(s *Status) { s.Err = err })
	}
	return wait, err
}

// step walks the folder if that is due.
func (m *Mirror) step(ctx context.Context) (wait time.Duration, err error) {
	due, changed, wait := m.queue.take()
	if !due {
		m.config.OnChange() // more may be queued
		return wait, nil
	}
	err = m.walk(ctx, changed)
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

// walk makes the index hold what has changed in the folder since the last walk, the files
// with the names given among it, or, without names, all that is in the folder.
func (m *Mirror) walk(ctx context.Context, changed map[string]struct{}) error {
	before := m.walked
	m.walked = progress{}
	err := m.ready()
	whole := changed == nil || before.known == nil
	if err == nil && whole {
		before, changed = progress{}, nil
		before.known, err = m.indexer.Known(ctx)
	}
	if err != nil {
		return err
	}
	walked, err := reconcile(ctx, m.folder, m.indexer, before, changed, m.ready, func(p progress) {
		if whole { // else the queue says how many files have changed
			m.update(func(s *Status) { s.Done, s.Total, s.Err = p.done, p.total, nil })
		}
	})
	m.update(func(s *Status) { s.Done, s.Total = 0, 0 })
	if err != nil {
		return err
	}
	m.walked = walked
	m.setFailed(ctx, walked.failed)
	if len(walked.changing) > 0 {
		m.queue.add(walked.changing...)
	}
	return nil
}
