package db_test

import (
	"errors"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// pipelined has a database with one project, and its id.
func pipelined(t *testing.T) (database *db.Database, project int32) {
	t.Helper()
	database = db.NewDatabase(testenv.DatabaseURL(t), slog.New(slog.DiscardHandler))
	t.Cleanup(database.Close)
	err := database.Write(t.Context(), "register", func(q *db.Queries) (err error) {
		project, err = q.ProjectUpsert(t.Context(), db.ProjectUpsertParams{Name: "project"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return database, project
}

// findTenant returns a query whether the project has a branch.
func findTenant(t *testing.T, project int32, branch string, found *bool) func(q *db.Queries) error {
	t.Helper()
	return func(q *db.Queries) error {
		_, err := q.TenantFind(t.Context(), db.TenantFindParams{ProjectID: project, BranchName: branch})
		if db.IsNoRows(err) {
			*found = false
			return nil
		}
		if err == nil {
			*found = true
		}
		return err
	}
}

func TestDatabase_PipelineGivesEachFunctionItsResult(t *testing.T) {
	t.Parallel()
	database, project := pipelined(t)
	err := database.Write(t.Context(), "register", func(q *db.Queries) error {
		_, err := q.TenantUpsert(t.Context(), db.TenantUpsertParams{ProjectID: project, BranchName: "main"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var projects []db.Project
	var main, other bool
	err = database.Pipeline(t.Context(), "look around",
		findTenant(t, project, "main", &main),
		func(q *db.Queries) (err error) {
			projects, err = q.CleanupProjects(t.Context())
			return err
		},
		findTenant(t, project, "other", &other))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]db.Project{{ID: project, Name: "project"}}, projects); diff != "" {
		t.Errorf("projects (-want +got):\n%s", diff)
	}
	if !main || other {
		t.Errorf("main %v, other %v, want true and false", main, other)
	}
}

// What changes while the results are read is not seen.
func TestDatabase_PipelineSeesOneMoment(t *testing.T) {
	t.Parallel()
	database, project := pipelined(t)
	register := func() error {
		return database.Write(t.Context(), "register", func(q *db.Queries) error {
			_, err := q.TenantUpsert(t.Context(), db.TenantUpsertParams{ProjectID: project, BranchName: "meanwhile"})
			return err
		})
	}
	pool, err := database.Pool(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// A writer that commits while the first query waits.
	tx, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock(7, 7)"); err != nil {
		t.Fatal(err)
	}
	registered := make(chan error, 1)
	go func() {
		for {
			var waiting bool
			if err := pool.QueryRow(t.Context(),
				"SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND classid = 7)").Scan(&waiting); err != nil {
				registered <- errors.Join(err, tx.Rollback(t.Context()))
				return
			}
			if waiting {
				registered <- errors.Join(register(), tx.Rollback(t.Context()))
				return
			}
		}
	}()
	var before, after bool
	err = database.Pipeline(t.Context(), "look twice",
		findTenant(t, project, "meanwhile", &before),
		func(q *db.Queries) error {
			return q.LockProjectShared(t.Context(), db.LockProjectSharedParams{Class: 7, ProjectID: 7})
		},
		findTenant(t, project, "meanwhile", &after))
	if err := errors.Join(err, <-registered); err != nil {
		t.Fatal(err)
	}
	if before || after {
		t.Errorf("seen before %v and after %v, want neither", before, after)
	}
}

// A query that fails ends the pipeline, and leaves the connection usable.
func TestDatabase_PipelineFails(t *testing.T) {
	t.Parallel()
	database, project := pipelined(t)
	var found bool
	err := database.Pipeline(t.Context(), "write in vain",
		func(q *db.Queries) error {
			_, err := q.TenantUpsert(t.Context(), db.TenantUpsertParams{ProjectID: project, BranchName: "main"})
			return err
		},
		findTenant(t, project, "main", &found))
	var dbErr *db.Error
	if !errors.As(err, &dbErr) || dbErr.Op != "write in vain" || dbErr.SQLState != "25006" {
		t.Errorf("got %v, want that the transaction is read-only", err)
	}
	pool, err := database.Pool(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	connections := pool.Stat().NewConnsCount()
	if err := database.Pipeline(t.Context(), "look", findTenant(t, project, "main", &found)); err != nil || found {
		t.Errorf("afterwards found %v, error %v", found, err)
	}
	if opened := pool.Stat().NewConnsCount() - connections; opened != 0 {
		t.Errorf("%d connections were opened", opened)
	}
	for name, function := range map[string]func(q *db.Queries) error{
		"none": func(*db.Queries) error { return nil },
		"two": func(q *db.Queries) error {
			_, first := q.CleanupProjects(t.Context())
			_, second := q.CleanupProjects(t.Context())
			return errors.Join(first, second)
		},
	} {
		if err := database.Pipeline(t.Context(), "count", function); err == nil {
			t.Errorf("a function that makes %s of the queries is accepted", name)
		}
	}
}

// A function of a pipeline runs once, since it may do more than read its result.
func TestDatabase_PipelineRunsEachFunctionOnce(t *testing.T) {
	t.Parallel()
	database, _ := pipelined(t)
	var order []string
	function := func(name string) func(q *db.Queries) error {
		return func(q *db.Queries) error {
			order = append(order, name+" asks")
			_, err := q.CleanupProjects(t.Context())
			order = append(order, name+" has its result")
			return err
		}
	}
	if err := database.Pipeline(t.Context(), "look twice", function("a"), function("b")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a asks", "b asks", "a has its result", "b has its result"}, order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// A server that forgets the whole session between two operations, as behind a pooler, does
// no harm.
func TestDatabase_NeedsNothingOfTheSession(t *testing.T) {
	t.Parallel()
	database, _ := pipelined(t)
	find := func(q *db.Queries) error {
		_, err := q.CleanupProjects(t.Context())
		return err
	}
	for name, run := range map[string]func() error{
		"alone":       func() error { return database.Read(t.Context(), "look", find) },
		"in pipeline": func() error { return database.Pipeline(t.Context(), "look", find) },
	} {
		if err := run(); err != nil {
			t.Fatal(err)
		}
		pool, err := database.Pool(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pool.Exec(t.Context(), "DISCARD ALL", pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatal(err)
		}
		if err := run(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What a Commit writes is there whole, or not at all.
func TestQueries_CommitIsWhole(t *testing.T) {
	t.Parallel()
	database, project := pipelined(t)
	register := func(projectID int32) func(q *db.Queries) error {
		return func(q *db.Queries) error {
			_, err := q.TenantUpsert(t.Context(), db.TenantUpsertParams{ProjectID: projectID, BranchName: "main"})
			return err
		}
	}
	commit := func(queries ...func(q *db.Queries) error) error {
		return database.Write(t.Context(), "register", func(q *db.Queries) error { return q.Commit(t.Context(), queries...) })
	}
	var found bool
	err := commit(register(project), register(project+1))
	if !db.IsKind(err, db.KindData) {
		t.Errorf("a tenant of no project: %v, want a refusal", err)
	}
	if err := database.Pipeline(t.Context(), "look", findTenant(t, project, "main", &found)); err != nil || found {
		t.Errorf("after a failure found %v, error %v", found, err)
	}
	err = commit(register(project), findTenant(t, project, "main", &found))
	if err != nil || !found {
		t.Errorf("found in the transaction %v, error %v", found, err)
	}
	found = false
	if err := database.Pipeline(t.Context(), "look", findTenant(t, project, "main", &found)); err != nil || !found {
		t.Errorf("afterwards found %v, error %v", found, err)
	}
}

// Write commits all, in the end or with its last queries, or nothing.
func TestDatabase_WriteIsWhole(t *testing.T) {
	t.Parallel()
	database, project := pipelined(t)
	register := func(q *db.Queries, branch string, projectID int32) error {
		_, err := q.TenantUpsert(t.Context(), db.TenantUpsertParams{ProjectID: projectID, BranchName: branch})
		return err
	}
	errOwn := errors.New("an error of the function")
	for branch, test := range map[string]struct {
		write func(q *db.Queries) error
		err   error // and nothing is written, unless it is nil
	}{
		"committed in the end": {func(q *db.Queries) error { return register(q, "committed in the end", project) }, nil},
		"committed with the last queries": {func(q *db.Queries) error {
			return q.Commit(t.Context(), func(q *db.Queries) error { return register(q, "committed with the last queries", project) })
		}, nil},
		"rolled back": {func(q *db.Queries) error { return errors.Join(register(q, "rolled back", project), errOwn) }, errOwn},
		"given up by the server": {func(q *db.Queries) error {
			if err := register(q, "given up by the server", project); err != nil {
				return err
			}
			if err := register(q, "of no project", project+1); err == nil {
				t.Error("a tenant of no project was registered")
			}
			return nil
		}, pgx.ErrTxCommitRollback},
	} {
		t.Run(branch, func(t *testing.T) {
			if err := database.Write(t.Context(), "register", test.write); !errors.Is(err, test.err) {
				t.Errorf("got %v, want %v", err, test.err)
			}
			var found bool
			if err := database.Pipeline(t.Context(), "look", findTenant(t, project, branch, &found)); err != nil || found != (test.err == nil) {
				t.Errorf("found %v, error %v", found, err)
			}
		})
	}
}
