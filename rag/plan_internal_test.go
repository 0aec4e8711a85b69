package rag

import (
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/test/testenv"
)

func TestExactThreshold(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		wanted int32
		size   int64
		want   int32
	}{
		{"before the first ANALYZE", 40, 0, alwaysExact},
		{"a small collection", 40, 5_000, alwaysExact},
		{"a large one", 40, 1_000_000, 12_649},
		{"more documents wanted of it", 160, 1_000_000, 25_298},
		{"more passages than there can be", 400, 1 << 62, 1<<30 - 1},
	} {
		if got := exactThreshold(tt.wanted, tt.size); got != tt.want {
			t.Errorf("%s: %d passages, want %d", tt.name, got, tt.want)
		}
	}
}

func TestFilter_CandidateLimit(t *testing.T) {
	t.Parallel()
	promoted := []Level{Important, Critical}
	for _, tt := range []struct {
		name       string
		query      Query
		group      []Level
		promoted   bool
		limit      int32
		candidates int32
	}{
		{"standard", Query{Limit: 10, Mode: Vector}, []Level{Standard}, false, 20, 40},
		{"standard, many wanted", Query{Limit: 30, Mode: Vector}, []Level{Standard}, false, 40, 120},
		{"standard of a doc-type", Query{Limit: 10, Mode: Vector, DocTypes: []string{"tool"}}, []Level{Standard}, false, 20, 20},
		{"promoted", Query{Limit: 10, Mode: Vector}, promoted, true, 20, 40},
		{"critical", Query{Limit: 10, Mode: Vector, Levels: []Level{Critical}}, promoted, true, 20, 20},
		{"promoted of a doc-type", Query{Limit: 10, Mode: Vector, DocTypes: []string{"tool"}}, promoted, true, 20, 20},
		{"all levels at once", Query{Limit: 10, Mode: Vector}, Levels(), false, 20, 40},
		{"beside words", Query{Limit: 10}, []Level{Standard}, false, 50, 100},
		{"beside words, many wanted", Query{Limit: 100}, []Level{Standard}, false, 200, 400},
		{"beside words, of a doc-type", Query{Limit: 10, DocTypes: []string{"tool"}}, []Level{Standard}, false, 50, 50},
	} {
		f := newFilter(Scope{}, tt.query, tt.group)
		if f.promoted() != tt.promoted || f.limit != tt.limit || f.candidateLimit() != tt.candidates {
			t.Errorf("%s: promoted %v, %d of %d candidates, want %v, %d of %d",
				tt.name, f.promoted(), f.limit, f.candidateLimit(), tt.promoted, tt.limit, tt.candidates)
		}
	}
}

// planFixture is a searcher whose searches say which plan they ran.
type planFixture struct {
	searcher *Searcher
	pool     *pgxpool.Pool
}

func newPlanFixture(t *testing.T) *planFixture {
	t.Helper()
	database := db.NewDatabase(testenv.DatabaseURL(t), slog.New(slog.DiscardHandler))
	t.Cleanup(database.Close)
	pool, err := database.Pool(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return &planFixture{searcher: NewSearcher(database, nil, nil, slog.New(slog.DiscardHandler)), pool: pool}
}

// tenant has one document of so many passages.
func (f *planFixture) tenant(t *testing.T, name string, passages int) *Tenant {
	t.Helper()
	q := db.New(f.pool)
	projectID, err := q.ProjectUpsert(t.Context(), db.ProjectUpsertParams{Name: "plan"})
	if err != nil {
		t.Fatal(err)
	}
	row, err := q.TenantUpsert(t.Context(), db.TenantUpsertParams{ProjectID: projectID, BranchName: name, PathHash: "x", RepoRoot: "/repo"})
	if err != nil {
		t.Fatal(err)
	}
	tenant := &Tenant{ProjectID: projectID, ID: row.ID}
	if _, err := f.pool.Exec(t.Context(), `
		WITH document AS (
			INSERT INTO documents (project_id, tenant_id, collection, relative_path, title, summary, doc_type, doc_date,
				promotion_level, content_hash, schema_hash, char_count, file_size,
				file_mtime, file_ctime, file_inode, chunk_count)
			VALUES ($1, $2, 'compounding', 'a.md', '', '', '', '', 'standard', sha256(''), '', 0, 0, now(), 'epoch', 0, 0)
			RETURNING project_id, tenant_id, id
		)
		INSERT INTO document_chunks (project_id, tenant_id, document_id, collection, ordinal, start_line, end_line,
			promotion_level, passage_hash, header_path)
		SELECT project_id, tenant_id, id, 'compounding', n, 1, 1, 'standard', gen_random_uuid(), ''
		FROM document, generate_series(1, $3::integer) n`, tenant.ProjectID, tenant.ID, passages); err != nil {
		t.Fatal(err)
	}
	return tenant
}

// search returns the steps of a search by vectors. A scan finds enough or not, as
// enough says.
func (f *planFixture) search(t *testing.T, tenant *Tenant, enough bool) (went []string) {
	t.Helper()
	scope, model := Scope{Tenant: tenant, Collection: Compounding}, ollama.Model{Name: "model"}
	list := &vectorList{filter: newFilter(scope, Query{Limit: 10}, []Level{Standard})}
	list.planning = f.searcher.memory.planner.begin(list.filter)
	state := &state{memory: f.searcher.memory, scope: scope, model: &model, plans: []*planning{list.planning}}
	if err := f.searcher.readState(t.Context(), state); err != nil {
		t.Fatal(err)
	}
	if !list.begin(true) {
		return nil
	}
	for {
		list.found = nil
		if list.plan == planExact {
			went = append(went, "compare")
		} else if went = append(went, "scan"); enough {
			list.found = make([]candidate, list.filter.wanted)
		}
		if list.complete() {
			return went
		}
	}
}

// A scan whose passages are of too few documents looks for more of them, up to a
// bound.
func TestVectorList_ScansFurther(t *testing.T) {
	t.Parallel()
	list := &vectorList{filter: newFilter(Scope{}, Query{Limit: 10}, []Level{Standard}), plan: planHNSW, passages: 200}
	var looked []int32
	for list.plan == planHNSW {
		looked = append(looked, list.passages)
		list.found = []candidate{{Candidates: int64(list.passages)}}
		if list.complete() {
			t.Fatalf("one document is enough after %v", looked)
		}
	}
	if diff := cmp.Diff([]int32{200, 400, 800, 1600}, looked); diff != "" {
		t.Errorf("passages looked for (-want +got):\n%s", diff)
	}
}

// Few passages are compared and many are scanned for. If a scan does not find enough,
// all are compared.
func TestPlan(t *testing.T) {
	t.Parallel()
	f := newPlanFixture(t)
	for _, tt := range []struct {
		name     string
		passages int
		enough   bool
		want     []string
	}{
		{"none", 0, true, nil},
		{"few", alwaysExact, true, []string{"compare"}},
		{"many", alwaysExact + 1, true, []string{"scan"}},
		{"many, far away", alwaysExact + 1, false, []string{"scan", "compare"}},
	} {
		tenant := f.tenant(t, tt.name, tt.passages)
		for range 2 {
			if diff := cmp.Diff(tt.want, f.search(t, tenant, tt.enough)); diff != "" {
				t.Errorf("%s: the search went (-want +got):\n%s", tt.name, diff)
			}
		}
	}
}

// A large number of passages is kept, and does no harm once they are few. A small one
// is not kept: what has just been synced is found.
func TestPlan_AfterTheTenantHasChanged(t *testing.T) {
	t.Parallel()
	f := newPlanFixture(t)
	large, empty := f.tenant(t, "large", alwaysExact+1), f.tenant(t, "empty", 0)
	f.search(t, large, true)
	f.search(t, empty, true)
	for _, statement := range []string{
		"UPDATE document_chunks SET tenant_id = -1 WHERE tenant_id = (SELECT id FROM tenants WHERE branch_name = 'large') AND ordinal > 10",
		"UPDATE document_chunks SET tenant_id = (SELECT id FROM tenants WHERE branch_name = 'empty') WHERE tenant_id = -1",
	} {
		if _, err := f.pool.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"scan", "compare"}, f.search(t, large, false)); diff != "" {
		t.Errorf("of a tenant that has shrunk, the search went (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"compare"}, f.search(t, empty, true)); diff != "" {
		t.Errorf("of a tenant that has grown, the search went (-want +got):\n%s", diff)
	}
}
