package main

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/compound-docs/compound-docs/internal/hooks"
	"github.com/compound-docs/compound-docs/internal/panics"
	"github.com/compound-docs/compound-docs/internal/setup/pgserver"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/tools"
)

// For each event, assistants such as Codex start a program: `compound-docs recall --hook`. This program asks a running
// server of the project over a Unix socket. The server accepts, writes one byte, reads the event, and writes the
// answer. Package gob encodes event and answer, because the JSON of an event lacks some fields.

const (
	// acceptWait is how long the hook's program waits for a server to accept.
	acceptWait = 30 * time.Millisecond
	// maxSentEvent limits an event on the socket, in bytes. No event is larger: it is made from at most 4 MiB of JSON.
	maxSentEvent = 16 << 20
	// listenPause is how long a server waits before it checks again whether it should listen.
	listenPause = 2 * time.Second
)

// hookSocket returns the path of the socket for the project at root. It also makes the socket's folder, which only
// this user can enter. It fails on Windows, and if another user owns the folder.
func hookSocket(home, root string) (string, error) {
	if runtime.GOOS == "windows" {
		return "", errors.ErrUnsupported
	}
	folder := filepath.Join(home, "hooks")
	if !pgserver.FitsSocket(folder) {
		folder = "/tmp/compound-docs-hooks-" + pgserver.ShortHash(home)
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o700); err != nil {
		return "", err
	}
	err := pgserver.MakePrivate(folder, nil)
	return filepath.Join(folder, pgserver.ShortHash(root)), err // FitsSocket has left room for the name
}

// askServer asks a running server of the project to answer an event. It fails quickly if no server accepts. It does not
// load the project, because the program starts for each event and must be fast.
func askServer(ctx context.Context, flags *flags, e hooks.Event) (answer hooks.Answer, err error) {
	home, err := homeFolder()
	if err != nil {
		return answer, err
	}
	root, err := findProject(flags.folder())
	if err != nil {
		return answer, err
	}
	root, err = filepath.EvalSymlinks(root)
	if err != nil {
		return answer, err
	}
	path, err := hookSocket(home, root)
	if err != nil {
		return answer, err
	}
	dialer := net.Dialer{Timeout: acceptWait}
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err != nil {
		return answer, fmt.Errorf("connect to a server of the project: %w", err)
	}
	defer conn.Close() //nolint:errcheck // the answer is read, or the program answers by itself
	_ = conn.SetDeadline(time.Now().Add(acceptWait))
	_, err = conn.Read(make([]byte, 1))
	if err != nil {
		return answer, fmt.Errorf("wait for a server of the project: %w", err)
	}
	end, _ := ctx.Deadline()
	_ = conn.SetDeadline(end)
	err = gob.NewEncoder(conn).Encode(e)
	if err != nil {
		return answer, fmt.Errorf("send the event: %w", err)
	}
	err = gob.NewDecoder(conn).Decode(&answer)
	if err != nil {
		return answer, fmt.Errorf("read the answer: %w", err)
	}
	return answer, nil
}

// hookServer is the server's end of the socket. It answers `recall --hook` for the active project.
type hookServer struct {
	home      string
	workspace *workspace.Workspace
	tools     *tools.Handler
	logger    *slog.Logger
}

// run answers hooks until ctx ends. Only one server of a project can listen, so run tries again every listenPause.
func (s hookServer) run(ctx context.Context) {
	for ctx.Err() == nil {
		if root := s.workspace.Root(); root != "" {
			if err := s.listen(ctx, root); err != nil {
				s.logger.DebugContext(ctx, "listen for hooks", "error", err)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(listenPause):
		}
	}
}

// listen answers hooks while the project at root is active. It returns nil at once if another server listens.
func (s hookServer) listen(ctx context.Context, root string) error {
	path, err := hookSocket(s.home, root)
	if err != nil {
		return err
	}
	lock := flock.New(path + ".lock")
	locked, err := lock.TryLock()
	if err != nil {
		return fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	if !locked {
		return nil
	}
	defer lock.Unlock() //nolint:errcheck // Unlock closes the file, which frees the lock
	_ = os.Remove(path) // a killed server leaves its socket behind
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	var answering sync.WaitGroup
	defer answering.Wait()
	defer context.AfterFunc(ctx, func() { _ = listener.Close() })()
	defer listener.Close() //nolint:errcheck // Close removes the socket
	for s.workspace.Root() == root {
		_ = listener.SetDeadline(time.Now().Add(listenPause))
		conn, err := listener.Accept()
		switch {
		case err == nil:
			answering.Go(func() { s.serve(ctx, conn, root) })
		case errors.Is(err, os.ErrDeadlineExceeded):
		default:
			return fmt.Errorf("accept: %w", err)
		}
	}
	return nil
}

// serve answers one hook. After a failure, the hook's program answers the event by itself.
func (s hookServer) serve(ctx context.Context, conn net.Conn, root string) {
	defer conn.Close() //nolint:errcheck // the answer is written
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	err := panics.Catch(func() error { return s.answer(ctx, conn, root) })
	if err != nil {
		s.logger.DebugContext(ctx, "a hook's program does the work itself", "error", err)
	}
}

func (s hookServer) answer(ctx context.Context, conn net.Conn, root string) error {
	if s.workspace.Root() != root {
		return errors.New("another project is active")
	}
	_ = conn.SetDeadline(time.Now().Add(hookEnd))
	_, err := conn.Write([]byte{0})
	if err != nil {
		return fmt.Errorf("accept a hook: %w", err)
	}
	var e hooks.Event
	err = gob.NewDecoder(io.LimitReader(conn, maxSentEvent)).Decode(&e)
	if err != nil {
		return fmt.Errorf("read the event: %w", err)
	}
	e.Root = root
	answer := s.tools.Recall(ctx, e)
	if ctx.Err() != nil {
		return context.Cause(ctx) // a server that is about to end sends no answer
	}
	err = gob.NewEncoder(conn).Encode(answer)
	if err != nil {
		return fmt.Errorf("send the answer: %w", err)
	}
	return nil
}
