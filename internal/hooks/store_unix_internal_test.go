//go:build unix

package hooks

import (
	"syscall"
	"testing"
)

// A named pipe in the place of a file is replaced, and keeps no hook.
func TestStore_WaitsForNoPipe(t *testing.T) {
	t.Parallel()
	store := NewStore(t.TempDir())
	update(t, store, "s", func(*Session) {})
	other := store.file("t", sessionExtension)
	for _, pipe := range []string{other, other + ".new"} {
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	update(t, store, "t", func(s *Session) { s.Wrote = true })
	if got := update(t, store, "t", func(*Session) {}); !got.Wrote {
		t.Error("the session is not kept")
	}
}
