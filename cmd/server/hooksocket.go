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

// Assistants such as Codex start the program `recall --hook` for each event. It asks a server of the project over a
// Unix socket: the server accepts, writes one byte, reads the event, and writes the answer. Event and answer are
// encoded with package gob, because the JSON of an event lacks some fields.

const (
	// acceptWait bounds how long the program waits until a server accepts.
	acceptWait = 30 * time.Millisecond
	// maxSentEvent bounds an event on the socket, in bytes. An event has a patch twice.
	maxSentEvent = 16 << 20
	// listenPause is how often a server looks whether it should listen.
	listenPause = 2 * time.Second
)

// hookSocket returns the path of the socket for the project at root. It makes the socket's folder, which only this user
// can enter, and fails if the folder belongs to another user.
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
	return filepath.Join(folder, pgserver.ShortHash(root)), err // not longer than the name that FitsSocket leaves room for
}

// askServer asks a server of the project to answer an event. It fails within moments if no server accepts. It does not
// load the project, so that the program that each event starts is fast.
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
	defer conn.Close() //nolint:errcheck // the answer is read, or the program does the work
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

// hookServer answers `recall --hook` for the server's project.
type hookServer struct {
	home      string
	workspace *workspace.Workspace
	tools     *tools.Handler
	logger    *slog.Logger
}

// run listens for hooks until ctx ends, unless another server of the project does. It tries again every two seconds.
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

// listen answers hooks of the project at root as long as this project is active. It returns nil at once if another
// server listens.
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
	defer lock.Unlock() //nolint:errcheck // it closes the file, which is enough
	_ = os.Remove(path) // a killed server leaves its socket behind
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	var answering sync.WaitGroup
	defer answering.Wait()
	defer context.AfterFunc(ctx, func() { _ = listener.Close() })()
	defer listener.Close() //nolint:errcheck // it removes the socket
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

// serve answers one hook. If it fails, the hook's program does the work itself.
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
	answer, err := s.tools.Recall(ctx, e)
	if err != nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err()) // a server that ends sends no answer
	}
	err = gob.NewEncoder(conn).Encode(answer)
	if err != nil {
		return fmt.Errorf("send the answer: %w", err)
	}
	return nil
}
