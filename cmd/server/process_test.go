package main_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// shutdownTime is how long the server may take to end, whatever it is doing.
const shutdownTime = 2 * time.Second

// must ends the test if there is an error.
func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// process is a running server whose ends a test holds itself.
type process struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	answers *bufio.Scanner
	calls   int
	ended   chan error
}

func startProcess(t *testing.T, environment ...string) *process {
	t.Helper()
	return beginProcess(t, server(t, environment...))
}

// beginProcess starts the command, and shakes hands with it.
func beginProcess(t *testing.T, command *exec.Cmd) *process {
	t.Helper()
	p := &process{command: command, ended: make(chan error, 1)}
	p.start(t)
	p.send(t, `"id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	p.answer(t)
	p.send(t, `"method":"notifications/initialized"`)
	return p
}

// start starts the command without a word.
func (p *process) start(t *testing.T) {
	t.Helper()
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var err error
	if p.stdin, err = p.command.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := p.command.StdoutPipe()
	must(t, err)
	must(t, p.command.Start())
	t.Cleanup(func() { _ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL) })
	p.answers = bufio.NewScanner(stdout)
	p.answers.Buffer(nil, 1<<20)
}

func (p *process) send(t *testing.T, rest string) {
	t.Helper()
	if _, err := io.WriteString(p.stdin, `{"jsonrpc":"2.0",`+rest+"}\n"); err != nil {
		t.Fatal(err)
	}
}

// begin calls a tool and does not wait for its answer.
func (p *process) begin(t *testing.T, tool string, arguments map[string]any) {
	t.Helper()
	p.calls++
	encoded, err := json.Marshal(map[string]any{"name": tool, "arguments": arguments})
	must(t, err)
	p.send(t, fmt.Sprintf(`"id":%d,"method":"tools/call","params":%s`, p.calls, encoded))
}

// answer waits for the next message.
func (p *process) answer(t *testing.T) string {
	t.Helper()
	if !p.answers.Scan() {
		t.Fatal("the server has ended: ", p.answers.Err())
	}
	return p.answers.Text()
}

func (p *process) activate(t *testing.T, root string) {
	t.Helper()
	p.begin(t, "activate_project", activation(root))
	if answer := p.answer(t); !strings.Contains(answer, "activated") {
		t.Fatalf("activation: %s", answer)
	}
}

// mustEnd ends the server, and fails unless it exits with 0 in time, and with
// whatever it may have started.
func (p *process) mustEnd(t *testing.T, end func(*testing.T, *process)) {
	t.Helper()
	go func() {
		for p.answers.Scan() { // read the rest, or the server would wait
		}
		p.ended <- p.command.Wait()
	}()
	started := time.Now()
	end(t, p)
	select {
	case err := <-p.ended:
		if err != nil {
			t.Errorf("the server ends with %v, want exit code 0", err)
		}
		if took := time.Since(started); took > shutdownTime {
			t.Errorf("the server took %s to end, more than %s", took, shutdownTime)
		}
	case <-time.After(10 * shutdownTime):
		t.Fatal("the server does not end")
	}
	if err := syscall.Kill(-p.command.Process.Pid, 0); err == nil {
		t.Error("a process that the server has started goes on")
	}
}

// endings are the ways to end a server.
func endings() map[string]func(*testing.T, *process) {
	signal := func(signal syscall.Signal) func(*testing.T, *process) {
		return func(t *testing.T, p *process) {
			t.Helper()
			must(t, p.command.Process.Signal(signal))
		}
	}
	return map[string]func(*testing.T, *process){
		"EOF": func(t *testing.T, p *process) {
			t.Helper()
			must(t, p.stdin.Close())
		},
		"SIGINT": signal(syscall.SIGINT), "SIGTERM": signal(syscall.SIGTERM), "SIGHUP": signal(syscall.SIGHUP),
	}
}
