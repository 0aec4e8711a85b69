package doctor

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

func access(folder string) error {
	file, err := os.CreateTemp(folder, "doctor-")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

func freeBytes(folder string) (free uint64, err error) {
	path, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return 0, err
	}
	err = windows.GetDiskFreeSpaceEx(path, &free, nil, nil)
	return free, err
}

func owned(fs.FileInfo) bool { return true }
