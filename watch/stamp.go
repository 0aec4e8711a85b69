package watch

import (
	"io/fs"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
)

// StampOf returns what the file system says of a file, without the hash of its bytes.
func StampOf(info fs.FileInfo) document.Stamp {
	stamp := document.Stamp{Size: info.Size(), ModTime: info.ModTime()}
	stamp.ChangeTime, stamp.Inode = systemStamp(info)
	return stamp
}

// provenTime is a change time from which a later change can be told, or zero:
// while its clock has not moved on, a file can change and keep its time.
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
