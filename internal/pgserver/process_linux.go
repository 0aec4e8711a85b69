package pgserver

import (
	"fmt"
	"os"
	"strings"
)

// isPostmaster reports whether a process is the server of a data folder, and has not
// ended. Everybody may read a command line, while root in a container may not read
// more of another account's process. One that has ended has none.
func isPostmaster(pid int, data string) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && strings.Contains(string(text), "postgres\x00-D\x00"+data+"\x00")
}
