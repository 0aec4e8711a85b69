package db_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/test/testenv"
)

func TestDatabase_SnapshotSeesOneMoment(t *testing.T) {
	t.Parallel()
	database := openDatabase(t, testenv.DatabaseURL(t))
	register := func(branch string) error {
		return database.Write(t.Context(), "register", func(q *db.Queries) error {
			id, err := q.ProjectUpsert(t.Context(), db.ProjectUpsertParams{Name: "project"})
			if err != nil {
				return err
			}
			_, err = q.TenantUpsert(t.Context(), db.TenantUpsertParams{ProjectID: id, BranchName: branch})
			return err
		})
	}
	if err := register("before"); err != nil {
		t.Fatal(err)
	}
	var seen []bool
	err := database.Snapshot(t.Context(), "look twice", func(q *db.Queries) error {
		for _, name := range []string{"before", "meanwhile"} {
			_, err := q.TenantFind(t.Context(), db.TenantFindParams{ProjectName: "project", BranchName: name})
			if err != nil && !db.IsNoRows(err) {
				return err
			}
			seen = append(seen, err == nil)
			if err := register("meanwhile"); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]bool{true, false}, seen); diff != "" {
		t.Errorf("seen (-want +got):\n%s", diff)
	}
}
