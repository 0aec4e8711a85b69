package pgserver

import (
	"errors"
	"testing"
)

// The folder of processes can hold no file.
func TestCheckWritable(t *testing.T) {
	t.Parallel()
	if err := checkWritable(t.TempDir() + "/not/yet"); err != nil {
		t.Error(err)
	}
	refused, ok := errors.AsType[*Error](checkWritable("/proc/self/not/yet"))
	if !ok || refused.Hint == "" {
		t.Errorf("a folder that can hold no file: %v", refused)
	}
}
