// Package pgserver runs a private PostgreSQL for the user, without an account, a port or a password to set up. All
// compound-docs servers of the user share it. Its programs are bundled, or come from a PostgreSQL that the user names.
//
// The package knows PostgreSQL's programs and files. It must not speak SQL.
package pgserver

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/compound-docs/compound-docs/internal/pgversion"
)

// Server is the private PostgreSQL of a user. All processes with the same home folder share it. It still runs after
// these processes have ended, until a process calls Stop. Safe for concurrent use.
type Server struct {
	// StartWait is how long URL waits for a start, or 0 for no limit. The start itself continues after the wait. Set
	// StartWait before the first use.
	StartWait time.Duration

	// Programs is the folder of initdb and postgres that the user names, or "". Set it before the first use.
	Programs string

	home   string
	logger *slog.Logger
	since  time.Time // if somebody stops the server after this time, this process does not start it again
	// settings are further settings of the server. initdb are further arguments of initdb. Only tests set these fields.
	settings, initdb []string
	lockWait         time.Duration
	// settled is true once this process has decided whether to restart a running server with other programs. A process
	// decides only once, so that two processes with different programs do not restart the server in turns.
	settled bool

	// attempts makes one attempt at a time to find or start the server. Callers share the attempt. It goes on when a
	// caller leaves, because a start may take longer than a caller waits.
	attempts singleflight.Group
	life     context.Context //nolint:containedctx // for attempts; Close ends it
	end      context.CancelFunc
}

// Error is a problem that a person must solve before there is a database.
type Error struct {
	Err  error
	Hint string // a remedy in a sentence
}

func (e *Error) Error() string { return e.Err.Error() + "; " + e.Hint }

func (e *Error) Unwrap() error { return e.Err }

// New returns the server that has its files below home, the folder of the user's files. It starts nothing.
func New(home string, logger *slog.Logger) *Server {
	s := &Server{home: home, logger: logger, since: time.Now(), lockWait: lockWait}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

var errClosed = errors.New("this process is ending")

// attemptTimeout bounds an attempt, which may have to copy the programs and to recover the data.
const attemptTimeout = 30 * time.Minute

// URL returns the URL of the database. It makes and starts the server if necessary. The error is an [*Error] if a
// person must act.
func (s *Server) URL(ctx context.Context) (string, error) {
	var late <-chan time.Time
	if s.StartWait > 0 {
		late = time.After(s.StartWait)
	}
	select {
	case result := <-s.attempts.DoChan("", s.attempt):
		url, _ := result.Val.(string)
		return url, result.Err
	case <-ctx.Done():
		if !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			return "", context.Cause(ctx)
		}
	case <-late:
	}
	return "", &Error{
		Err:  errors.New("PostgreSQL has not started yet: it may be recovering"),
		Hint: "the start goes on, and this program's log says how far it is: try again in a minute",
	}
}

// Close cancels a start in progress and waits for its end. A running server runs on.
func (s *Server) Close() {
	s.end()
	<-s.attempts.DoChan("", s.attempt) // joins a running attempt, or fails at once
}

// attempt returns the URL of the running server. It starts the server if necessary.
func (s *Server) attempt() (any, error) {
	if s.life.Err() != nil {
		return "", errClosed
	}
	ctx, cancel := context.WithTimeout(s.life, attemptTimeout)
	defer cancel()
	l, err := layoutOf(s.home)
	if err != nil {
		return "", err
	}
	if running, ok := l.running(ctx); ok && s.settled {
		return running.URL(), nil
	}
	unlock, err := l.lock(ctx, s.lockWait)
	if err != nil {
		return "", err
	}
	defer unlock()
	if l.stoppedAfter(s.since) {
		return "", &Error{
			Err:  errors.New("the database was stopped with compound-docs down"),
			Hint: "run: compound-docs up",
		}
	}
	url, err := s.start(ctx, l)
	if err != nil {
		return "", err
	}
	s.settled = true
	if err := os.Remove(l.marker()); !errors.Is(err, fs.ErrNotExist) {
		return url, err
	}
	return url, nil
}

// start returns the URL of a server that runs with the right programs. It starts or restarts the server if
// necessary. The caller has the lock.
func (s *Server) start(ctx context.Context, l layout) (string, error) {
	if running, ok := l.running(ctx); ok {
		if s.settled || !s.givesWay(ctx, l.started()) {
			return running.URL(), nil
		}
		s.logger.InfoContext(ctx, "restarting PostgreSQL with other programs", "former", running.Data)
		if _, err := running.stop(ctx); err != nil {
			return "", err
		}
	}
	installed, err := Find(ctx, s.Programs)
	if err != nil {
		return "", err
	}
	installed, err = l.provide(installed)
	if err != nil {
		return "", err
	}
	cluster, err := s.prepare(ctx, l, installed)
	if err != nil {
		return "", err
	}
	if err := s.launch(ctx, l, cluster); err != nil {
		return "", err
	}
	s.logger.InfoContext(ctx, "started PostgreSQL", "version", installed.PostgreSQL, "folder", l.folder)
	return cluster.URL(), nil
}

// givesWay reports whether a running server must be restarted with other programs. former is the PostgreSQL that
// started it. If the user names a PostgreSQL, the server must run with this PostgreSQL. Otherwise a restart is
// necessary only if former was removed or is older than the bundled PostgreSQL.
func (s *Server) givesWay(ctx context.Context, former Installation) bool {
	found, err := Find(ctx, s.Programs)
	if err != nil || s.Programs != "" {
		return err == nil && former != found
	}
	return olderThan(former, found)
}

// olderThan reports whether the PostgreSQL former has been removed or is older than the bundled PostgreSQL.
func olderThan(former, bundled Installation) bool {
	return !exists(former.program("postgres")) || !pgversion.AtLeast(former.PostgreSQL, bundled.PostgreSQL) ||
		!pgversion.AtLeast(former.Pgvector, bundled.Pgvector)
}

// Stop stops the server for all processes, and reports whether it ran. Only processes that begin later start it again.
func (s *Server) Stop(ctx context.Context) (bool, error) {
	l, err := layoutOf(s.home)
	if err != nil || !exists(l.folder) {
		return false, err
	}
	unlock, err := l.lock(ctx, s.lockWait)
	if err != nil {
		return false, err
	}
	defer unlock()
	if err := os.WriteFile(l.marker(), nil, 0o600); err != nil {
		return false, err
	}
	ran := false
	for _, cluster := range l.clusters() {
		stopped, err := cluster.stop(ctx)
		if err != nil {
			return ran, err
		}
		ran = ran || stopped
	}
	return ran, nil
}

// State describes a server, running or not.
type State struct {
	Folder               string // folder of the server's files
	PostgreSQL, Pgvector string // versions
	URL                  string // "" if the server does not run
	Err                  error  // why the server cannot be started, or nil
}

// State describes the server. It changes nothing.
func (s *Server) State(ctx context.Context) State {
	l, err := layoutOf(s.home)
	if err != nil {
		return State{Err: err}
	}
	installed, err := Find(ctx, s.Programs)
	state := State{Folder: l.folder, PostgreSQL: installed.PostgreSQL, Pgvector: installed.Pgvector, Err: err}
	running, ok := l.running(ctx)
	switch {
	case ok:
		state.URL = running.URL()
	case err == nil && !exists(l.cluster(installed.Major()).Data):
		state.Err = checkWritable(l.folder)
	}
	return state
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
