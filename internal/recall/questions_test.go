package recall_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/internal/recall"
)

// A question is kept once, with when it was asked last. Of too many the oldest are forgotten.
func TestStore_KeepsQuestions(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	store := recall.NewStore(t.TempDir())
	ask := func(question, second int) {
		if err := store.AddQuestion(t.Context(), "/repo", fmt.Sprint(question), began.Add(time.Duration(second)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 500 {
		ask(i, i)
	}
	ask(0, 500)
	ask(500, 501)
	got := store.Questions("/repo")
	if _, oldest := got["1"]; len(got) != 500 || oldest || !got["0"].Equal(began.Add(500*time.Second)) {
		t.Errorf("%d questions, the oldest among them %v, the one asked again at %s", len(got), oldest, got["0"])
	}
	if other := store.Questions("/other"); len(other) > 0 {
		t.Errorf("another project has %d questions", len(other))
	}
}
