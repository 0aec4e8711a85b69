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
	// Debounce is how long a file must be quiet before it is read: 500 ms.
	Debounce time.Duration
	// MaxWait is how long a file that never is quiet may be put off: 5 s.
	MaxWait time.Duration
	// Rescan is the time between two walks of the whole folder: 5 min.
	Rescan time.Duration
	// Poll is the same where the file system reports no changes: 5 s.
	Poll time.Duration
	// MaxDirs is how many folders are watched at most: 10,000. Watches are a
	// system's to share, so a folder that has more below it is polled.
	MaxDirs int
	// Steady, if not nil, says whether the files on disk are those that the index
	// is of. Nothing is indexed or removed while it is an error.
	Steady func() error
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
	if c.Steady == nil {
		c.Steady = func() error { return nil }
	}
	if c.OnChange == nil {
		c.OnChange = func() {}
	}
	return c
}

// How long a mirror waits after a failure of what the indexer needs.
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
	links   links

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

// Run mirrors the folder until ctx ends: one walk first, then what changes.
func (m *Mirror) Run(ctx context.Context) {
	l := &lookout{
		folder: m.folder, config: m.config, queue: m.queue, failed: m.hasFailed, logger: m.logger,
		tick: time.NewTicker(m.config.Rescan),
	}
	defer l.tick.Stop()
	defer l.stop(ctx)
	var following sync.WaitGroup
	defer following.Wait()
	following.Go(func() {
		for ctx.Err() == nil {
			if err := panics.Catch(func() error { m.links.follow(ctx, m.folder, m.queue); return nil }); err != nil {
				m.logger.ErrorContext(ctx, "follow symbolic links", "error", err)
			}
		}
	})
	retry := backoff.NewExponentialBackOff()
	retry.InitialInterval, retry.MaxInterval = firstRetry, lastRetry
	l.keep(ctx)
	m.queue.addAllNow()
	for {
		wait, err := m.guardedStep(ctx)
		if ctx.Err() != nil {
			return
		}
		switch {
		case err == nil:
			retry.Reset()
		case errors.As(err, new(*unsteadyError)):
			wait = m.config.Debounce
		default:
			m.logger.WarnContext(ctx, "indexing waits", "error", err)
			wait = retry.NextBackOff()
		}
		if !m.sleep(ctx, wait, err != nil, l) {
			return
		}
		l.keep(ctx)
	}
}

// sleep waits for the time given, for a change or for the next walk, and reports
// false when ctx ends. After a failure changes do not cut the wait short, unless
// it is the folder that comes or goes.
func (m *Mirror) sleep(ctx context.Context, wait time.Duration, failed bool, l *lookout) bool {
	var due <-chan time.Time
	if wait >= 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		due = timer.C
	}
	wake, lost := m.queue.wake, l.lost()
	if failed {
		wake, lost = nil, nil
	}
	for {
		select {
		case <-ctx.Done():
			return false
		case <-l.tick.C:
			l.ticked()
			if failed && !l.keep(ctx) {
				continue
			}
		case <-wake:
		case <-lost:
		case <-due:
		}
		return true
	}
}

// guardedStep is step, whose panic is a failure like another: it is told in the
// status, and tried again.
func (m *Mirror) guardedStep(ctx context.Context) (wait time.Duration, err error) {
	err = panics.Catch(func() error {
		wait, err = m.step(ctx)
		return err
	})
	if bug, ok := errors.AsType[*panics.Error](err); ok {
		m.logger.ErrorContext(ctx, "a bug met while the folder was indexed", "panic", bug.Value, "stack", string(bug.Stack))
		m.queue.walked()
		m.queue.addAllNow()
		m.update(func(s *Status) { s.Err = err })
	}
	return wait, err
}

// step handles what is due. What it could not handle is queued again.
func (m *Mirror) step(ctx context.Context) (wait time.Duration, err error) {
	paths, rescan, wait := m.queue.take()
	switch {
	case rescan:
		if err = m.walk(ctx); err != nil {
			m.queue.addAllNow()
		}
	case len(paths) > 0:
		if err = m.apply(ctx, paths); err != nil {
			for _, name := range paths {
				m.queue.add(name)
			}
		}
	default:
		// Awake for nothing is no change of the status.
		if queued := m.queue.pending(); queued != m.lastQueued() {
			m.update(func(s *Status) { s.Queued = queued })
		}
		return wait, nil
	}
	m.queue.walked()
	m.update(func(s *Status) {
		s.Err = err
		s.Queued = m.queue.pending()
		if err == nil && s.Queued == 0 {
			s.Synced = time.Now()
		}
	})
	return wait, err
}

// unsteadyError is a wait for the files, not a failure.
type unsteadyError struct{ err error }

func (e *unsteadyError) Error() string { return e.err.Error() }

func (e *unsteadyError) Unwrap() error { return e.err }

func (m *Mirror) steady() error {
	if err := m.config.Steady(); err != nil {
		return &unsteadyError{err: err}
	}
	return nil
}

// walk reconciles the whole folder.
func (m *Mirror) walk(ctx context.Context) error {
	if err := m.steady(); err != nil {
		return err
	}
	walked, err := reconcile(ctx, m.folder, m.indexer, m.steady, func(p progress) {
		m.update(func(s *Status) { s.Done, s.Total, s.Err = p.done, p.total, nil })
	})
	m.update(func(s *Status) { s.Done, s.Total = 0, 0 })
	if err != nil {
		return err
	}
	m.setFailed(ctx, walked.failed, nil)
	m.links.replace(walked.links)
	for _, name := range walked.changing {
		m.queue.add(name)
	}
	return nil
}
