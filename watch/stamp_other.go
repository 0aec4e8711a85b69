//go:build !(dragonfly || linux || openbsd || solaris || darwin || freebsd || netbsd)

package watch

import (
	"io/fs"
	"time"
)

// systemStamp returns the modification time, because this system has no change time. Then only an event reveals an edit
// that keeps size and modification time.
func systemStamp(info fs.FileInfo) (changeTime time.Time, inode uint64) {
	return info.ModTime(), 0
}
