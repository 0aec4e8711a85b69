//go:build unix && !linux

package pgserver

import (
	"context"
	"strconv"
	"strings"
)

// isPostmaster reports whether a process is the server of a data folder, and has not
// ended.
func isPostmaster(pid int, data string) bool {
	text, err := output(context.Background(), "ps", "-ww", "-o", "stat=,command=", "-p", strconv.Itoa(pid))
	return err == nil && !strings.HasPrefix(text, "Z") && strings.Contains(text, "postgres -D "+data+" ")
}
