package postgres

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A download that is not the pinned one is refused.
func TestCheck(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "wheel")
	if err := os.WriteFile(file, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	const sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if err := check(file, sum); err != nil {
		t.Error(err)
	}
	if err := check(file, strings.Replace(sum, "b", "c", 1)); err == nil || !strings.Contains(err.Error(), sum) {
		t.Errorf("error %v, want one with the sum", err)
	}
}
