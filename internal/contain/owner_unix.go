//go:build unix

package contain

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner that another has: of a program run by root, a file that replaces a user's is root's.
func keepOwner(folder *os.Root, base string, of fs.FileInfo) error {
	owner, ok := of.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 {
		return nil
	}
	return folder.Lchown(base, int(owner.Uid), int(owner.Gid))
}
