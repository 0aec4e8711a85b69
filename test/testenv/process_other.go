//go:build !linux

package testenv

import "syscall"

// totalMemory is unknown.
func totalMemory() uint64 { return 0 }

// memoryFolderFree is 0: only Linux has the folder.
func memoryFolderFree() (bytes uint64, programs bool) { return 0, false }

// childAttributes puts a child into a new process group and lets it run under another account
// unless credential is nil. Only Linux knows a signal for the end of the parent.
func childAttributes(credential *syscall.Credential, _ syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Credential: credential}
}
