package main_test

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"
)

// exit waits until the process has ended, and returns its exit code. It reads none
// of its answers.
func (p *process) exit(t *testing.T) int {
	t.Helper()
	ended := make(chan int, 1)
	go func() {
		_ = p.command.Wait() // its code is returned
		ended <- p.command.ProcessState.ExitCode()
	}()
	select {
	case code := <-ended:
		return code
	case <-time.After(30 * time.Second):
		t.Fatal("the server does not end")
		return 0
	}
}

// stuck starts a server that cannot end by itself: a call waits to write to a log
// that is full and that nobody reads, which nothing interrupts.
func stuck(t *testing.T) *process {
	t.Helper()
	unread, log, err := os.Pipe()
	must(t, err)
	t.Cleanup(func() { _ = unread.Close() }) // after the server has ended
	must(t, log.SetWriteDeadline(time.Now().Add(100*time.Millisecond)))
	if _, err := log.Write(make([]byte, 1<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal("the pipe is not full: ", err)
	}
	command := server(t, append(away(), "CDOCS_LOG_LEVEL=error")...)
	command.Stderr = log
	p := beginProcess(t, command)
	must(t, log.Close())
	p.begin(t, "semantic_search", map[string]any{"query": "x"}) // whose failure is logged
	p.send(t, `"id":"later","method":"ping"`)
	p.answer(t)
	return p
}

// The exit code says that the server did not end by itself.
func TestServe_IsEndedWhileItIsStuck(t *testing.T) {
	t.Parallel()
	for how, end := range endings() {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			p := stuck(t)
			started := time.Now()
			end(t, p)
			code, took := p.exit(t), time.Since(started)
			if code != 3 || took > 5*time.Second {
				t.Errorf("the server ends with code %d after %s, want 3 within 5s", code, took)
			}
		})
	}
}

// The same signal again ends a stuck server at once.
func TestServe_ASecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			p := stuck(t)
			ended := make(chan struct{})
			go func() { // two signals that come together are one
				for {
					_ = p.command.Process.Signal(signal) // it may have ended
					select {
					case <-ended:
						return
					case <-time.After(20 * time.Millisecond):
					}
				}
			}()
			code := p.exit(t)
			close(ended)
			if code != 128+int(signal) {
				t.Errorf("the server ends with code %d, not by the second signal", code)
			}
		})
	}
}
