package db

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgvector/pgvector-go"
	pgxvec "github.com/pgvector/pgvector-go/pgx"

	"github.com/compound-docs/compound-docs/test/testenv"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// must ends the test if there is an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// dimensions is the index's.
const dimensions = 1024

// space makes vectors like those of an embedding model: of few intrinsic
// dimensions, and in clusters. The same seed makes the same vectors.
type space struct {
	random  *rand.Rand
	basis   [][]float32 // of intrinsic rows
	centres [][]float64 // of intrinsic columns
}

func newSpace(seed uint64) *space {
	const intrinsic, clusters = 24, 60
	s := &space{random: rand.New(rand.NewPCG(seed, 1))}
	for range intrinsic {
		row := make([]float32, dimensions)
		for i := range row {
			row[i] = float32(s.random.NormFloat64())
		}
		s.basis = append(s.basis, row)
	}
	for range clusters {
		s.centres = append(s.centres, s.point(make([]float64, intrinsic), 1))
	}
	return s
}

func (s *space) point(centre []float64, spread float64) []float64 {
	point := make([]float64, len(centre))
	for i := range point {
		point[i] = centre[i] + spread*s.random.NormFloat64()
	}
	return point
}

// vector returns the next vector, of length 1.
func (s *space) vector() pgvector.HalfVector {
	latent := s.point(s.centres[s.random.IntN(len(s.centres))], 0.6)
	vector := make([]float32, dimensions)
	var square float64
	for i := range vector {
		for j, weight := range latent {
			vector[i] += float32(weight) * s.basis[j][i]
		}
		square += float64(vector[i]) * float64(vector[i])
	}
	for i := range vector {
		vector[i] /= float32(math.Sqrt(square))
	}
	return pgvector.NewHalfVector(vector)
}

// corpus is a database with tenants of synthetic documents, one passage each.
type corpus struct {
	pool      *pgxpool.Pool
	queries   *Queries
	projectID int32
	modelID   int32
	tenants   map[string]int32
}

// newCorpus loads tenants of the given numbers of documents, with every tenth document important
// and one doc-type in twenty "rare". Tenants share no vectors.
func newCorpus(t *testing.T, space *space, sizes map[string]int) *corpus {
	t.Helper()
	ctx := t.Context()
	pool := openWithSettings(t)
	c := &corpus{pool: pool, queries: New(pool), tenants: map[string]int32{}}
	var err error
	if c.projectID, err = c.queries.ProjectUpsert(ctx, ProjectUpsertParams{Name: "corpus"}); err != nil {
		t.Fatal(err)
	}
	if c.modelID, err = c.queries.EmbeddingModelUpsert(ctx, EmbeddingModelUpsertParams{Name: "model", Dimensions: dimensions}); err != nil {
		t.Fatal(err)
	}
	// Built after the load, the graphs cost an eighth.
	rows, err := pool.Query(ctx, `SELECT indexdef FROM pg_indexes
		WHERE indexname IN ('embeddings_compounding_embedding', 'embeddings_compounding_promoted')`)
	must(t, err)
	graphs, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	c.exec(t, "DROP INDEX embeddings_compounding_embedding, embeddings_compounding_promoted")
	for _, name := range []string{"large", "small"} {
		tenant, err := c.queries.TenantUpsert(ctx, TenantUpsertParams{
			ProjectID: c.projectID, BranchName: name, PathHash: "p", RepoRoot: "/r",
		})
		must(t, err)
		c.tenants[name] = tenant.ID
		c.load(t, space, c.tenants[name], sizes[name])
	}
	for _, graph := range graphs {
		c.exec(t, graph)
	}
	return c
}

// openWithSettings returns a pool whose connections keep the settings that [Database] makes
// in each transaction.
func openWithSettings(t *testing.T) *pgxpool.Pool {
	t.Helper()
	pool, err := Open(t.Context(), testenv.IndexURL(t), slog.New(slog.DiscardHandler))
	must(t, err)
	config := pool.Config()
	pool.Close()
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, strings.ReplaceAll(settings, ", true)", ", false)"))
		return errors.Join(err, registerTypes(ctx, conn), pgxvec.RegisterTypes(ctx, conn)) // pgxvec is for COPY
	}
	if pool, err = pgxpool.NewWithConfig(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func (c *corpus) exec(t *testing.T, sql string) {
	t.Helper()
	if _, err := c.pool.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

func (c *corpus) load(t *testing.T, space *space, tenant int32, size int) {
	t.Helper()
	copyFrom := func(table string, columns []string, row func(i int) []any) {
		t.Helper()
		_, err := c.pool.CopyFrom(t.Context(), pgx.Identifier{table}, columns, pgx.CopyFromSlice(size, func(i int) ([]any, error) {
			return row(i), nil
		}))
		must(t, err)
	}
	level := func(i int) PromotionLevel {
		if i%10 == 0 {
			return PromotionLevelImportant
		}
		return PromotionLevelStandard
	}
	var firstID int64
	must(t, c.pool.QueryRow(t.Context(), "SELECT coalesce(max(id), 0) + 1 FROM documents").Scan(&firstID))
	copyFrom("documents", []string{
		"project_id", "tenant_id", "id", "collection", "relative_path", "title", "summary", "tags", "doc_type", "doc_date", "promotion_level",
		"content_hash", "schema_hash", "char_count", "file_size", "file_mtime", "file_ctime", "file_inode", "chunk_count",
	}, func(i int) []any {
		docType := "problem"
		if i%20 == 0 {
			docType = "rare"
		}
		return []any{
			c.projectID, tenant, firstID + int64(i), CollectionCompounding, fmt.Sprintf("%d.md", i), "Title", "Summary", "", docType,
			"2026-01-02", level(i),
			[]byte{1},
			"", 1, 1, time.Unix(0, 0), time.Unix(0, 0), 0, 0,
		}
	})
	copyFrom("document_chunks", []string{
		"project_id", "tenant_id", "document_id", "collection", "ordinal", "start_line", "end_line", "promotion_level",
		"passage_hash", "header_path",
	}, func(i int) []any {
		return []any{
			c.projectID, tenant, firstID + int64(i), CollectionCompounding, 0, 1, 1, level(i), hashOf(tenant, i), "",
		}
	})
	promoted := func(i int) bool { return level(i) != PromotionLevelStandard }
	copyFrom("passages", []string{"collection", "project_id", "hash", "heading", "content", "terms", "lexical", "meaning", "promoted"}, func(i int) []any {
		terms := termsOf(i)
		return []any{
			CollectionCompounding, c.projectID, hashOf(tenant, i), "Title", "Some words.", terms, weighted(1, terms...), meaningOf(i), promoted(i),
		}
	})
	copyFrom("embeddings", []string{"collection", "project_id", "model_id", "hash", "embedding", "promoted"}, func(i int) []any {
		return []any{CollectionCompounding, c.projectID, c.modelID, hashOf(tenant, i), space.vector(), promoted(i)}
	})
}

// Terms of the passages: one that all have, one in ten of them, and one for each passage.
const (
	commonTerm = 1
	tenthTerm  = 2
	ownTerm    = 1000
)

func termsOf(i int) []int32 {
	terms := []int32{commonTerm}
	if i%10 == 0 {
		terms = append(terms, tenthTerm)
	}
	return append(terms, ownTerm+int32(i))
}

// meaningOf is the built-in vector of a passage.
func meaningOf(i int) pgvector.HalfVector {
	numbers := make([]float32, 256)
	numbers[i%len(numbers)] = 1
	return pgvector.NewHalfVector(numbers)
}

// weighted is a vector of terms of one weight.
func weighted(weight float32, terms ...int32) pgvector.SparseVector {
	elements := map[int32]float32{}
	for _, term := range terms {
		elements[term-1] = weight
	}
	return pgvector.NewSparseVectorFromMap(elements, 1_000_000_000)
}

// hashOf is a hash in no order, as real ones are.
func hashOf(tenant int32, i int) uuid.UUID {
	return uuid.NewSHA1(uuid.Nil, binary.BigEndian.AppendUint64(nil, uint64(tenant)<<32|uint64(i)))
}

// One corpus serves all tests of the two routes: building its graph takes seconds.
func TestSearch_Routes(t *testing.T) {
	t.Parallel()
	space := newSpace(1)
	c := newCorpus(t, space, map[string]int{"large": 2000, "small": 200})
	t.Run("plans before the first ANALYZE", func(t *testing.T) { testPlansWithoutStatistics(t, c, space) })
	c.exec(t, "ANALYZE")
	t.Run("HNSW finds what exact finds", func(t *testing.T) { testRecall(t, c, space) })
	t.Run("too few scanned", func(t *testing.T) { testFewScanned(t, c, space) })
	t.Run("without vectors", func(t *testing.T) { testUnembedded(t, c) })
	t.Run("words", func(t *testing.T) { testWords(t, c, space) })
	t.Run("plans", func(t *testing.T) { testPlans(t, c, space) })
}

func allLevels() []PromotionLevel {
	return []PromotionLevel{PromotionLevelStandard, PromotionLevelImportant, PromotionLevelCritical}
}

// Walks of the two graphs, as a plan shows them.
const (
	graphScan    = "Index Scan using embeddings_compounding_embedding"
	promotedScan = "Index Scan using embeddings_compounding_promoted"
)

func mustContain(t *testing.T, plan string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(plan, part) {
			t.Errorf("the plan lacks %q:\n%s", part, plan)
		}
	}
}

func mustNotContain(t *testing.T, plan string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(plan, part) {
			t.Errorf("the plan has %q:\n%s", part, plan)
		}
	}
}
