package pgserver

import (
	"fmt"
	"os"
	"path/filepath"
)

// isPostmaster reports whether a process is a PostgreSQL on the data folder, which is
// such a one's working directory. One that has ended, and whose parent does not ask, has
// none.
func isPostmaster(pid int, data string) bool {
	real, err := filepath.EvalSymlinks(data)
	if err != nil {
		return false
	}
	folder, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	return err == nil && folder == real
}
