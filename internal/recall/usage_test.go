package recall_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/internal/recall"
)

// Counts add up, and of too many questions the oldest are forgotten.
func TestStore_CountsUsage(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	store := recall.NewStore(t.TempDir())
	for i := range 2 {
		seen := recall.Usage{Since: began.AddDate(0, 0, i), Questions: map[string]recall.Count{}}
		for question := range 1500 {
			at := began.Add(time.Duration(1500*i+question) * time.Second)
			seen.Questions[fmt.Sprint(1000*i+question)] = recall.Count{Times: 1, Last: at}
		}
		if err := store.Add("/repo", seen); err != nil {
			t.Fatal(err)
		}
	}
	got := store.Usage("/repo")
	_, oldest := got.Questions["499"]
	if !got.Since.Equal(began) || len(got.Questions) != 2000 || oldest || got.Questions["1200"].Times != 2 {
		t.Errorf("since %s, %d questions, the oldest among them %v, one of both %+v",
			got.Since, len(got.Questions), oldest, got.Questions["1200"])
	}
	if other := store.Usage("/other"); len(other.Questions) > 0 {
		t.Errorf("another project has %d questions", len(other.Questions))
	}
}
