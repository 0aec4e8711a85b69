//go:build unix

package doctor

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// access returns why this user cannot write to a folder.
func access(folder string) error {
	return os.NewSyscallError("access", unix.Access(folder, unix.R_OK|unix.W_OK|unix.X_OK))
}

// freeBytes returns how much this user can still write to the disk of a folder.
func freeBytes(folder string) (uint64, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(folder, &stat); err != nil {
		return 0, os.NewSyscallError("statfs", err)
	}
	return uint64(stat.Bavail) * uint64(stat.Bsize), nil //nolint:gosec,unconvert // the types differ between systems
}

// owned reports whether a file belongs to this user, who may then change its mode.
func owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(stat.Uid) == os.Geteuid()
}
