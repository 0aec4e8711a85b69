// Package pgserver runs a private PostgreSQL for the user, with no account, port or password to set
// up. All servers of the user share it. It is a cluster made with this machine's packages, or a
// container on a machine without them.
//
// It knows PostgreSQL's programs, files and signals. It must not know the content of the database,
// and speaks no SQL.
package pgserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/compound-docs/compound-docs/internal/compose"
)

// Server is the PostgreSQL of a user. All processes with a Server of one home share it. It
// outlives them, until one of them stops it. Safe for concurrent use.
type Server struct {
	// Patience is how long URL waits for a start, which goes on after that; 0 for as long
	// as it takes. It is set before the first use.
	Patience time.Duration

	home   string
	logger *slog.Logger
	since  time.Time // a server that was stopped after this stays stopped
	// Further settings of the server and arguments of initdb, with which tests run faster.
	settings, initdb []string
	lockWait         time.Duration // shorter in tests

	// attempts has the one try to find or start the server. All callers of the time share
	// it, and it goes on when a caller leaves, because a start may take longer than a caller
	// waits.
	attempts singleflight.Group
	life     context.Context //nolint:containedctx // of attempts; Close ends it
	end      context.CancelFunc
}

// New returns the server whose files are below the user's folder home. It starts
// nothing.
func New(home string, logger *slog.Logger) *Server {
	s := &Server{home: home, logger: logger, since: time.Now(), lockWait: lockWait}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

var errClosed = errors.New("this process is ending")

// attemptTimeout bounds everything that a start may have to do, such as to pull an image.
const attemptTimeout = 30 * time.Minute

// URL returns the URL of the database. It makes and starts the server if necessary. An error
// that a person has to correct is an [*Error].
func (s *Server) URL(ctx context.Context) (string, error) {
	var late <-chan time.Time
	if s.Patience > 0 {
		late = time.After(s.Patience)
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
		Err:  errors.New("PostgreSQL has not started yet: it may be recovering, or its image may be downloading"),
		Hint: "the start goes on, and this program's log says how far it is: try again in a minute",
	}
}

// Close cancels a start that is under way, and waits for its end. A server that already runs
// goes on.
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
	p, err := findPlace(s.home)
	if err != nil {
		return "", err
	}
	if cluster, ok := p.running(ctx); ok {
		return cluster.URL(), nil
	}
	unlock, err := p.lock(ctx, s.lockWait)
	if err != nil {
		return "", err
	}
	defer unlock()
	if p.stoppedAfter(s.since) {
		return "", &Error{
			Err:  errors.New("the database was stopped with compound-docs down"),
			Hint: "run: compound-docs up",
		}
	}
	url, err := s.start(ctx, p)
	if err != nil {
		return "", err
	}
	if err := os.Remove(p.marker()); !errors.Is(err, fs.ErrNotExist) {
		return url, err
	}
	return url, nil
}

// start starts the server, unless another process has just done so, and returns its URL. The
// caller has the lock.
func (s *Server) start(ctx context.Context, p place) (string, error) {
	if cluster, ok := p.running(ctx); ok {
		return cluster.URL(), nil
	}
	found, err := p.find(ctx)
	if err != nil {
		return s.startContainer(ctx, p, err)
	}
	cluster, err := s.prepare(ctx, p, found)
	if err != nil {
		return "", err
	}
	if err := s.launch(ctx, p, cluster); err != nil {
		return "", err
	}
	s.logger.InfoContext(ctx, "started PostgreSQL", "version", found.PostgreSQL, "folder", p.folder)
	return cluster.URL(), nil
}

// usesContainer reports whether a container replaces a missing cluster.
func (p place) usesContainer(ctx context.Context) bool {
	return len(p.clusters()) == 0 && compose.Available(ctx)
}

// startContainer starts the container of the Compose file where this machine has Docker
// and no cluster. Otherwise it returns why there can be no cluster.
func (s *Server) startContainer(ctx context.Context, p place, reason error) (string, error) {
	if !p.usesContainer(ctx) {
		return "", reason
	}
	s.logger.InfoContext(ctx, "starting PostgreSQL in a container, because this machine has none that fits")
	err := s.container().Up(ctx)
	if problem, ok := errors.AsType[*Error](reason); ok && err != nil {
		err = &Error{Err: fmt.Errorf("%w, and its container does not start: %w", problem.Err, err), Hint: problem.Hint}
	}
	if err != nil {
		return "", err
	}
	return s.container().DatabaseURL()
}

// container returns the database in a container.
func (s *Server) container() compose.Project {
	return compose.Project{Folder: filepath.Join(s.home, "container")}
}

// Stop stops the server for all processes that use it. It starts again only for a process
// that begins to use it later. Stop reports whether a server ran.
func (s *Server) Stop(ctx context.Context) (ran bool, err error) {
	p, err := findPlace(s.home)
	if err != nil {
		return false, err
	}
	if _, err := os.Stat(p.folder); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	unlock, err := p.lock(ctx, s.lockWait)
	if err != nil {
		return false, err
	}
	defer unlock()
	if err := os.WriteFile(p.marker(), nil, 0o600); err != nil {
		return false, err
	}
	found, findErr := p.find(ctx)
	for _, cluster := range p.clusters() {
		cluster.Installation = found
		stopped, err := cluster.stop(ctx)
		if err != nil {
			return ran, errors.Join(err, findErr)
		}
		ran = ran || stopped
	}
	if p.usesContainer(ctx) {
		return s.container().Stop(ctx)
	}
	return ran, nil
}

// State describes a server, running or not.
type State struct {
	Running              bool
	Folder               string // of its files
	PostgreSQL, Pgvector string // versions, "" for a container
	URL                  string // "" unless it runs
	Err                  error  // why it could not be started
}

// State looks at the server and changes nothing.
func (s *Server) State(ctx context.Context) State {
	p, err := findPlace(s.home)
	if err != nil {
		return State{Err: err}
	}
	found, err := p.find(ctx)
	if err != nil && p.usesContainer(ctx) {
		var state State
		if state.Running = s.container().Runs(ctx); state.Running {
			state.URL, state.Err = s.container().DatabaseURL()
		}
		return state
	}
	state := State{Folder: p.folder, PostgreSQL: found.PostgreSQL, Pgvector: found.Pgvector, Err: err}
	if cluster, ok := p.running(ctx); ok {
		state.Running, state.URL = true, cluster.URL()
	} else if err == nil {
		state.Err = p.cluster(found.Major()).damage()
	}
	return state
}
