package doctor

import (
	"io/fs"
	"os"
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
