// Package pgserver runs a private PostgreSQL for the user, with no account, port or password to set
// up. All servers of the user share it. It runs with the PostgreSQL that the user names, or that comes with
// the program, or else with the newest of this machine, or else in a container.
//
// It knows PostgreSQL's programs, its files, and Docker. It speaks no SQL.
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

	"github.com/compound-docs/compound-docs/internal/pgversion"
)

// Server is the PostgreSQL of a user. All processes with a Server of one home share it. It outlives
// them, until one of them stops it. Safe for concurrent use.
type Server struct {
	// Patience is how long URL waits for a start, which goes on after that. 0 waits for the end.
	// Set it before the first use.
	Patience time.Duration

	// Programs is the folder of initdb and postgres that the user names, [Container], or "". Set it
	// before the first use.
	Programs string

	home   string
	logger *slog.Logger
	since  time.Time // a server that was stopped after this stays stopped
	// Tests run faster with more settings of the server and arguments of initdb, and a shorter wait.
	settings, initdb []string
	lockWait         time.Duration
	// compared is true once this process has decided whether a running server is restarted with other
	// programs. So two processes that want different programs do not restart it in turns. Only an
	// attempt uses it.
	compared bool

	// attempts has the one try to find or start the server. Callers share it. It goes on when a
	// caller leaves, because a start may take longer than a caller waits.
	attempts singleflight.Group
	life     context.Context //nolint:containedctx // of attempts; Close ends it
	end      context.CancelFunc
}

// Container is for [Server.Programs]: the database runs in a container.
const Container = "container"

// New returns the server with its files in the user's folder home. It starts nothing.
func New(home string, logger *slog.Logger) *Server {
	s := &Server{home: home, logger: logger, since: time.Now(), lockWait: lockWait}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

var errClosed = errors.New("this process is ending")

// attemptTimeout bounds a start, which may pull an image.
const attemptTimeout = 30 * time.Minute

// URL returns the URL of the database. It makes and starts the server if necessary. If a person must
// act, the error is an [*Error].
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
	if cluster, ok := l.running(ctx); ok && !s.givesWay(ctx, l) {
		return cluster.URL(), nil
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
	if err := os.Remove(l.marker()); !errors.Is(err, fs.ErrNotExist) {
		return url, err
	}
	return url, nil
}

// start starts the server unless another process has just done so. It returns the URL. The caller has
// the lock.
func (s *Server) start(ctx context.Context, l layout) (string, error) {
	if running, ok := l.running(ctx); ok {
		if !s.givesWay(ctx, l) {
			return running.URL(), nil
		}
		s.logger.InfoContext(ctx, "restarting PostgreSQL with other programs", "former", running.Data)
		if _, err := running.stop(ctx); err != nil {
			return "", err
		}
	}
	s.compared = true
	installed, err := s.find(ctx, l)
	if err != nil {
		return s.startContainer(ctx, l, err)
	}
	if err := l.provide(installed); err != nil {
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

// find returns the PostgreSQL that the server runs with.
func (s *Server) find(ctx context.Context, l layout) (Installation, error) {
	if s.Programs == Container {
		return Installation{}, errContainer
	}
	installed, err := Find(ctx, s.Programs)
	if err == nil {
		err = l.accountErr
	}
	return l.reachable(installed), err
}

// errContainer is the reason for a container that the user names.
var errContainer = &Error{
	Err: errors.New("settings.json or CDOCS_POSTGRES names a container"), Hint: "start Docker, or take that setting away",
}

// givesWay reports whether a running server must be restarted: with the PostgreSQL that the user names, or
// with the bundled one if the running one is older or its programs were removed.
func (s *Server) givesWay(ctx context.Context, l layout) bool {
	if s.compared {
		return false
	}
	if s.Programs == Container {
		return true
	}
	preferred, err := preferred(ctx, s.Programs)
	if err != nil || preferred.Bin == "" {
		s.compared = true
		return false
	}
	preferred, former := l.reachable(preferred), l.started()
	if s.Programs != "" {
		s.compared = former == preferred
	} else {
		s.compared = !olderThan(former, preferred)
	}
	return !s.compared
}

// olderThan reports whether a server's programs are older than the bundled ones, or gone.
func olderThan(former, bundled Installation) bool {
	_, err := os.Stat(former.program("postgres"))
	return err != nil || !pgversion.AtLeast(former.PostgreSQL, bundled.PostgreSQL) ||
		!pgversion.AtLeast(former.Pgvector, bundled.Pgvector)
}

// usesContainer reports whether a container is named, or replaces a missing cluster.
func (s *Server) usesContainer(ctx context.Context, l layout) bool {
	return s.Programs == Container || len(l.clusters()) == 0 && s.container().available(ctx)
}

// startContainer starts the container on a machine with Docker and without a cluster. Otherwise it
// returns the reason why there is no cluster.
func (s *Server) startContainer(ctx context.Context, l layout, reason error) (string, error) {
	if !s.usesContainer(ctx, l) {
		return "", reason
	}
	s.logger.InfoContext(ctx, "starting PostgreSQL in a container", "reason", reason)
	err := s.container().up(ctx)
	if problem, ok := errors.AsType[*Error](reason); ok && err != nil {
		return "", &Error{Err: fmt.Errorf("%w, and its container does not start: %w", problem.Err, err), Hint: problem.Hint}
	}
	if err != nil {
		return "", err
	}
	return s.container().url()
}

func (s *Server) container() container { return container{folder: filepath.Join(s.home, "container")} }

// Stop stops the server for all processes that use it, and reports whether it ran. It starts again only
// for processes that begin to use it later.
func (s *Server) Stop(ctx context.Context) (ran bool, err error) {
	l, err := layoutOf(s.home)
	if err != nil {
		return false, err
	}
	if _, err := os.Stat(l.folder); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	unlock, err := l.lock(ctx, s.lockWait)
	if err != nil {
		return false, err
	}
	defer unlock()
	if err := os.WriteFile(l.marker(), nil, 0o600); err != nil {
		return false, err
	}
	for _, cluster := range l.clusters() {
		stopped, err := cluster.stop(ctx)
		if err != nil {
			return ran, err
		}
		ran = ran || stopped
	}
	if _, err := os.Stat(s.container().folder); err != nil {
		return ran, nil // there was never a container
	}
	stopped, err := s.container().stop(ctx)
	return ran || stopped, err
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
func (s *Server) State(ctx context.Context) (state State) {
	l, err := layoutOf(s.home)
	if err != nil {
		return State{Err: err}
	}
	installed, err := s.find(ctx, l)
	if err != nil && s.usesContainer(ctx, l) {
		if state.Running = s.container().runs(ctx); state.Running {
			state.URL, state.Err = s.container().url()
		}
		return state
	}
	state = State{Folder: l.folder, PostgreSQL: installed.PostgreSQL, Pgvector: installed.Pgvector, Err: err}
	if cluster, ok := l.running(ctx); ok {
		state.Running, state.URL = true, cluster.URL()
	} else if err == nil {
		state.Err = l.cluster(installed.Major()).damage()
	}
	return state
}
