package watch

import (
	"io/fs"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
)

// StampOf returns what the file system says of a file. The stamp has no hash.
func StampOf(info fs.FileInfo) document.Stamp {
	stamp := document.Stamp{Size: info.Size(), ModTime: info.ModTime()}
	stamp.ChangeTime, stamp.Inode, _ = systemStamp(info)
	return stamp
}

// provenTime returns the change time, or zero if it is too recent to prove
// anything: a file that changes twice in one tick of the clock keeps its time.
func provenTime(changeTime, now time.Time) time.Time {
	tick := 20 * time.Millisecond // two of the slowest kernel's
	if changeTime.Nanosecond() == 0 {
		tick = 2 * time.Second // of a file system that keeps whole seconds
	}
	if now.Sub(changeTime) < tick {
		return time.Time{}
	}
	return changeTime
}
