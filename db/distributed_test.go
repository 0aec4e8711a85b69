package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgvector/pgvector-go"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// acrossProjects are the queries that may read the rows of several projects, and why.
// Where tables are distributed, they ask every node.
var acrossProjects = map[string]string{
	"CleanupTenants": "cleanup looks for checkouts that are gone in every project, once a run",
}

// opened returns a pool of connections to a database of the test's own.
func opened(t *testing.T) *pgxpool.Pool {
	t.Helper()
	pool, err := Open(t.Context(), testenv.DatabaseURL(t), slog.New(slog.DiscardHandler))
	must(t, err)
	t.Cleanup(pool.Close)
	return pool
}

// A database that distributes tables by project_id can send a query to the one node that
// has the project only where the query compares the project_id of every table with a
// parameter. Another table's column, such as c.project_id, is not known before the rows
// are.
func TestQueries_FilterEveryTableByTheProject(t *testing.T) {
	t.Parallel()
	pool := opened(t)
	conn, err := pool.Acquire(t.Context())
	must(t, err)
	t.Cleanup(conn.Release)
	// A generic plan shows parameters as they are written. It must also have a partition that has
	// no row for the parameter NULL.
	if _, err := conn.Exec(t.Context(), "SET plan_cache_mode = force_generic_plan; SET enable_partition_pruning = off"); err != nil {
		t.Fatal(err)
	}
	tables := projectTables(t, pool)
	queries := recordAll(t)
	for _, name := range slices.Sorted(maps.Keys(queries)) {
		t.Run(name, func(t *testing.T) {
			query := queries[name]
			unfiltered := query.unfiltered(t, conn.Conn(), tables)
			switch _, allowed := acrossProjects[name]; {
			case allowed && len(unfiltered) == 0:
				t.Error("it reads one project only: take it off the list of queries that read several")
			case !allowed && len(unfiltered) > 0:
				t.Errorf("it does not compare the project_id of %v with the parameter:\n%s", unfiltered, query.sql)
			}
			// Citus refuses it, since its copies of a row could differ.
			_, update, _ := strings.Cut(query.sql, "DO UPDATE SET")
			if function := regexp.MustCompile(`\w+\(`).FindString(update); function != "" {
				t.Errorf("it calls %s) in DO UPDATE:\n%s", function, query.sql)
			}
		})
	}
}

// projectTables returns the tables that have a project_id, and their partitions.
func projectTables(t *testing.T, pool *pgxpool.Pool) []string {
	t.Helper()
	rows, err := pool.Query(t.Context(), `SELECT attrelid::regclass::text FROM pg_attribute
		WHERE attname = 'project_id' AND attrelid IN (SELECT oid FROM pg_class WHERE relkind IN ('r', 'p'))`)
	must(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	if len(tables) < 12 {
		t.Fatalf("tables with a project_id: %v, want tenants, documents, chunks, links, passages, embeddings and six partitions", tables)
	}
	return tables
}

// The script for Citus distributes every table of the schema, and sets on the nodes every
// setting that a server makes in its transactions.
func TestCitusScript_KnowsTablesAndSettings(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("../deploy/citus.sql")
	must(t, err)
	made := regexp.MustCompile(`set_config\('(.+?)', '(.+?)', true\)`).FindAllStringSubmatch(settings, -1)
	if len(made) < 6 {
		t.Fatalf("settings %q, want six and more", made)
	}
	for _, setting := range made {
		if setting[1] != "idle_in_transaction_session_timeout" { // it is for the coordinator
			mustContain(t, string(script), fmt.Sprintf("'%s = %s'", setting[1], setting[2]))
		}
	}
	pool := opened(t)
	rows, err := pool.Query(t.Context(), `SELECT relname FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'goose_db_version'`)
	must(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	distributed := projectTables(t, pool)
	for _, table := range tables {
		if slices.Contains(distributed, table) {
			mustContain(t, string(script), fmt.Sprintf("create_distributed_table('%s', 'project_id'", table))
		} else {
			mustContain(t, string(script), fmt.Sprintf("create_reference_table('%s')", table))
		}
	}
}

// projectQuery is a query with its arguments, and the number of that which is the
// project's.
type projectQuery struct {
	sql     string
	args    []any
	project int
}

// recorder notes the statement of a query, and does not run it.
type recorder struct {
	sql  string
	args []any
}

var errRecorded = errors.New("recorded")

func (r *recorder) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	r.sql, r.args = sql, args
	return pgconn.CommandTag{}, errRecorded
}

func (r *recorder) Query(_ context.Context, sql string, args ...any) (pgx.Rows, error) {
	r.sql, r.args = sql, args
	return nil, errRecorded
}

func (r *recorder) QueryRow(_ context.Context, sql string, args ...any) pgx.Row {
	r.sql, r.args = sql, args
	return errorRow{errRecorded}
}

// errorRow is the result of a query that was not run.
type errorRow struct{ err error }

func (r errorRow) Scan(...any) error { return r.err }

// execute runs the query, prepared as "checked", for a project that is not there.
func (q projectQuery) execute() string {
	args := slices.Repeat([]string{"NULL"}, len(q.args))
	if q.project > 0 {
		args[q.project-1] = "424242"
	}
	if len(args) == 0 {
		return "EXECUTE checked"
	}
	return "EXECUTE checked(" + strings.Join(args, ", ") + ")"
}

// recordAll returns every query of the generated code by its name.
func recordAll(t *testing.T) map[string]projectQuery {
	t.Helper()
	const project = 424242
	queries := map[string]projectQuery{}
	for method := range reflect.TypeFor[*Queries]().Methods() {
		if method.Name == "WithTx" {
			continue
		}
		var arguments []reflect.Value
		if method.Type.NumIn() > 2 {
			params := reflect.New(method.Type.In(2)).Elem()
			fill(params)
			if field := params.FieldByName("ProjectID"); field.IsValid() {
				field.SetInt(project)
			}
			arguments = append(arguments, params)
		}
		made := &recorder{}
		method.Func.Call(append([]reflect.Value{reflect.ValueOf(New(made)), reflect.ValueOf(t.Context())}, arguments...))
		queries[method.Name] = projectQuery{
			sql: made.sql, args: made.args,
			project: 1 + slices.IndexFunc(made.args, func(arg any) bool { return arg == any(int32(project)) }),
		}
	}
	return queries
}

// fill gives a parameter, or each field of a struct of them, a value that its query takes.
func fill(value reflect.Value) {
	switch v := value.Addr().Interface().(type) {
	case *Collection:
		*v = CollectionCompounding
	case *PromotionLevel:
		*v = PromotionLevelCritical
	case *time.Time:
		*v = time.Unix(0, 0)
	case *pgvector.HalfVector:
		*v = pgvector.NewHalfVector(make([]float32, 1024))
	case *pgvector.SparseVector:
		*v = pgvector.NewSparseVectorFromMap(map[int32]float32{1: 1}, 1_000_000_000)
	default:
		fillKind(value)
	}
}

func fillKind(value reflect.Value) {
	switch value.Kind() {
	case reflect.Int32, reflect.Int64:
		value.SetInt(7)
	case reflect.String:
		value.SetString("{}") // an object of JSON, and an array
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		fill(value.Elem())
	case reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), 1, 1))
		fill(value.Index(0))
	case reflect.Struct:
		for _, field := range value.Fields() {
			fill(field)
		}
	default: // zero is a value of the others
	}
}

// unfiltered returns the tables of a project's data that the query's plan reads without
// comparing their project_id with the parameter.
func (q projectQuery) unfiltered(t *testing.T, conn *pgx.Conn, tables []string) (unfiltered []string) {
	t.Helper()
	var plan []map[string]planNode
	var text []byte
	// Several statements, and none of them prepared by pgx: a prepared one cannot be explained.
	_, err := conn.Exec(t.Context(), "DEALLOCATE ALL; PREPARE checked AS "+q.sql, pgx.QueryExecModeSimpleProtocol)
	if err == nil {
		err = conn.QueryRow(t.Context(), "EXPLAIN (VERBOSE, COSTS OFF, FORMAT JSON) "+q.execute(), pgx.QueryExecModeSimpleProtocol).Scan(&text)
	}
	if err == nil {
		err = json.Unmarshal(text, &plan)
	}
	must(t, err)
	plan[0]["Plan"].walk(func(node planNode) {
		table, alias := node.text("Relation Name"), node.text("Alias")
		if !slices.Contains(tables, table) || node.text("Node Type") == "ModifyTable" {
			return
		}
		want := fmt.Sprintf("(%s.project_id = $%d)", alias, q.project)
		if !strings.Contains(node.text("Index Cond")+node.text("Recheck Cond")+node.text("Filter"), want) {
			unfiltered = append(unfiltered, table+" "+alias)
		}
	})
	return unfiltered
}

// planNode is a node of a plan, as EXPLAIN describes it.
type planNode map[string]any

func (n planNode) text(property string) string {
	text, _ := n[property].(string)
	return text
}

func (n planNode) walk(visit func(node planNode)) {
	visit(n)
	children, _ := n["Plans"].([]any)
	for _, child := range children {
		planNode(child.(map[string]any)).walk(visit) //nolint:errcheck // as EXPLAIN has it
	}
}
