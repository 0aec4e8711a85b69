package pgserver

import (
	"errors"
	"os"
	"syscall"
)

// Account is the system account under which a server runs.
type Account struct{ UID, GID uint32 }

// ServerAccount returns nil: only root needs another account, and Windows has no root.
func ServerAccount(...string) (*Account, error) { return nil, nil } //nolint:nilnil // as documented

func attributes(*Account) *syscall.SysProcAttr { return nil }

func reaches(string) bool { return true }

// MakePrivate makes a folder. On Windows the new folder has the permissions of the folder above.
func MakePrivate(folder string, _ *Account) error { return os.MkdirAll(folder, 0o700) }

func checkWritable(string) error { return nil }

func openOwn(path string, flag int, _ *Account) (*os.File, error) { return os.OpenFile(path, flag, 0) }

func (Cluster) isServer(int) bool { return false }

func interrupt(int) error { return errors.ErrUnsupported }
