//go:build unix

package daemon

import "syscall"

// detached is a session of its own: the program gets no signals that are meant for this
// process and its terminal.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
