//go:build darwin || freebsd || netbsd

package watch

import (
	"io/fs"
	"syscall"
	"time"
)

// systemStamp returns the time of the last change, which no program can set, the number
// of the file, and whether it has several names.
func systemStamp(info fs.FileInfo) (changeTime time.Time, inode uint64, shared bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return info.ModTime(), 0, false
	}
	return time.Unix(stat.Ctimespec.Unix()), stat.Ino, stat.Nlink > 1
}
