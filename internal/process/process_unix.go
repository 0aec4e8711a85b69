//go:build linux || darwin

package process

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// exists reports whether a process has the number. Signal 0 only asks.
func exists(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// WasClosed reports whether an output was closed when the program started. The runtime then opens
// /dev/null in its place, for reading too, which a shell's > does not.
func WasClosed(output *os.File) bool {
	opened, err := output.Stat()
	if err != nil {
		return true
	}
	null, err := os.Stat(os.DevNull)
	if err != nil || !os.SameFile(opened, null) {
		return false
	}
	mode, err := unix.FcntlInt(output.Fd(), unix.F_GETFL, 0)
	return err == nil && mode&unix.O_ACCMODE == unix.O_RDWR
}
