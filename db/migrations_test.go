package db_test

import (
	stdcmp "cmp"
	"database/sql"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pgvector/pgvector-go"
	"github.com/pressly/goose/v3"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/sql/schema"
	"github.com/compound-docs/compound-docs/test/testenv"
)

var update = flag.Bool("update", false, "write sql/schema/columns.txt")

func TestColumns_AreThoseOfTheMigrations(t *testing.T) {
	t.Parallel()
	var got string
	must(t, open(t, testenv.DatabaseURL(t)).QueryRow(t.Context(), `
		SELECT string_agg(c.relname || '.' || a.attname, E'\n' ORDER BY c.relname COLLATE "C", a.attnum) || E'\n'
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
			AND c.relname <> 'goose_db_version'`).Scan(&got))
	if *update {
		must(t, os.WriteFile("../sql/schema/columns.txt", []byte(got), 0o600))
	} else if diff := cmp.Diff(schema.Columns, got); diff != "" {
		t.Errorf("columns, which go test ./db -run TestColumns -update writes (-want +got):\n%s", diff)
	}
}

// A database of every earlier version, with rows in each of its tables, becomes
// one of the newest version that can be searched, and the way back is open.
func TestMigrations_KeepAFilledDatabase(t *testing.T) {
	t.Parallel()
	for _, version := range versions(t) {
		t.Run(fmt.Sprint("from version ", version), func(t *testing.T) {
			t.Parallel()
			databaseURL := testenv.DatabaseURL(t)
			provider, sqlDB := newProvider(t, databaseURL)
			if _, err := provider.UpTo(t.Context(), version); err != nil {
				t.Fatal(err)
			}
			fillVersion(t, sqlDB, version)
			before := tables(t, sqlDB)
			for table, rows := range before {
				if rows == 0 {
					t.Errorf("%s leaves the table %s empty: give it a row, so that its migration is tested", fixture(version), table)
				}
			}

			pool := open(t, databaseURL) // migrates
			checkFilled(t, pool)
			after := tables(t, sqlDB)
			for table, rows := range before {
				if got, ok := after[table]; ok && got < rows {
					t.Errorf("the migration keeps %d of %d rows of %s", got, rows, table)
				}
			}

			if _, err := provider.DownTo(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[string]int{}, tables(t, sqlDB)); diff != "" {
				t.Errorf("down leaves tables (-want +got):\n%s", diff)
			}
			if _, err := provider.Up(t.Context()); err != nil {
				t.Errorf("up after down: %v", err)
			}
		})
	}
}

// versions are those of the migrations, in order.
func versions(t *testing.T) (versions []int64) {
	t.Helper()
	files, err := fs.Glob(schema.FS, "*.sql")
	must(t, err)
	for _, file := range files {
		version, err := goose.NumericComponent(file)
		must(t, err)
		versions = append(versions, version)
	}
	if len(versions) == 0 {
		t.Fatal("there are no migrations")
	}
	return versions
}

func newProvider(t *testing.T, databaseURL string) (*goose.Provider, *sql.DB) {
	t.Helper()
	config, err := pgx.ParseConfig(databaseURL)
	must(t, err)
	sqlDB := stdlib.OpenDB(*config)
	t.Cleanup(func() {
		if err := sqlDB.Close(); err != nil {
			t.Error(err)
		}
	})
	provider, err := goose.NewProvider(goose.DialectPostgres, sqlDB, schema.FS, goose.WithDisableGlobalRegistry(true))
	must(t, err)
	return provider, sqlDB
}

func fixture(version int64) string {
	return fmt.Sprintf("sql/schema/testdata/fill_%05d.sql", version)
}

func fillVersion(t *testing.T, sqlDB *sql.DB, version int64) {
	t.Helper()
	statements, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(fixture(version))))
	if err != nil {
		t.Fatalf("%v: migration %d has no fixture. Copy that of the version before to %s, and change it so that it fills every "+
			"table of the new version with the same documents", err, version, fixture(version))
	}
	if _, err := sqlDB.ExecContext(t.Context(), string(statements)); err != nil {
		t.Fatalf("%s does not fit version %d of the schema: %v", fixture(version), version, err)
	}
}

// tables returns the number of rows of each of the index's tables, partitions
// apart.
func tables(t *testing.T, sqlDB *sql.DB) map[string]int {
	t.Helper()
	var names string
	if err := sqlDB.QueryRowContext(t.Context(), `
		SELECT coalesce(string_agg(oid::regclass::text, ',' ORDER BY relname), '') FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname <> 'goose_db_version'
			AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')`).Scan(&names); err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for name := range strings.SplitSeq(names, ",") {
		if name == "" {
			continue
		}
		var count int
		must(t, sqlDB.QueryRowContext(t.Context(), "SELECT count(*) FROM "+name).Scan(&count))
		rows[name] = count
	}
	return rows
}

// checkFilled looks for what every fixture has, with today's queries.
func checkFilled(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	ctx, q := t.Context(), db.New(pool)
	tenant := func(project, branch, pathHash string) db.Tenant {
		projectID, err := q.ProjectFind(ctx, db.ProjectFindParams{Name: project})
		if err != nil {
			t.Fatalf("find %s: %v", project, err)
		}
		row, err := q.TenantFind(ctx, db.TenantFindParams{ProjectID: projectID, BranchName: branch, PathHash: pathHash})
		if err != nil {
			t.Fatalf("find %s on %q: %v", project, branch, err)
		}
		return db.Tenant{ProjectID: projectID, ID: row.ID}
	}
	main, next := tenant("filled", "main", "0123456789abcdef"), tenant("filled", "next", "0123456789abcdef")
	handbook := tenant(":handbook", "", "")
	found, err := q.EmbeddingModelFind(ctx, db.EmbeddingModelFindParams{
		Name: "mxbai-embed-large", Digest: "sha256:0123", Dimensions: 1024, PromptVersion: 1,
	})
	must(t, err)
	model := found.ID
	// The weights of the fixture's passages are 1.5 and .9 for their two terms.
	terms := pgvector.NewSparseVectorFromMap(map[int32]float32{0: 1, 1: 1, 2: 1, 3: 1, 4: 1, 999: 1}, 1_000_000_000)
	levels := []db.PromotionLevel{db.PromotionLevelStandard, db.PromotionLevelImportant, db.PromotionLevelCritical}
	got := map[string][]string{}
	for name, where := range map[string]struct {
		tenant     db.Tenant
		collection db.Collection
		coordinate int
	}{
		"main": {main, db.CollectionCompounding, 2}, "next": {next, db.CollectionCompounding, 2}, "external": {main, db.CollectionExternal, 4},
	} {
		query := coordinate(where.coordinate)
		search := func(change func(p *db.SearchVectorsParams)) []db.SearchVectorsRow {
			p := db.SearchVectorsParams{
				ProjectID: where.tenant.ProjectID, TenantID: where.tenant.ID, Collection: where.collection,
				Terms: terms, NearLevels: levels, PromotedLevels: []db.PromotionLevel{}, MaxRows: 10, PromotedRows: 10, WantedRows: 1,
			}
			change(&p)
			return candidates(t, q, p)
		}
		exact := search(func(p *db.SearchVectorsParams) { p.Query, p.ModelID = &query, &model })
		for _, row := range exact {
			got[name] = append(got[name], fmt.Sprintf("%s %s lines %d to %d of %q at %.0f", row.RelativePath, row.PromotionLevel,
				row.StartLine, row.EndLine, row.HeaderPath, row.Distance))
		}
		scanned := search(func(p *db.SearchVectorsParams) { p.Query, p.ModelID, p.NearScan = &query, &model, 10 })
		if len(scanned) == 0 || scanned[0].RelativePath != exact[0].RelativePath {
			t.Errorf("the HNSW index of %s finds %v, want %s first", name, scanned, exact[0].RelativePath)
		}
		for _, row := range search(func(p *db.SearchVectorsParams) {
			p.Query, p.ModelID, p.PromotedScan = &query, &model, 10
			p.NearLevels, p.PromotedLevels = []db.PromotionLevel{}, levels[1:]
		}) {
			got[name+", promoted"] = append(got[name+", promoted"], row.RelativePath)
		}
		words, err := q.SearchWords(ctx, db.SearchWordsParams{
			ProjectID: where.tenant.ProjectID, TenantID: where.tenant.ID, Collection: where.collection,
			Terms: terms, Levels: levels, MaxRows: 10, Lines: []int32{-1}, LineTerms: []pgvector.SparseVector{terms},
			LineRareTerms: []string{fmt.Sprintf("{%d}", where.coordinate)}, LinePassages: []int32{10},
		})
		must(t, err)
		for _, row := range words {
			got[name+", words"] = append(got[name+", words"], fmt.Sprintf("%s %.1f", row.RelativePath, row.Bm25))
		}
	}
	fifth := coordinate(5)
	for _, row := range candidates(t, q, db.SearchVectorsParams{
		ProjectID: handbook.ProjectID, TenantID: handbook.ID, Collection: db.CollectionHandbook, EachPassage: true,
		Query: &fifth, ModelID: &model, Terms: terms, NearLevels: levels, PromotedLevels: []db.PromotionLevel{}, MaxRows: 10, WantedRows: 1,
	}) {
		got["handbook"] = append(got["handbook"], row.RelativePath+": "+row.Content)
	}
	edges, err := q.LinkEdges(ctx, db.LinkEdgesParams{
		ProjectID: main.ProjectID, TenantID: main.ID, Collection: db.CollectionCompounding,
	})
	must(t, err)
	for _, edge := range edges {
		got["links"] = append(got["links"], edge.SourcePath+" to "+edge.TargetPath)
	}
	want := map[string][]string{
		"main": {
			`docs/pool.md critical lines 7 to 9 of "## Cure" at 0`, `docs/labels.md standard lines 1 to 3 of "" at 1`,
		},
		"main, promoted":  {"docs/pool.md"},
		"next":            {`docs/labels.md important lines 1 to 3 of "" at 1`},
		"next, promoted":  {"docs/labels.md"},
		"external":        {`manual/setup.md standard lines 1 to 1 of "" at 0`},
		"handbook":        {"handbook/keys.md: Badges open doors."},
		"links":           {"docs/pool.md to docs/labels.md"},
		"main, words":     {"docs/pool.md 2.4"},
		"external, words": {"manual/setup.md 2.4"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what is found (-want +got):\n%s", diff)
	}
}

// coordinate is the vector of the fixtures whose n-th coordinate is 1.
func coordinate(n int) pgvector.HalfVector {
	vector := make([]float32, 1024)
	vector[n-1] = 1
	return pgvector.NewHalfVector(vector)
}

// candidates returns the passages that a search by vectors finds, the nearest first.
func candidates(t *testing.T, q *db.Queries, params db.SearchVectorsParams) []db.SearchVectorsRow {
	t.Helper()
	rows, err := q.SearchVectors(t.Context(), params)
	must(t, err)
	slices.SortFunc(rows, func(a, b db.SearchVectorsRow) int {
		return stdcmp.Or(stdcmp.Compare(a.Distance, b.Distance), stdcmp.Compare(a.ID, b.ID))
	})
	return rows
}
