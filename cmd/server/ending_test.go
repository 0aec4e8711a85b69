package main_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"
)

// A second signal ends at once a server that still waits for something, here for
// its answers to be read.
func TestServe_ASecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	p := startProcess(t, away()...)
	for i := range 40 {
		if _, err := fmt.Fprintf(p.stdin, `{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`+"\n", i); err != nil {
			t.Fatal(err)
		}
	}
	p.answer(t) // of the others a pipe holds a few
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		if err := p.command.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
	}
	ended := make(chan int, 1)
	go func() {
		_ = p.command.Wait() // its code is looked at
		ended <- p.command.ProcessState.ExitCode()
	}()
	select {
	case code := <-ended: // the system may deliver either signal first
		if code != 128+int(syscall.SIGINT) && code != 128+int(syscall.SIGTERM) {
			t.Errorf("the server ends with code %d, not by a signal", code)
		}
	case <-time.After(30 * time.Second):
		t.Error("the server does not end")
	}
}
