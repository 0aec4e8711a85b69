//go:build unix

package doctor

import (
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

func writable(folder string) bool { return unix.Access(folder, unix.R_OK|unix.W_OK|unix.X_OK) == nil }

// owned reports whether a file belongs to this user, to whom chmod is open then.
func owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(stat.Uid) == os.Geteuid()
}

func owner(info fs.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "another user"
	}
	return userName(int(stat.Uid))
}

func currentUser() string { return userName(os.Geteuid()) }

func userName(id int) string {
	text := strconv.Itoa(id)
	if account, err := user.LookupId(text); err == nil {
		return account.Username
	}
	return text
}

// freeSpace returns the bytes that this user may still write to a folder's file system.
// It is 0 as well if no more files can be made.
func freeSpace(folder string) (uint64, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(folder, &stat); err != nil {
		return 0, &os.PathError{Op: "statfs", Path: folder, Err: err}
	}
	if stat.Files > 0 && stat.Ffree == 0 {
		return 0, nil
	}
	return uint64(stat.Bavail) * uint64(stat.Bsize), nil //nolint:gosec,unconvert // their types differ by system
}
