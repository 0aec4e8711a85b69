package hooks

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"
)

func shown(path string) Shown { return Shown{Project: "/repo", Path: path, Event: "UserPromptSubmit"} }

func update(t *testing.T, s *Store, id string, change func(*Session)) (after Session) {
	t.Helper()
	if err := s.Update(t.Context(), id, func(session *Session) {
		change(session)
		after = *session
	}); err != nil {
		t.Error(err)
	}
	return after
}

func TestStore_LosesNoUpdate(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	var group sync.WaitGroup
	stores := []*Store{NewStore(home), NewStore(home)} // of two processes
	for i := range 8 {
		group.Go(func() {
			store := stores[i%len(stores)]
			for range 5 {
				update(t, store, "s", func(s *Session) { s.Shown = append(s.Shown, shown("a.md")) })
			}
		})
	}
	group.Wait()
	all, err := NewStore(home).Shown(shown("a.md").Project)
	if err != nil || len(all) != 40 {
		t.Errorf("kept %d documents (%v), want 40", len(all), err)
	}
}

func TestStore_ForgetsOldAndBrokenSessions(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	store := NewStore(home)
	update(t, store, "old", func(s *Session) { s.Wrote = true })
	update(t, store, "broken", func(s *Session) { s.Wrote = true })
	old := store.file("old", sessionExtension)
	long := time.Now().Add(-maxAge - time.Hour)
	if err := errors.Join(os.Chtimes(old, long, long),
		os.WriteFile(store.file("broken", sessionExtension), []byte(`{"shown": [`), 0o600)); err != nil {
		t.Fatal(err)
	}
	update(t, store, "new", func(*Session) {})
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old session is still there (%v)", err)
	}
	if got := update(t, store, "broken", func(*Session) {}); got.Wrote {
		t.Errorf("a broken file gives %+v, want an empty session", got)
	}
}

// A question is kept once, with when it was asked last. Of too many the oldest are forgotten.
func TestStore_KeepsQuestions(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	store := NewStore(t.TempDir())
	err := rewrite(t.Context(), store, store.file("/repo", questionsExtension), func(kept *map[string]time.Time) {
		*kept = map[string]time.Time{}
		for i := range maxQuestions {
			(*kept)[fmt.Sprint(i)] = began.Add(time.Duration(i) * time.Second)
		}
	})
	again := began.Add(time.Hour)
	for _, question := range []string{"0", "new"} {
		err = errors.Join(err, store.AddQuestion(t.Context(), "/repo", question, again))
	}
	if err != nil {
		t.Fatal(err)
	}
	got := store.Questions("/repo")
	if _, oldest := got["1"]; len(got) != maxQuestions || oldest || !got["0"].Equal(again) || !got["new"].Equal(again) {
		t.Errorf("%d questions, the oldest among them %v, the one asked again at %s", len(got), oldest, got["0"])
	}
	if other := store.Questions("/other"); len(other) > 0 {
		t.Errorf("another project has %d questions", len(other))
	}
	if err := store.ForgetQuestion(t.Context(), "/repo", "new"); err != nil || !store.Questions("/repo")["new"].IsZero() {
		t.Errorf("a question that was answered is kept: %v", err)
	}
}
