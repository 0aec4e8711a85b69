package db_test

import (
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// Whoever shares a database sees which releases are connected to it.
func TestReadTeam_CountsServersByVersion(t *testing.T) {
	t.Parallel()
	url := testenv.DatabaseURL(t)
	for _, version := range []string{"v1.2.0", "v1.3.0"} {
		database := db.NewDatabase(url, slog.New(slog.DiscardHandler))
		t.Cleanup(database.Close)
		database.SetVersion(version)
		if _, err := database.Pool(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	team, err := db.ReadTeam(t.Context(), url, true)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"v1.2.0": 1, "v1.3.0": 1}, team.Windows); diff != "" {
		t.Errorf("servers by version (-want +got):\n%s", diff)
	}
}
