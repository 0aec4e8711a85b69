package db

import (
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// A query about one project is one task, on the node that has the project. Then a newer
// release migrates.
func TestCitus(t *testing.T) {
	t.Parallel()
	citus := testenv.StartCitus(t)
	pool, err := Open(t.Context(), citus.URL("cdocs_owner"), slog.New(slog.DiscardHandler))
	must(t, err)
	t.Cleanup(pool.Close)
	citus.RunFile(t, "../deploy/citus.sql")
	queriesAreOneTask(t, pool)
	t.Run("upgrade", newUpgrade(t, citus.URL("cdocs_owner")).goesOn)
}

func queriesAreOneTask(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	tables := projectTables(t, pool)
	queries := recordAll(t)
	for _, name := range slices.Sorted(maps.Keys(queries)) {
		t.Run(name, func(t *testing.T) {
			query := queries[name]
			rows, err := pool.Query(t.Context(), "EXPLAIN (COSTS OFF) "+query.sql, query.args...)
			must(t, err)
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			must(t, err)
			plan := strings.Join(lines, "\n")
			counts := taskCounts(plan)
			_, allowed := acrossProjects[name]
			ofProject := slices.ContainsFunc(tables, func(table string) bool { return regexp.MustCompile(`\b` + table + `\b`).MatchString(query.sql) })
			if ofProject && len(counts) == 0 || !allowed && slices.ContainsFunc(counts, func(count string) bool { return count != "1" }) ||
				strings.Contains(plan, "via coordinator") {
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
