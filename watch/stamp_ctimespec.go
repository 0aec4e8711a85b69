//go:build darwin || freebsd || netbsd

package watch

import (
	"io/fs"
	"syscall"
	"time"
)

// systemStamp returns the change time of a file, which no program can set, and the inode.
func systemStamp(info fs.FileInfo) (changeTime time.Time, inode uint64) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return info.ModTime(), 0
	}
	return time.Unix(stat.Ctimespec.Unix()), stat.Ino
}
