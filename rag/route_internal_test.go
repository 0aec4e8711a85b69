package rag

import (
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/testenv"
)

func TestCrossover(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		wanted int32
		size   int64
		want   int32
	}{
		{"before the first ANALYZE", 40, 0, exactUpTo},
		{"a small collection", 40, 5_000, exactUpTo},
		{"a large one", 40, 1_000_000, 12_649},
		{"more documents wanted of it", 160, 1_000_000, 25_298},
		{"more passages than there can be", 400, 1 << 62, 1<<30 - 1},
	} {
		if got := crossover(tt.wanted, tt.size); got != tt.want {
			t.Errorf("%s: %d passages, want %d", tt.name, got, tt.want)
		}
	}
}

// Few passages are compared, many are walked to, and what a walk does not come to
// is compared after all.
func TestAlongRoute(t *testing.T) {
	t.Parallel()
	database := db.NewDatabase(testenv.DatabaseURL(t), slog.New(slog.DiscardHandler))
	t.Cleanup(database.Close)
	library := NewLibrary(database, nil, nil, slog.New(slog.DiscardHandler))
	pool, err := database.Pool(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name     string
		passages int
		enough   bool
		want     []string
	}{
		{"none", 0, true, nil},
		{"few", exactUpTo, true, []string{"compare"}},
		{"many", exactUpTo + 1, true, []string{"walk"}},
		{"many, far away", exactUpTo + 1, false, []string{"walk", "compare"}},
	} {
		tenant, err := library.Tenant(t.Context(), TenantKey{Project: "route", Branch: tt.name, PathHash: "x"}, "/repo")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pool.Exec(t.Context(), `
			WITH document AS (
				INSERT INTO documents (project_id, tenant_id, collection, relative_path, title, summary, doc_type, doc_date,
					promotion_level, tags, frontmatter, content_hash, schema_hash, char_count, line_count, file_size,
					file_mtime, chunk_count)
				VALUES ($1, $2, 'compounding', 'a.md', '', '', '', '', 'standard', '{}', '{}', '', '', 0, 0, 0, now(), 0)
				RETURNING project_id, tenant_id, id
			)
			INSERT INTO document_chunks (project_id, tenant_id, document_id, collection, ordinal, start_line, end_line,
				promotion_level, passage_hash, header_path)
			SELECT project_id, tenant_id, id, 'compounding', n, 1, 1, 'standard', gen_random_uuid(), ''
			FROM document, generate_series(1, $3::integer) n`, tenant.projectID, tenant.id, tt.passages); err != nil {
			t.Fatal(err)
		}
		filter := newFilter(Scope{Tenant: tenant, Collection: Compounding}, Query{Limit: 10}, []Level{Standard})
		var went []string
		found, err := alongRoute(t.Context(), library, db.New(pool), filter,
			func() ([]string, error) {
				went = append(went, "compare")
				return went, nil
			},
			func() ([]string, bool, error) {
				went = append(went, "walk")
				return went, tt.enough, nil
			})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, went); diff != "" {
			t.Errorf("%s: the search went (-want +got):\n%s", tt.name, diff)
		}
		if len(found) != len(tt.want) {
			t.Errorf("%s: found %v", tt.name, found)
		}
	}
}
