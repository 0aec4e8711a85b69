package watch

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
)

// unavailable is an index that cannot take files for now.
type unavailable struct{ *texts }

func (unavailable) Index(context.Context, []document.File) ([]document.Failure, error) {
	return nil, errors.New("no service")
}

// While the next attempt is an hour away, edits take former versions out of the
// index, and so does a removal.
func TestMirror_WithdrawsEditsDuringAnOutage(t *testing.T) {
	t.Parallel()
	folder := Folder{Dir: t.TempDir(), Match: func(name string) bool { return filepath.Ext(name) == ".md" }}
	put := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder.Dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	index := newTexts()
	want := map[string]string{"kept.md": "kept", "edited.md": "edited", "removed.md": "removed"}
	for name, content := range want {
		put(name, content)
	}
	if _, err := Sync(t.Context(), folder, index, nil); err != nil {
		t.Fatal(err)
	}
	m := NewMirror(folder, unavailable{index}, Config{}, slog.New(slog.DiscardHandler))
	m.queue.addAllNow() // as after a walk that has failed
	ctx, cancel := context.WithCancel(t.Context())
	source := &changeSource{folder: folder, config: m.config, queue: m.queue, tick: time.NewTicker(time.Hour), logger: m.logger}
	var sleeping sync.WaitGroup
	sleeping.Go(func() { m.sleep(ctx, time.Hour, true, source) })
	defer sleeping.Wait()
	defer cancel()

	put("edited.md", "another text")
	if err := os.Remove(filepath.Join(folder.Dir, "removed.md")); err != nil {
		t.Fatal(err)
	}
	m.queue.add("edited.md", "removed.md", "kept.md")
	index.holds(t, map[string]string{"kept.md": "kept"})
	put("kept.md", "not kept")
	m.queue.add("kept.md")
	index.holds(t, map[string]string{})
}

func TestMirror_WithdrawsNothingOfAnotherBranch(t *testing.T) {
	t.Parallel()
	folder := Folder{Dir: t.TempDir(), Match: func(string) bool { return true }}
	index := newTexts()
	index.stamps["a.md"], index.content["a.md"] = document.Stamp{}, "of this branch"
	m := NewMirror(folder, index, Config{Ready: func() error { return errors.New("another branch") }}, slog.New(slog.DiscardHandler))
	m.queue.add("a.md")
	m.withdrawQueued(t.Context())
	index.holds(t, map[string]string{"a.md": "of this branch"})
}
