// Package daemon starts a program that outlives this process, and finds it again by a
// file with the ID of its process. On Windows it does not find it. It must not know what
// the program does.
package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/compound-docs/compound-docs/internal/process"
)

// Daemon is a program that runs in the background.
type Daemon struct {
	Name   string // of the program and, in Folder, of its files: NAME.pid and NAME.log
	Folder string
}

const (
	private      = 0o600
	stopTimeout  = 10 * time.Second
	pollInterval = 20 * time.Millisecond
)

func (d Daemon) pidFile() string { return filepath.Join(d.Folder, d.Name+".pid") }

// Log is the path of what the program writes.
func (d Daemon) Log() string { return filepath.Join(d.Folder, d.Name+".log") }

// Start starts the program that is found under its name, with further variables.
func (d Daemon) Start(environment []string, arguments ...string) (err error) {
	if err := os.MkdirAll(d.Folder, private|0o100); err != nil {
		return err
	}
	log, err := os.OpenFile(d.Log(), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, private)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	command := exec.Command(d.Name, arguments...) //nolint:gosec,noctx // of the caller's choice; outlives this process
	command.Env = append(os.Environ(), environment...)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = detached()
	if err := command.Start(); err != nil {
		return fmt.Errorf("start %s: %w", d.Name, err)
	}
	id := process.IDOf(command.Process.Pid)
	if err := os.WriteFile(d.pidFile(), []byte(id+"\n"), private); err != nil {
		return errors.Join(err, command.Process.Kill(), command.Wait())
	}
	go func() { _ = command.Wait() }() // reap the child
	return nil
}

// Stop ends the program if Start has started it, and reports whether it ran.
func (d Daemon) Stop() (ran bool, err error) {
	text, err := os.ReadFile(d.pidFile())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	pid, running := process.Running(string(text))
	if !running {
		return false, os.Remove(d.pidFile())
	}
	program, err := os.FindProcess(pid)
	if err == nil {
		err = program.Signal(syscall.SIGTERM)
	}
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		return false, fmt.Errorf("end %s, process %d: %w", d.Name, pid, err)
	}
	for deadline := time.Now().Add(stopTimeout); running; _, running = process.Running(string(text)) {
		if time.Now().After(deadline) {
			return true, fmt.Errorf("%s, process %d, does not end", d.Name, pid)
		}
		time.Sleep(pollInterval)
	}
	return true, os.Remove(d.pidFile())
}
