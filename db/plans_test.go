package db

import (
	"context"
	"errors"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgvector/pgvector-go"
)

// explainer runs no query: it explains each one that the generated code sends,
// with its very text and arguments, with its settings.
type explainer struct {
	pool  *pgxpool.Pool
	query string
	plan  string
}

var errExplained = errors.New("explained")

func (e *explainer) explain(ctx context.Context, query string, args []any) error {
	rows, err := e.pool.Query(ctx, "EXPLAIN (ANALYZE, COSTS OFF) "+query, args...)
	if err != nil {
		return err
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	e.query, e.plan = query, strings.Join(lines, "\n")
	return errExplained
}

func (e *explainer) Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error) {
	return pgconn.CommandTag{}, e.explain(ctx, query, args)
}

func (e *explainer) Query(ctx context.Context, query string, args ...any) (pgx.Rows, error) {
	return nil, e.explain(ctx, query, args)
}

func (e *explainer) QueryRow(ctx context.Context, query string, args ...any) pgx.Row {
	return lastRow{err: e.explain(ctx, query, args)}
}

// share gives the corpus four more branches of the large tenant's documents, on
// the same passages, and has each document link to the next one.
func (c *corpus) share(t *testing.T) {
	t.Helper()
	for _, statement := range []string{
		`INSERT INTO tenants (project_id, branch_name, path_hash, repo_root)
			SELECT project_id, 'branch ' || n, path_hash, repo_root FROM tenants, generate_series(1, 4) AS n WHERE branch_name = 'large'`,
		`INSERT INTO documents (project_id, tenant_id, id, collection, relative_path, title, summary, doc_type, doc_date, promotion_level,
				content_hash, schema_hash, char_count, file_size, file_mtime, file_ctime, file_inode, chunk_count)
			SELECT d.project_id, b.id, b.id::bigint << 32 | d.id, collection, relative_path,
				title, summary, doc_type, doc_date, promotion_level,
				content_hash, schema_hash, char_count, file_size, file_mtime, file_ctime, file_inode, chunk_count
			FROM documents d JOIN tenants t ON t.id = d.tenant_id AND t.branch_name = 'large', tenants b
			WHERE b.branch_name LIKE 'branch %'`,
		`INSERT INTO document_chunks (project_id, tenant_id, document_id, collection, ordinal, start_line, end_line, promotion_level,
				passage_hash, header_path)
			SELECT c.project_id, copy.tenant_id, copy.id, c.collection, ordinal, start_line, end_line, c.promotion_level,
				passage_hash, header_path
			FROM document_chunks c JOIN documents d ON d.id = c.document_id JOIN tenants t ON t.id = d.tenant_id AND t.branch_name = 'large'
			JOIN documents copy ON copy.relative_path = d.relative_path JOIN tenants b ON b.id = copy.tenant_id AND b.branch_name LIKE 'branch %'`,
		`INSERT INTO document_links (project_id, tenant_id, document_id, ordinal, target_path, fallback_path, supersedes)
			SELECT project_id, tenant_id, id, 0, (split_part(relative_path, '.', 1)::int + 1) || '.md', '', false FROM documents`,
		"VACUUM (ANALYZE)",
	} {
		c.exec(t, statement)
	}
}

// planCase is a query with the parts that its plan must and must not have.
type planCase struct {
	name      string
	call      func(q *Queries) error
	want, not []string
}

// Indexes that plans scan, beside graphScan.
const (
	chunkIndex  = "document_chunks_passage"
	chunkKey    = "document_chunks_pkey"
	passageKey  = "passages_compounding_pkey"
	termIndex   = "passages_compounding_terms_idx"
	vectorKey   = "embeddings_compounding_pkey"
	documentKey = "documents_pkey"
)

// searchCases are all queries of a search: which indexes each scans.
func searchCases(t *testing.T, c *corpus, space *space) []planCase {
	t.Helper()
	large, small := c.tenants["large"], c.tenants["small"]
	rare, all, important := []string{"rare"}, allLevels(), []PromotionLevel{PromotionLevelImportant}
	query, terms := space.vector(), weighted(1, commonTerm, tenthTerm)
	exact := func(tenant int32, docTypes []string, levels []PromotionLevel, unembedded bool) func(q *Queries) error {
		return func(q *Queries) error {
			_, err := q.SearchExact(t.Context(), SearchExactParams{
				ProjectID: c.projectID, TenantID: tenant, Collection: CollectionCompounding, Query: &query, ModelID: &c.modelID,
				Terms: terms, DocTypes: docTypes, Levels: levels, Unembedded: unembedded, MaxRows: 10,
			})
			return err
		}
	}
	scan := func(levels []PromotionLevel, eachPassage bool) func(q *Queries) error {
		return func(q *Queries) error {
			_, err := q.SearchHNSW(t.Context(), SearchHNSWParams{
				ProjectID: c.projectID, TenantID: large, Collection: CollectionCompounding, Query: query, ModelID: c.modelID,
				Terms: terms, Levels: levels, EachPassage: eachPassage, MaxRows: 10, MaxPassages: 40,
			})
			return err
		}
	}
	words := func(query *pgvector.HalfVector, docTypes []string) func(q *Queries) error {
		return func(q *Queries) error {
			_, err := q.SearchWords(t.Context(), SearchWordsParams{
				ProjectID: c.projectID, TenantID: small, Collection: CollectionCompounding, Query: query, ModelID: &c.modelID,
				Terms: terms, RareTerms: []int32{tenthTerm, ownTerm + 7}, DocTypes: docTypes, Levels: all, MaxPassages: 400, MaxRows: 100,
			})
			return err
		}
	}
	counts := func(docTypes []string) func(q *Queries) error {
		return func(q *Queries) error {
			_, err := q.SearchPassageCounts(t.Context(), SearchPassageCountsParams{
				ProjectID: c.projectID, TenantID: small, Collection: CollectionCompounding, DocTypes: docTypes,
			})
			return err
		}
	}
	return []planCase{
		{"exact, small tenant", exact(small, nil, all, false), []string{chunkIndex, vectorKey, passageKey, documentKey, chunkKey}, []string{graphScan}},
		{"exact, important", exact(small, nil, important, false), []string{chunkIndex, vectorKey, passageKey}, []string{graphScan}},
		{"exact, rare doc-type", exact(small, rare, all, false), []string{chunkIndex, vectorKey, passageKey}, []string{graphScan}},
		{"exact, without vectors too", exact(small, nil, important, true), []string{chunkIndex, vectorKey, passageKey}, []string{graphScan}},
		{"scan", scan(all, false), []string{graphScan, chunkIndex, documentKey, chunkKey, passageKey}, []string{promotedScan}},
		{"scan, important", scan(important, false), []string{promotedScan, chunkIndex, documentKey, chunkKey, passageKey}, []string{graphScan}},
		{"scan, passages", scan(all, true), []string{graphScan, chunkIndex, documentKey, chunkKey, passageKey}, nil},
		{"words", words(nil, nil), []string{termIndex, chunkIndex, documentKey, chunkKey, passageKey}, []string{graphScan}},
		{"words with distances", words(&query, nil), []string{termIndex, chunkIndex, vectorKey}, []string{graphScan}},
		{"words, rare doc-type", words(nil, rare), []string{termIndex, chunkIndex}, []string{graphScan}},
		{"distances", func(q *Queries) error {
			_, err := q.SearchDistances(t.Context(), SearchDistancesParams{
				Query: query, Collection: CollectionCompounding, ProjectID: c.projectID, ModelID: c.modelID,
				Hashes: []uuid.UUID{hashOf(small, 1), hashOf(small, 2)},
			})
			return err
		}, []string{vectorKey}, []string{graphScan}},
		{"lines", func(q *Queries) error {
			_, err := q.SearchLines(t.Context(), SearchLinesParams{
				ProjectID: c.projectID, TenantID: small, Collection: CollectionCompounding, Query: &query, ModelID: &c.modelID,
				Lines: []int32{0, 1}, LineTerms: []pgvector.SparseVector{terms, terms},
				RareTerms: []string{"{" + strconv.Itoa(tenthTerm) + "}", "{" + strconv.Itoa(ownTerm+7) + "}"},
				Terms:     terms, Levels: all, MaxPassages: 5,
			})
			return err
		}, []string{termIndex, chunkIndex, documentKey, chunkKey, passageKey, vectorKey}, []string{graphScan}},
		{"counts", counts(nil), []string{"Index Only Scan using " + chunkIndex}, []string{"Seq Scan"}},
		{"counts, rare doc-type", counts(rare), []string{chunkIndex}, []string{"Seq Scan"}},
		{"estimate", func(q *Queries) error {
			_, err := q.EmbeddingEstimate(t.Context(), EmbeddingEstimateParams{ProjectID: c.projectID, Collection: CollectionCompounding})
			return err
		}, []string{vectorKey}, []string{graphScan}},
	}
}

// tableCases are the other queries over the same tables that run often or long.
func tableCases(t *testing.T, c *corpus) []planCase {
	t.Helper()
	large, small := c.tenants["large"], c.tenants["small"]
	hashes := make([]uuid.UUID, 200)
	for i := range hashes {
		hashes[i] = hashOf(large, i)
	}
	return []planCase{
		{"known passages", func(q *Queries) error {
			_, err := q.PassageExisting(t.Context(), PassageExistingParams{
				Collection: CollectionCompounding, ProjectID: c.projectID, Hashes: hashes,
			})
			return err
		}, []string{passageKey}, nil},
		{"sample of terms", func(q *Queries) error {
			_, err := q.PassageSample(t.Context(), PassageSampleParams{
				Collection: CollectionCompounding, ProjectID: c.projectID, MaxPassages: 2000,
			})
			return err
		}, []string{passageKey}, []string{"Sort"}},
		{"texts", func(q *Queries) error {
			query := pgvector.NewHalfVector(make([]float32, dimensions))
			_, err := q.ChunkTexts(t.Context(), ChunkTextsParams{
				Terms: weighted(1, commonTerm), Collection: CollectionCompounding, ProjectID: c.projectID,
				Query: &query, ModelID: &c.modelID, DocumentIds: []int64{1, 2, 3},
			})
			return err
		}, []string{chunkKey, passageKey, vectorKey}, nil},
		{"means", func(q *Queries) error {
			_, err := q.EmbeddingMeans(t.Context(), EmbeddingMeansParams{
				Collection: CollectionCompounding, ProjectID: c.projectID, ModelID: c.modelID, TenantID: small,
			})
			return err
		}, []string{chunkKey, vectorKey}, []string{graphScan}},
		{"links", func(q *Queries) error {
			_, err := q.LinkEdges(t.Context(), LinkEdgesParams{
				ProjectID: c.projectID, TenantID: small, Collection: CollectionCompounding,
			})
			return err
		}, []string{"document_links_tenant"}, []string{"Seq Scan"}},
		{"unused passages", func(q *Queries) error {
			_, err := q.CleanupUnusedPassages(t.Context(), CleanupUnusedPassagesParams{
				Collection: CollectionCompounding, ProjectID: c.projectID, Removable: []int32{small}, MaxPassages: 100_000,
			})
			return err
		}, []string{"Anti Join"}, []string{"Nested Loop"}},
		{"delete passages", func(q *Queries) error {
			_, err := q.CleanupDeletePassages(t.Context(), CleanupDeletePassagesParams{
				Collection: CollectionCompounding, ProjectID: c.projectID, Hashes: hashes, Changed: []int32{large},
			})
			return err
		}, []string{passageKey, chunkIndex}, nil},
	}
}

// explain returns the plan of the case's query, and its text.
func (p planCase) explain(t *testing.T, c *corpus) *explainer {
	t.Helper()
	e := &explainer{pool: c.pool}
	if err := p.call(New(e)); !errors.Is(err, errExplained) {
		t.Fatal(err)
	}
	return e
}

// Statistics may know nothing of a tenant, even long after its first sync, if it
// is one of many. That must not make a search look at passages times chunks.
func testPlansWithoutStatistics(t *testing.T, c *corpus, space *space) {
	t.Helper()
	for _, test := range searchCases(t, c, space) {
		t.Run(test.name, func(t *testing.T) {
			mustNotContain(t, test.explain(t, c).plan, "Removed by Join Filter")
		})
	}
}

func testPlans(t *testing.T, c *corpus, space *space) {
	t.Helper()
	c.share(t)
	never := []string{
		"Seq Scan on passages", "Seq Scan on embeddings", "JIT:",
		"passages_external", "passages_handbook", "embeddings_external", "embeddings_handbook",
	}
	explained := map[string]bool{}
	for _, test := range append(searchCases(t, c, space), tableCases(t, c)...) {
		t.Run(test.name, func(t *testing.T) {
			e := test.explain(t, c)
			for name := range namesOf(e.query) {
				explained[name] = true
			}
			mustContain(t, e.plan, test.want...)
			mustNotContain(t, e.plan, append(test.not, never...)...)
		})
	}
	text, err := os.ReadFile("../sql/queries/search.sql")
	if err != nil {
		t.Fatal(err)
	}
	missing := slices.DeleteFunc(slices.Sorted(namesOf(string(text))), func(name string) bool { return explained[name] })
	if len(missing) > 0 {
		t.Errorf("queries of search.sql whose plan no case looks at: %v", missing)
	}
}

// namesOf returns the names of the queries in a text.
func namesOf(text string) func(yield func(string) bool) {
	names := map[string]bool{}
	for _, match := range regexp.MustCompile(`-- name: (\w+)`).FindAllStringSubmatch(text, -1) {
		names[match[1]] = true
	}
	return maps.Keys(names)
}
