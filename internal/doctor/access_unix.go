//go:build unix

package doctor

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func writable(folder string) bool { return unix.Access(folder, unix.R_OK|unix.W_OK|unix.X_OK) == nil }

// owned reports whether a file belongs to this user, to whom chmod is open then.
func owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(stat.Uid) == os.Geteuid()
}
