package watch

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// An edit by another name of the file, elsewhere, has no event.
func TestMirror_RescanFindsWhatNoEventTold(t *testing.T) {
	t.Parallel()
	w := watchFiles(t, map[string]string{"a.md": "first"})
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Link(filepath.Join(w.dir, "a.md"), elsewhere); err != nil {
		t.Skip("no hard links here: ", err)
	}
	must(t, os.WriteFile(elsewhere, []byte("second"), 0o600))
	w.mirror.Rescan()
	w.becomes(t, "after the walk", map[string]string{"a.md": "second"}, nil)
}

// A file that failed before a mirror stopped, and fails when it runs again, has
// failed since the first time.
func TestMirror_ResetKeepsSinceWhenAFileFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "bad.md"), []byte("secret"), 0o600))
	index := newTexts()
	index.refuse = "secret"
	folder := Folder{Dir: dir, Match: func(string) bool { return true }}
	mirror := newMirror(folder, index, slog.New(slog.DiscardHandler))
	run := func() Progress {
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { mirror.Run(ctx) })
		for mirror.Status().Synced.IsZero() {
			time.Sleep(time.Millisecond) // between two looks
		}
		cancel()
		running.Wait()
		return mirror.Status()
	}
	before := run()
	mirror.Reset()
	if status := mirror.Status(); !status.Synced.IsZero() {
		t.Errorf("a mirror that has not run again says %+v", status)
	}
	if diff := cmp.Diff(before.Failed, run().Failed, cmpopts.EquateErrors()); diff != "" || len(before.Failed) != 1 {
		t.Errorf("failed files (-before +after):\n%s", diff)
	}
}
