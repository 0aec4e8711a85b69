package process

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// machine is the kernel since its last start.
func machine() string {
	boot, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil || boot == "" {
		return unknown
	}
	return boot
}

// startOf returns the start of a process, or ended.
func startOf(pid int) (started string, known bool) {
	const zombie = 5
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	switch {
	case err != nil || int(info.Proc.P_pid) != pid:
		return unknown, false
	case info.Proc.P_stat == zombie:
		return ended, true
	default:
		return fmt.Sprintf("%d.%06d", info.Proc.P_starttime.Sec, info.Proc.P_starttime.Usec), true
	}
}
