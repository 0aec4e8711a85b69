//go:build unix && !linux

package pgserver

import (
	"context"
	"strconv"
	"strings"
)

// isPostmaster reports whether a process is a PostgreSQL that has not ended. Of which
// data folder it is cannot be asked everywhere.
func isPostmaster(pid int, _ string) bool {
	text, err := output(context.Background(), "ps", "-o", "stat=,comm=", "-p", strconv.Itoa(pid))
	return err == nil && !strings.HasPrefix(text, "Z") && strings.HasSuffix(text, "postgres")
}
