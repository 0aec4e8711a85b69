package pgserver

import (
	"errors"
	"os"
	"syscall"
)

// Account is the account of the system that a server runs under.
type Account struct{ UID, GID uint32 }

var errWindows = errors.New("a PostgreSQL of one's own is not available on Windows")

// ServerAccount returns nil: Windows has no such accounts.
func ServerAccount() (*Account, error) { return nil, nil } //nolint:nilnil // as documented

func attributes(*Account, bool) *syscall.SysProcAttr { return nil }

func reaches(string) bool { return true }

func makePrivate(folder string, _ *Account) error { return os.MkdirAll(folder, 0o700) }

func signal(int, bool) error { return errWindows }

func exists(int) bool { return false }

func isPostmaster(int, string) bool { return false }
