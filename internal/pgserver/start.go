package pgserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	startTimeout = 5 * time.Minute // to recover after a crash too
	stopTimeout  = 30 * time.Second
	pollInterval = 20 * time.Millisecond
	// logLimit is the size above which a log is put aside when the server starts.
	logLimit = 1 << 20
)

// errInUse says that processes of a server that was killed have not ended.
var errInUse = errors.New("processes of a server that was killed still use the data")

// launch starts the server of a cluster, and returns when it accepts connections. The
// caller has the lock.
func (s *Server) launch(ctx context.Context, p place, c Cluster) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := makePrivate(c.Socket, c.Account); err != nil {
		return err
	}
	for {
		running, err := c.settle(ctx)
		if running || err != nil {
			return err
		}
		if err := s.run(ctx, p, c); !errors.Is(err, errInUse) {
			return err
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// settle waits for a server that is starting or stopping, ends one that cannot be reached,
// and removes what a killed one has left. It reports whether a server runs.
func (c Cluster) settle(ctx context.Context) (running bool, err error) {
	for {
		if c.Ready(ctx) == nil {
			return true, nil
		}
		server, err := readPostmaster(c.Data)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return false, c.removeSocket()
		case err != nil:
			return false, errors.Join(os.Remove(filepath.Join(c.Data, postmasterFile)), c.removeSocket())
		case !isPostmaster(server.pid, c.Data):
			return false, errors.Join(c.disown(server.pid), c.removeSocket())
		}
		if !c.reachable(server) {
			if err := signal(server.pid, true); err != nil {
				return false, err
			}
		}
		if err := pause(ctx); err != nil {
			return false, fmt.Errorf("%w: process %d is %s", err, server.pid, server.status)
		}
	}
}

// reachable reports whether a server has, or may yet make, the socket of the cluster.
func (c Cluster) reachable(server postmaster) bool {
	if server.socket == "" {
		return true // it has just begun
	}
	_, err := os.Lstat(socketPath(c.Socket, c.portNumber()))
	return err == nil && server.socket == c.Socket && server.port == c.portNumber()
}

// disown lets the next server start although a process has the number of the killed one:
// after a restart of the machine another process may have it, and a killed process keeps it
// until its parent waits for it. PostgreSQL would take the killed server for alive, unless
// the number is that of its own parent, so disown writes that one. The file must stay, since
// it names the shared memory that processes of the killed server may still use.
func (c Cluster) disown(pid int) error {
	if !exists(pid) {
		return nil
	}
	path := filepath.Join(c.Data, postmasterFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(string(text), "\n")
	const private = 0o600
	return os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"+rest), private) //nolint:gosec // a path of ours
}

// removeSocket removes the socket of a killed server, and the lock file of the socket, which
// names a process too.
func (c Cluster) removeSocket() error {
	path := socketPath(c.Socket, c.portNumber())
	for _, name := range []string{path, path + ".lock"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// run starts the server's process and waits until it accepts connections. The server
// outlives this process.
func (s *Server) run(ctx context.Context, p place, c Cluster) error {
	log, began, err := p.openLog()
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the server has one of its own
	// Many small processes share it.
	settings := []string{"cluster_name=compound-docs", "max_connections=200", "log_checkpoints=off"}
	command := c.Command(append(settings, s.settings...)...)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = attributes(c.Account, true)
	if err := command.Start(); err != nil {
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	ended := make(chan error, 1)
	// Reap the child: otherwise it stays in the list of processes, where the next server
	// would take it for alive.
	go func() { ended <- command.Wait() }()
	for {
		if c.Ready(ctx) == nil {
			return nil
		}
		select {
		case err := <-ended:
			text := readLog(log.Name(), began)
			if strings.Contains(text, "is still in use") {
				return errInUse
			}
			return fmt.Errorf("PostgreSQL does not start: %w\n%s", err, text)
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL does not answer (its log is %s): %w", log.Name(), context.Cause(ctx))
		case <-time.After(pollInterval):
		}
	}
}

// openLog opens the server's log, and returns its size.
func (p place) openLog() (log *os.File, end int64, err error) {
	path := filepath.Join(p.folder, "log")
	if info, err := os.Stat(path); err == nil && info.Size() > logLimit {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, 0, err
		}
	}
	const private = 0o600
	if log, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, private); err != nil {
		return nil, 0, err
	}
	info, err := log.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, log.Close())
	}
	return log, info.Size(), nil
}

// readLog returns the text of a log after an offset, or the last part of it that fits into
// an error.
func readLog(path string, from int64) string {
	const most = 4 << 10
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	text = text[min(from, int64(len(text))):]
	return strings.TrimSpace(string(text[max(0, len(text)-most):]))
}

// stop shuts down the server of a cluster, and reports whether one ran. If the fast shutdown
// hangs, an immediate one follows, which loses nothing. The caller has the lock.
func stop(ctx context.Context, c Cluster) (ran bool, err error) {
	for _, fast := range []bool{true, false} {
		ran, err = c.end(ctx, fast)
		if err == nil || ctx.Err() != nil {
			break
		}
	}
	return ran, err
}

// end signals the server, and waits until it has ended.
func (c Cluster) end(ctx context.Context, fast bool) (ran bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	for {
		server, err := readPostmaster(c.Data)
		if errors.Is(err, fs.ErrNotExist) || (err == nil && !isPostmaster(server.pid, c.Data)) {
			return ran, nil
		}
		if err == nil {
			ran = true
			err = signal(server.pid, fast)
		}
		if err == nil {
			err = pause(ctx)
		}
		if err != nil {
			return ran, err
		}
	}
}

// pause waits for a moment, or returns an error when it is too late to wait.
func pause(ctx context.Context) error {
	select {
	case <-time.After(pollInterval):
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for PostgreSQL: %w", context.Cause(ctx))
	}
}
