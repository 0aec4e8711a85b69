package doctor

import (
	"io/fs"
	"os"
	"os/user"

	"golang.org/x/sys/windows"
)

func writable(folder string) bool {
	file, err := os.CreateTemp(folder, "doctor-")
	if err != nil {
		return false
	}
	name := file.Name()
	return file.Close() == nil && os.Remove(name) == nil
}

func owned(fs.FileInfo) bool { return true }

func owner(fs.FileInfo) string { return "another user" }

func currentUser() string {
	if account, err := user.Current(); err == nil {
		return account.Username
	}
	return "this user"
}

func freeSpace(folder string) (free uint64, err error) {
	path, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return 0, err
	}
	return free, windows.GetDiskFreeSpaceEx(path, &free, nil, nil)
}
