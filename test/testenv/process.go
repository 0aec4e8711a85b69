package testenv

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/compound-docs/compound-docs/test/tail"
)

// process is a server that this process has started, in a process group with its children.
type process struct {
	name  string
	group int
	ended chan struct{} // closed when the server has
	err   error         // of the server; valid once ended is closed
	log   *tail.Buffer
}

// startProcess starts a server. Its SysProcAttr must come from childAttributes.
func startProcess(cmd *exec.Cmd) (*process, error) {
	p := &process{name: filepath.Base(cmd.Path), ended: make(chan struct{}), log: &tail.Buffer{}}
	cmd.Stdout, cmd.Stderr = p.log, p.log
	cmd.WaitDelay = stopTimeout // grandchildren may hold the pipe open
	started := make(chan error)
	go func() {
		// Linux signals a child when the thread that started it ends, so the
		// thread has to stay for as long as the child does.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		p.err = cmd.Wait()
		close(p.ended)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	p.group = cmd.Process.Pid
	return p, nil
}

const (
	answerTimeout = time.Minute
	pollInterval  = 20 * time.Millisecond
	stopTimeout   = 10 * time.Second
)

// waitUntil calls ready again and again until it returns nil. It gives up when
// the server ends or has not become ready in a minute.
func (p *process) waitUntil(ctx context.Context, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	for err := ready(ctx); err != nil; err = ready(ctx) {
		select {
		case <-poll.C:
		case <-p.ended:
			return fmt.Errorf("%s has ended: %w\n%s", p.name, errors.Join(p.err, err), p.log)
		case <-ctx.Done():
			return fmt.Errorf("%s does not answer: %w\n%s", p.name, errors.Join(ctx.Err(), err), p.log)
		}
	}
	return nil
}

// stop sends a signal to the server, waits for its end, and kills the rest of its group.
func (p *process) stop(signal syscall.Signal) error {
	// ESRCH: it has ended already.
	if err := syscall.Kill(p.group, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop %s: %w", p.name, err)
	}
	var late error
	select {
	case <-p.ended:
	case <-time.After(stopTimeout):
		late = fmt.Errorf("%s did not stop in %s and was killed\n%s", p.name, stopTimeout, p.log)
	}
	if err := syscall.Kill(-p.group, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		late = errors.Join(late, fmt.Errorf("kill %s: %w", p.name, err))
	}
	<-p.ended
	return late
}
