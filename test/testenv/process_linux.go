package testenv

import "syscall"

// totalMemory returns how many bytes of memory the machine has, or 0.
func totalMemory() uint64 {
	var info syscall.Sysinfo_t
	if err := syscall.Sysinfo(&info); err != nil {
		return 0
	}
	return info.Totalram * uint64(info.Unit)
}

// memoryFolderFree returns how many bytes this account may write to memoryFolder, and whether programs
// may run there.
func memoryFolderFree() (bytes uint64, programs bool) {
	const (
		tmpfs  = 0x01021994 // TMPFS_MAGIC of linux/magic.h
		noExec = 0x8        // ST_NOEXEC of linux/statfs.h
	)
	var stat syscall.Statfs_t
	if err := syscall.Statfs(memoryFolder, &stat); err != nil || stat.Type != tmpfs || stat.Bsize < 0 {
		return 0, false
	}
	return stat.Bavail * uint64(stat.Bsize), stat.Flags&noExec == 0
}

// childAttributes puts a child into a new process group and lets it run under another account
// unless credential is nil. The kernel sends the child the signal if this process ends first, even
// by SIGKILL.
func childAttributes(credential *syscall.Credential, signal syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Credential: credential, Pdeathsig: signal}
}
