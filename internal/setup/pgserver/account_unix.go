//go:build unix

package pgserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// Account is the system account under which a server runs.
type Account struct{ UID, GID uint32 }

// accounts can run PostgreSQL for root. Packages of PostgreSQL make the first account, and every system has the second.
var accounts = []string{"postgres", "nobody"}

// ServerAccount returns the account under which PostgreSQL must run, or nil for the account of this process. Only root
// needs another account, because PostgreSQL refuses to run as root. data are folders of PostgreSQL's data. For root,
// ServerAccount returns the owner of the first existing folder, or else the first account in accounts that exists.
func ServerAccount(data ...string) (*Account, error) {
	if os.Geteuid() != 0 {
		return nil, nil //nolint:nilnil // as documented
	}
	for _, folder := range data {
		if info, err := os.Lstat(folder); err == nil && info.IsDir() && owner(info).UID != 0 {
			return owner(info), nil
		}
	}
	for _, name := range accounts {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(account.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(account.Gid, 10, 32)
		return &Account{UID: uint32(uid), GID: uint32(gid)}, errors.Join(err, gidErr)
	}
	return nil, &Error{
		Err:  errors.New("PostgreSQL does not run as root, and there is no account postgres or nobody to run it under"),
		Hint: "run: useradd --system --shell /usr/sbin/nologin postgres, or run compound-docs as another user than root",
	}
}

// owner returns the account that a file belongs to.
func owner(info fs.FileInfo) *Account {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return &Account{} // not on the systems that we support
	}
	return &Account{UID: stat.Uid, GID: stat.Gid}
}

func attributes(account *Account) *syscall.SysProcAttr {
	if account == nil {
		return nil
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: account.UID, Gid: account.GID}}
}

// reaches reports whether every account may enter a folder and the folders above it. The folder may not exist yet.
func reaches(folder string) bool {
	const enter = 0o001
	info, _ := os.Stat(folder) // nil for a missing folder
	above := filepath.Dir(folder)
	return (info == nil || info.Mode().Perm()&enter != 0) && (above == folder || reaches(above))
}

// MakePrivate makes a folder that only account and root may enter, or closes an existing folder to other accounts. It
// fails if the folder belongs to another account. A nil account means the account of this process.
func MakePrivate(folder string, account *Account) error {
	const private = 0o700
	err := os.Mkdir(folder, private)
	if err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	isNew := err == nil
	if account != nil && isNew {
		if err := os.Lchown(folder, int(account.UID), int(account.GID)); err != nil {
			return err
		}
	}
	info, err := os.Lstat(folder)
	if err != nil {
		return err
	}
	if err := checkOwn(folder, info, account); err != nil {
		return err
	}
	return os.Chmod(folder, private)
}

// checkWritable returns an [*Error] if this user may not write to folder, or to the nearest existing folder above it.
func checkWritable(folder string) error {
	const write = 2
	err := syscall.Access(folder, write)
	switch {
	case errors.Is(err, fs.ErrNotExist) && folder != filepath.Dir(folder):
		return checkWritable(filepath.Dir(folder))
	case err != nil:
		return &Error{Err: fmt.Errorf("the folder of the database cannot be made in %s: %w", folder, err), Hint: setHome}
	}
	return nil
}

// openOwn opens a file that belongs to account. It follows no symbolic link and does not wait for a named pipe, because
// the account may have put a link or a pipe there to trick root.
func openOwn(path string, flag int, account *Account) (*os.File, error) {
	file, err := os.OpenFile(path, flag|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if err := checkOwn(path, info, account); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// checkOwn returns an [*Error] if a file or folder does not belong to account. In /tmp, another user can make paths.
func checkOwn(path string, info fs.FileInfo, account *Account) error {
	uid := os.Geteuid()
	if account != nil {
		uid = int(account.UID)
	}
	if int(owner(info).UID) == uid && (info.IsDir() || info.Mode().IsRegular()) {
		return nil
	}
	return &Error{
		Err:  fmt.Errorf("%s is another account's than PostgreSQL's, or a symbolic link, or neither file nor folder", path),
		Hint: "replace a link by what it leads to, remove anything else, or set CDOCS_HOME to another folder",
	}
}

// isServer reports whether a process serves the cluster's socket. It looks for the socket in the command line of the
// process. On Linux everybody may read the command line, and it is empty for an ended process. On other systems
// isServer asks ps.
func (c Cluster) isServer(pid int) bool {
	if runtime.GOOS == "linux" {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		return err == nil && strings.Contains(string(text), "\x00"+socketSetting+c.Socket+"\x00")
	}
	text, err := output(context.Background(), "ps", "-ww", "-o", "stat=,command=", "-p", strconv.Itoa(pid))
	return err == nil && !strings.HasPrefix(text, "Z") && strings.Contains(text, " "+socketSetting+c.Socket+" ")
}

// interrupt asks PostgreSQL to end its sessions and then to stop.
func interrupt(pid int) error { return syscall.Kill(pid, syscall.SIGINT) } //nolint:wrapcheck // the caller does
