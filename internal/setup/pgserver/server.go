// Package pgserver runs a private PostgreSQL for the user, with no account, port or password to set
// up. All servers of the user share it. It runs with the PostgreSQL that the user names, or that comes with
// the program.
//
// It knows PostgreSQL's programs and its files. It speaks no SQL.
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

// Server is the private PostgreSQL of a user. All processes with the same home folder share it. It goes on after they
// end, and stops when one of them calls Stop. Safe for concurrent use.
type Server struct {
	// StartWait is how long URL waits for a start, which goes on after that. 0 waits for the end.
	// Set it before the first use.
	StartWait time.Duration

	// Programs is the folder of initdb and postgres that the user names, or "". Set it before the first use.
	Programs string

	home   string
	logger *slog.Logger
	since  time.Time // a server that was stopped after this stays stopped
	// Tests run faster with more settings of the server and arguments of initdb, and a shorter wait.
	settings, initdb []string
	lockWait         time.Duration
	// settled is true once this process has decided whether to restart a running server with other
	// programs. So two processes that want different programs do not restart it in turns. Only an
	// attempt uses it.
	settled bool

	// attempts has the one try to find or start the server. Callers share it. It goes on when a
	// caller leaves, because a start may take longer than a caller waits.
	attempts singleflight.Group
	life     context.Context //nolint:containedctx // of attempts; Close ends it
	end      context.CancelFunc
}

// Error says what a person must do before there is a database.
type Error struct {
	Err  error
	Hint string // a remedy in a sentence
}

func (e *Error) Error() string { return e.Err.Error() + "; " + e.Hint }

func (e *Error) Unwrap() error { return e.Err }

// New returns the server with its files in the user's folder home. It starts nothing.
func New(home string, logger *slog.Logger) *Server {
	s := &Server{home: home, logger: logger, since: time.Now(), lockWait: lockWait}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

var errClosed = errors.New("this process is ending")

// attemptTimeout bounds a start, which may copy the programs and recover the data.
const attemptTimeout = 30 * time.Minute

// URL returns the URL of the database. It makes and starts the server if necessary. If a person must
// act, the error is an [*Error].
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

// Close cancels a start that is under way and waits for its end. A running server goes on.
func (s *Server) Close() {
	s.end()
	<-s.attempts.DoChan("", s.attempt) // joins a running attempt, or fails at once
}

// attempt returns the URL of a server that runs, and starts it if necessary.
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

// start returns the URL of a server that runs with the right programs, and starts it if necessary. The
// caller has the lock.
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

// givesWay reports whether a server that was started with former must be restarted: with the PostgreSQL that
// the user names, or with the bundled one if former is older or was removed.
func (s *Server) givesWay(ctx context.Context, former Installation) bool {
	found, err := Find(ctx, s.Programs)
	if err != nil {
		return false
	}
	if s.Programs != "" {
		return former != found
	}
	return olderThan(former, found)
}

// olderThan reports whether a server's programs are older than the bundled ones, or gone.
func olderThan(former, bundled Installation) bool {
	return !exists(former.program("postgres")) || !pgversion.AtLeast(former.PostgreSQL, bundled.PostgreSQL) ||
		!pgversion.AtLeast(former.Pgvector, bundled.Pgvector)
}

// Stop stops the server for all processes that use it, and reports whether it ran. It starts again only
// for processes that begin to use it later.
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
	Folder               string // of its files
	PostgreSQL, Pgvector string // versions
	URL                  string // "" unless it runs
	Err                  error  // why it could not be started
}

// State looks at the server and changes nothing.
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
	case err == nil:
		cluster := l.cluster(installed.Major())
		state.Err = cluster.damage()
		if !exists(cluster.Data) {
			state.Err = checkRoom(l.folder)
		}
	}
	return state
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
