package db_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// A source may have to start the database: it is asked when that is first needed, and
// when it is gone.
func TestDatabase_AsksItsSource(t *testing.T) {
	t.Parallel()
	cluster := testenv.StartCluster(t)
	var asked atomic.Int32
	var away error
	database := db.NewDatabase(func(context.Context) (string, error) {
		if asked.Add(1) > 1 && away == nil {
			cluster.Start()
		}
		return cluster.URL(), away
	}, slog.New(slog.DiscardHandler))
	t.Cleanup(database.Close)
	wantAsked := func(want int32) {
		t.Helper()
		if got := asked.Load(); got != want {
			t.Errorf("the source was asked %d times, want %d", got, want)
		}
	}
	wantAsked(0)
	for _, name := range []string{"one", "two"} {
		must(t, addProject(t.Context(), database, name))
	}
	wantAsked(1)
	before, err := database.Pool(t.Context())
	must(t, err)

	cluster.Crash()
	if err := addProject(t.Context(), database, "three"); err != nil {
		t.Errorf("the first write after a crash: %v", err)
	}
	wantAsked(2)
	if after, err := database.Pool(t.Context()); after != before {
		t.Errorf("the same URL has another pool, %v", err)
	}

	cluster.Crash()
	away = &db.Error{Op: "start PostgreSQL", Kind: db.KindSetup, Hint: "do so", Err: errors.New("it is stopped")}
	for range 2 {
		if err := addProject(t.Context(), database, "four"); !errors.Is(err, away) {
			t.Errorf("a write without the source: %v, want %v", err, away)
		}
	}
	wantAsked(4)
	away = nil
	if err := addProject(t.Context(), database, "four"); err != nil {
		t.Errorf("a write when the source is back: %v", err)
	}
	wantAsked(5)
}
