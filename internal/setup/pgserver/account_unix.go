//go:build unix

package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Account is the account of the system that a server runs under.
type Account struct{ UID, GID uint32 }

// accounts may run PostgreSQL for root. PostgreSQL's package makes the first, and every system has the second.
var accounts = []string{"postgres", "nobody"}

// ServerAccount returns the account that PostgreSQL runs under, or nil for the account of this process.
// PostgreSQL refuses to run as root. Root gets the account that owns the data already, or else the first
// of accounts that exists.
func ServerAccount(data ...string) (*Account, error) {
	if os.Geteuid() != 0 {
		return nil, nil //nolint:nilnil // as documented
	}
	var found []*Account
	for _, name := range accounts {
		account, err := lookUp(name)
		if err == nil {
			found = append(found, account)
		}
	}
	if len(found) == 0 {
		return nil, &Error{
			Err:  errors.New("PostgreSQL does not run as root, and there is no account postgres or nobody to run it under"),
			Hint: "run: useradd --system --shell /usr/sbin/nologin postgres, or run compound-docs as another user than root",
		}
	}
	for _, account := range found {
		if slices.ContainsFunc(data, account.owns) {
			return account, nil
		}
	}
	return found[0], nil
}

func lookUp(name string) (*Account, error) {
	account, err := user.Lookup(name)
	if err != nil {
		return nil, fmt.Errorf("find an account: %w", err)
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	gid, gidErr := strconv.ParseUint(account.Gid, 10, 32)
	if err := errors.Join(err, gidErr); err != nil {
		return nil, fmt.Errorf("read the ids of %s: %w", name, err)
	}
	return &Account{UID: uint32(uid), GID: uint32(gid)}, nil
}

// owns reports whether a folder is the account's.
func (a *Account) owns(folder string) bool {
	info, err := os.Lstat(folder)
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == a.UID
}

func attributes(account *Account) *syscall.SysProcAttr {
	if account == nil {
		return nil
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: account.UID, Gid: account.GID}}
}

// reaches reports whether every account may enter a folder, which may not exist yet.
func reaches(folder string) bool {
	for ; ; folder = filepath.Dir(folder) {
		info, err := os.Stat(folder)
		if err == nil && info.Mode().Perm()&0o001 == 0 {
			return false
		}
		if folder == filepath.Dir(folder) {
			return true
		}
	}
}

// makePrivate makes a folder that only the account and root may enter. It refuses the folder of another
// account: in /tmp somebody may have made it first.
func makePrivate(folder string, account *Account) error {
	const private = 0o700
	err := os.Mkdir(folder, private)
	if err == nil && account != nil {
		err = os.Lchown(folder, int(account.UID), int(account.GID))
	}
	if err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	owner := os.Geteuid()
	if account != nil {
		owner = int(account.UID)
	}
	info, err := os.Lstat(folder)
	if err != nil {
		return err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || !info.IsDir() || int(stat.Uid) != owner {
		return &Error{
			Err:  fmt.Errorf("the folder %s belongs to another account than PostgreSQL's", folder),
			Hint: "remove it, and try again",
		}
	}
	if info.Mode().Perm() != private {
		return os.Chmod(folder, private)
	}
	return nil
}

// isServer reports whether a process serves the cluster's socket. On Linux its command line says so:
// everybody may read it, and a process that has ended has none.
func (c Cluster) isServer(pid int) bool {
	if runtime.GOOS == "linux" {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		return err == nil && strings.Contains(string(text), "\x00"+socketSetting+c.Socket+"\x00")
	}
	text, err := output(context.Background(), "ps", "-ww", "-o", "stat=,command=", "-p", strconv.Itoa(pid))
	return err == nil && !strings.HasPrefix(text, "Z") && strings.Contains(text, " "+socketSetting+c.Socket+" ")
}

// interrupt asks PostgreSQL to end its sessions and then itself.
func interrupt(pid int) error { return syscall.Kill(pid, syscall.SIGINT) } //nolint:wrapcheck // the caller does
