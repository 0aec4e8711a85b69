package watch

import (
	"io/fs"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
)

// fileStat holds the attributes that the file system keeps of a file: a
// [document.Stamp] without the hash, since there is one for every file of a folder.
type fileStat struct {
	size                int64
	modTime, changeTime time.Time
	inode               uint64
}

func statOf(info fs.FileInfo) fileStat {
	stat := fileStat{size: info.Size(), modTime: info.ModTime()}
	stat.changeTime, stat.inode, _ = systemStamp(info)
	return stat
}

func (s fileStat) stamp() document.Stamp {
	return document.Stamp{Size: s.size, ModTime: s.modTime, ChangeTime: s.changeTime, Inode: s.inode}
}

// StampOf returns what the file system says of a file. The stamp has no hash.
func StampOf(info fs.FileInfo) document.Stamp { return statOf(info).stamp() }

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
