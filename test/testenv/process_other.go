//go:build !linux

package testenv

import "syscall"

// totalMemory is unknown.
func totalMemory() uint64 { return 0 }

// memoryFolderFree is 0: only Linux has the folder.
func memoryFolderFree() uint64 { return 0 }

// childAttributes puts a child into a process group of its own and lets it run
// under another account unless credential is nil. The signal, for when this
// process ends first, is something that only Linux knows.
func childAttributes(credential *syscall.Credential, _ syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Credential: credential}
}
