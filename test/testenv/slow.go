package testenv

import (
	"os"
	"testing"
)

// Slow skips a test in make test, which is for work in progress. make ci and the go command
// run it. kind says what takes the time.
func Slow(t testing.TB, kind string) {
	t.Helper()
	if os.Getenv("CDOCS_TEST_QUICK") != "" {
		t.Skip("left to make ci: " + kind)
	}
}
