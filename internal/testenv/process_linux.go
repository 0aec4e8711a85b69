package testenv

import "syscall"

// childAttributes puts a child into a process group of its own, lets it run
// under another account unless credential is nil, and sends it a signal should
// this process end first, even by SIGKILL.
func childAttributes(credential *syscall.Credential, signal syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Credential: credential, Pdeathsig: signal}
}
