package daemon

import (
	"fmt"
	"os"
	"syscall"
)

// detached keeps the program when the console of this process is closed.
func detached() *syscall.SysProcAttr {
	const detachedProcess = 0x00000008
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess}
}

func terminate(pid int) error {
	process, err := os.FindProcess(pid)
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		return fmt.Errorf("end process %d: %w", pid, err)
	}
	return nil
}

// runs reports whether there is the process. Which program it is remains unknown.
func runs(pid int, _ string) bool {
	process, err := os.FindProcess(pid)
	return err == nil && process.Release() == nil
}
