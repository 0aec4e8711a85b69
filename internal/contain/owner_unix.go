//go:build unix

package contain

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a new file the owner of the file that it replaces. Otherwise, if root runs the program, a user's file
// would become root's.
func keepOwner(folder *os.Root, base string, of fs.FileInfo) error {
	owner, ok := of.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 {
		return nil
	}
	return folder.Lchown(base, int(owner.Uid), int(owner.Gid))
}
