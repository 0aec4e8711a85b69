package db

import (
	"fmt"
	"log/slog"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// With Citus, a query about one project is one task, on the node that has the project.
func TestQueries_AreOneTaskOnCitus(t *testing.T) {
	t.Parallel()
	url := os.Getenv("CDOCS_TEST_CITUS_URL")
	if url == "" {
		t.Skip("CDOCS_TEST_CITUS_URL does not name a database on the coordinator of a Citus cluster, prepared as docs/teams.md says")
	}
	pool, err := Open(t.Context(), url, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	conn, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Release)
	tables := projectTables(t, pool)
	queries := recordAll(t)
	for _, name := range slices.Sorted(maps.Keys(queries)) {
		t.Run(name, func(t *testing.T) {
			query := queries[name]
			if _, err := conn.Exec(t.Context(), "DEALLOCATE ALL; PREPARE checked AS "+query.sql, pgx.QueryExecModeSimpleProtocol); err != nil {
				t.Fatal(err)
			}
			rows, err := conn.Query(t.Context(), "EXPLAIN (COSTS OFF) "+query.execute(), pgx.QueryExecModeSimpleProtocol)
			if err != nil {
				t.Fatal(err)
			}
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				t.Fatal(err)
			}
			plan := strings.Join(lines, "\n")
			counts := taskCounts(plan)
			_, allowed := acrossProjects[name]
			ofProject := slices.ContainsFunc(tables, func(table string) bool { return regexp.MustCompile(`\b` + table + `\b`).MatchString(query.sql) })
			if ofProject && len(counts) == 0 || !allowed && slices.ContainsFunc(counts, func(count string) bool { return count != "1" }) {
				t.Errorf("it has %v tasks, want one:\n%s", counts, plan)
			}
		})
	}
}

// taskCounts returns how many tasks each distributed part of a plan of Citus has.
func taskCounts(plan string) (counts []string) {
	for _, found := range regexp.MustCompile(`Task Count: (\d+)`).FindAllStringSubmatch(plan, -1) {
		counts = append(counts, found[1])
	}
	return counts
}

// The plan is one that Citus has printed, of a query that names no project.
func TestTaskCounts_ReadsAPlan(t *testing.T) {
	t.Parallel()
	const plan = ` Limit  (cost=0.00..0.00 rows=10 width=80)
   ->  Custom Scan (Citus Adaptive)  (cost=0.00..0.00 rows=100000 width=80)
         Task Count: 32
         Tasks Shown: One of 32`
	if got := taskCounts(plan); fmt.Sprint(got) != "[32]" {
		t.Errorf("tasks %v, want 32", got)
	}
}
