package db

import (
	"errors"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/google/uuid"
	"github.com/pgvector/pgvector-go"
)

// share gives the corpus four more branches of the large tenant's documents, on
// the same passages, and has each document link to the next one.
func (c *corpus) share(t *testing.T) {
	t.Helper()
	for _, statement := range []string{
		`INSERT INTO tenants (project_id, branch_name, path_hash, repo_root)
			SELECT project_id, 'branch ' || n, path_hash, repo_root FROM tenants, generate_series(1, 4) AS n WHERE branch_name = 'large'`,
		`INSERT INTO documents (project_id, tenant_id, id, collection, relative_path, title, summary, tags, doc_type, doc_date, promotion_level,
				content_hash, schema_hash, char_count, file_size, file_mtime, file_ctime, file_inode, chunk_count)
			SELECT d.project_id, b.id, b.id::bigint << 32 | d.id, collection, relative_path,
				title, summary, tags, doc_type, doc_date, promotion_level,
				content_hash, schema_hash, char_count, file_size, file_mtime, file_ctime, file_inode, chunk_count
			FROM documents d JOIN tenants t ON t.id = d.tenant_id AND t.branch_name = 'large', tenants b
			WHERE b.branch_name LIKE 'branch %'`,
		`INSERT INTO document_chunks (project_id, tenant_id, document_id, collection, ordinal, start_line, end_line, promotion_level,
				passage_hash, header_path)
			SELECT c.project_id, copy.tenant_id, copy.id, c.collection, ordinal, start_line, end_line, c.promotion_level,
				passage_hash, header_path
			FROM document_chunks c JOIN documents d ON d.id = c.document_id JOIN tenants t ON t.id = d.tenant_id AND t.branch_name = 'large'
			JOIN documents copy ON copy.relative_path = d.relative_path JOIN tenants b ON b.id = copy.tenant_id AND b.branch_name LIKE 'branch %'`,
		`INSERT INTO document_links (project_id, tenant_id, document_id, ordinal, target_path, fallback_path, relation)
			SELECT project_id, tenant_id, id, 0, (split_part(relative_path, '.', 1)::int + 1) || '.md', '', '' FROM documents`,
		"UPDATE documents SET title = relative_path, own_title = relative_path, file_title = relative_path",
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
	linkIndex   = "document_links_relations"
)

// searchCases are the statements of a search: which indexes each scans, and which it does not.
func searchCases(t *testing.T, c *corpus, space *space) []planCase {
	t.Helper()
	large, small, query := c.search(c.tenants["large"]), c.search(c.tenants["small"]), space.vector()
	find := func(p SearchVectorsParams) func(q *Queries) error {
		return func(q *Queries) error {
			_, err := q.SearchVectors(t.Context(), p)
			return err
		}
	}
	words := func(p SearchWordsParams) func(q *Queries) error {
		return func(q *Queries) error {
			_, err := q.SearchWords(t.Context(), p)
			return err
		}
	}
	meanings := func(documents []int64) func(q *Queries) error {
		return func(q *Queries) error {
			_, err := q.SearchMeanings(t.Context(), SearchMeaningsParams{
				ProjectID: c.projectID, TenantID: c.tenants["small"], Collection: CollectionCompounding, Documents: documents,
				Levels: []PromotionLevel{PromotionLevelStandard, PromotionLevelImportant}, Terms: weighted(1, commonTerm),
				Meaning: meaningOf(7), MaxPassages: 200, MaxRows: 50,
			})
			return err
		}
	}
	filtered := func(p SearchVectorsParams, documents ...int64) SearchVectorsParams {
		p.Documents = documents
		return p
	}
	rare, rareOfLarge := c.rare(t, "small"), c.rare(t, "large")
	terms := weighted(1, commonTerm, tenthTerm)
	plain := c.words(c.tenants["small"], 100, terms, line{-1, terms, tenthTerm})
	rareWords, hybrid := plain, plain
	rareWords.Documents = rare
	hybrid.Query, hybrid.ModelID = &query, &c.modelID
	lines := c.words(c.tenants["small"], 100, terms, line{-1, terms, tenthTerm}, line{0, weighted(1, ownTerm+7), ownTerm + 7})
	all := promotedOnly(small)
	all.Unembedded = true
	passages := together(large)
	passages.EachPassage = true
	projected := []string{chunkIndex, documentKey, chunkKey, passageKey}
	with := func(more ...string) []string { return slices.Concat(projected, more) }
	listed := []string{"document_id = ANY", documentKey, chunkKey, passageKey, vectorKey}
	facts := func(q *Queries) error {
		_, err := q.SearchFacts(t.Context(), SearchFactsParams{
			ProjectID: c.projectID, TenantID: c.tenants["small"], Collection: CollectionCompounding,
			ModelName: "model", ModelDimensions: dimensions, SampleSize: 2000, Generation: c.generation(t, "small"),
		})
		return err
	}
	allowed := func(q *Queries) error {
		_, err := q.SearchAllowed(t.Context(), c.rareParams("small"))
		return err
	}
	share := func(q *Queries) error {
		_, err := q.SearchShare(t.Context(), SearchShareParams{
			ProjectID: c.projectID, TenantID: c.tenants["large"], Collection: CollectionCompounding, Filter: `{"doc_types": {"rare": true}}`, SampleSize: 100,
		})
		return err
	}
	return []planCase{
		{"exact, small tenant", find(c.exactly(small, &query)), with(vectorKey), []string{graphScan, promotedScan, termIndex}},
		{"exact, promoted", find(c.exactly(promotedOnly(small), &query)), with(vectorKey), []string{graphScan, promotedScan, termIndex}},
		{"exact, rare doc-type", find(c.exactly(filtered(small, rare...), &query)), listed, []string{graphScan, termIndex}},
		{"exact, some documents", find(c.exactly(filtered(large, 1, 2, 3), &query)), listed, []string{graphScan, termIndex, chunkIndex}},
		{"exact, without vectors too", find(all), projected, []string{graphScan, promotedScan, termIndex}},
		{"scan", find(c.scanning(large, &query)), with(graphScan, promotedScan), []string{termIndex}},
		{"scan, promoted", find(c.scanning(promotedOnly(large), &query)), with(promotedScan), []string{graphScan, termIndex}},
		{"scan, passages", find(c.scanning(passages, &query)), with(graphScan), []string{promotedScan, termIndex}},
		{"scan, rare doc-type", find(c.scanning(filtered(together(large), rareOfLarge...), &query)), with(graphScan), []string{promotedScan, termIndex}},
		{"words", words(plain), with(termIndex), []string{graphScan, promotedScan, vectorKey}},
		{"words, rare doc-type", words(rareWords), with(termIndex), []string{graphScan, promotedScan, vectorKey}},
		{"words with a vector", words(hybrid), with(termIndex, vectorKey), []string{graphScan, promotedScan}},
		{"lines", words(lines), with(termIndex), []string{graphScan, promotedScan, vectorKey}},
		{"meanings", meanings(nil), projected, []string{graphScan, promotedScan, termIndex}},
		{"meanings, rare doc-type", meanings(rare), listed[:4], []string{graphScan, promotedScan, termIndex}},
		{"allowed documents", allowed, []string{"documents_types", chunkKey}, []string{passageKey, vectorKey, chunkIndex}},
		{"share of a filter", share, []string{chunkIndex, documentKey}, []string{passageKey, vectorKey}},
		{"facts", facts, []string{"Index Only Scan using " + chunkIndex, vectorKey, passageKey, linkIndex}, []string{graphScan}},
	}
}

// generation is that of a tenant.
func (c *corpus) generation(t *testing.T, tenant string) (generation int64) {
	t.Helper()
	must(t, c.pool.QueryRow(t.Context(), "SELECT generation FROM tenants WHERE id = $1", c.tenants[tenant]).Scan(&generation))
	return generation
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
		{"texts", func(q *Queries) error {
			query := pgvector.NewHalfVector(make([]float32, dimensions))
			_, err := q.ChunkTexts(t.Context(), ChunkTextsParams{
				Terms: weighted(1, commonTerm), Collection: CollectionCompounding, ProjectID: c.projectID,
				Query: &query, ModelID: &c.modelID, DocumentIds: []int64{1, 2, 3},
			})
			return err
		}, []string{chunkKey, passageKey, vectorKey}, nil},
		{"links", c.edges(t), []string{"document_links_pkey", "Hash Full Join"}, []string{"Seq Scan"}},
		{"relations", c.resolve(t), []string{linkIndex, "Full Join"}, []string{"Seq Scan"}},
		{"titles", func(q *Queries) error {
			return q.DocumentUpdateTitles(t.Context(), DocumentUpdateTitlesParams{
				ProjectID: c.projectID, TenantID: large, Collection: CollectionCompounding, OwnTitles: []string{"1.md", "2.md"},
			})
		}, []string{"documents_own_titles", "documents_of_files"}, []string{"Seq Scan"}},
		{"unused passages", func(q *Queries) error {
			_, err := q.CleanupUnusedPassages(t.Context(), CleanupUnusedPassagesParams{
				Collection: CollectionCompounding, ProjectID: c.projectID, Removable: []int32{small},
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

// edges reads the small tenant's links.
func (c *corpus) edges(t *testing.T) func(q *Queries) error {
	t.Helper()
	return func(q *Queries) error {
		_, err := q.LinkEdges(t.Context(), LinkEdgesParams{
			ProjectID: c.projectID, TenantID: c.tenants["small"], Collection: CollectionCompounding,
		})
		return err
	}
}

// resolve resolves the relations of a tenant.
func (c *corpus) resolve(t *testing.T) func(q *Queries) error {
	t.Helper()
	return func(q *Queries) error {
		return q.LinkResolveRelations(t.Context(), LinkResolveRelationsParams{
			ProjectID: c.projectID, TenantID: c.tenants["small"], Collection: CollectionCompounding,
		})
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

// mostLinks is more than the links of testPlansWithoutStatistics, each of which may stay as it is, and less than links times
// documents.
const mostLinks = 1000

// Statistics may know nothing of a tenant, even long after its first sync, if it
// is one of many. That must not make a search look at passages times chunks, or at links times documents.
func testPlansWithoutStatistics(t *testing.T, c *corpus, space *space) {
	t.Helper()
	c.exec(t, `INSERT INTO document_links (project_id, tenant_id, document_id, ordinal, target_path, fallback_path, relation)
		SELECT project_id, tenant_id, id, n, CASE n % 2 WHEN 1 THEN '**/' ELSE '' END || relative_path || CASE n WHEN 4 THEN '#7' ELSE '' END, '',
			CASE WHEN n > 2 THEN 'supersedes' ELSE '' END
		FROM documents, generate_series(1, 4) AS n`)
	defer c.exec(t, "DELETE FROM document_links")
	for _, test := range append(searchCases(t, c, space), planCase{name: "links", call: c.edges(t)}, planCase{name: "relations", call: c.resolve(t)}) {
		t.Run(test.name, func(t *testing.T) {
			plan := test.explain(t, c).plan
			for _, removed := range regexp.MustCompile(`Removed by Join Filter: (\d+)`).FindAllStringSubmatch(plan, -1) {
				if n, _ := strconv.Atoi(removed[1]); n > mostLinks {
					t.Errorf("the plan compares %d pairs in vain:\n%s", n, plan)
				}
			}
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
	must(t, err)
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
