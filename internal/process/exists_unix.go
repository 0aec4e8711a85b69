//go:build linux || darwin

package process

import (
	"errors"
	"syscall"
)

// exists reports whether a process has the number. Signal 0 only asks.
func exists(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
