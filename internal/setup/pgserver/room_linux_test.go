package pgserver

import (
	"errors"
	"testing"
)

// The folder of processes can hold no file, and says that it has no room.
func TestCheckRoom(t *testing.T) {
	t.Parallel()
	if err := checkRoom(t.TempDir() + "/not/yet"); err != nil {
		t.Error(err)
	}
	refused, ok := errors.AsType[*Error](checkRoom("/proc/self/not/yet"))
	if !ok || refused.Hint == "" {
		t.Errorf("a folder that can hold no file: %v", refused)
	}
}
