package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgvector/pgvector-go"
	pgxvec "github.com/pgvector/pgvector-go/pgx"
	"golang.org/x/sync/errgroup"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// searchIndex is a database filled with synthetic passages by COPY, without files
// and without an embedding, so that its size may be that of a large team.
type searchIndex struct {
	*environment
	*database

	models   *embedder
	index    *index.Index
	searcher *rag.Searcher
	random   *rand.Rand
	// passages there are, in all tenants.
	passages int
}

// clusters is how many subjects all texts together are about.
const clusters = 400

// subjects is how many of them one project is about.
const subjects = 20

// newSearchIndex makes an empty one, which is dropped at the end.
func (b *bench) newSearchIndex(ctx context.Context, seed uint64) *searchIndex {
	d := b.newDatabase(ctx)
	models := &embedder{space: newSpace(clusters, 3), queries: map[string][]float32{}}
	return &searchIndex{
		environment: b.environment, database: d, random: newRandom(seed, 0), models: models,
		index:    index.New(d.Database, models, b.logger),
		searcher: rag.NewSearcher(d.Database, models),
	}
}

// fill adds tenants of a project, one of each size, to records.
func (x *searchIndex) fill(ctx context.Context, project string, sizes []int, records *[]record) []*searchTenant {
	tenants := make([]*searchTenant, len(sizes))
	for i, size := range sizes {
		tenants[i] = x.newTenant(ctx, project, fmt.Sprintf("size-%d", size))
		*records = append(*records, x.grow(tenants[i], size)...)
	}
	return tenants
}

// searchTenant is one of its tenants.
type searchTenant struct {
	*catalog.Tenant

	// subjects are the clusters that its documents are of.
	subjects []int
	records  []record
}

// scope of its searches.
func (t *searchTenant) scope() catalog.Scope {
	return catalog.Scope{Tenant: t.Tenant, Collection: catalog.Compounding}
}

// newTenant registers a tenant that has no document yet.
func (x *searchIndex) newTenant(ctx context.Context, project, branch string) *searchTenant {
	key := catalog.TenantKey{Project: project, Branch: branch, PathHash: "0123456789abcdef"}
	t := &searchTenant{
		Tenant: get(x.index.Tenant(ctx, key, "/"+project)), subjects: x.random.Perm(clusters)[:subjects],
	}
	check(x.index.Queue(t.Tenant, catalog.Compounding).Drain(ctx, nil)) // registers the model
	return t
}

// heading is that of every passage.
const heading = "A document"

// record is a document of one passage.
type record struct {
	tenant  *searchTenant
	id      int64
	hash    uuid.UUID
	docType string
	level   catalog.Level
	point   point
}

// text of the passage, made again when it is asked for.
func (r record) text() string {
	random := newRandom(11, int(r.id))
	return sentence(random, 60+random.IntN(200))
}

// Of the documents, one in a hundred is rare in each respect, and one in ten
// uncommon or rare. The two do not depend on each other, nor on the subject.
const (
	rareShare, uncommonShare       = 0.01, 0.1
	rareType, uncommonType, common = "tool", "insight", "problem"
)

// grow adds documents to a tenant, in memory; load writes them.
func (x *searchIndex) grow(t *searchTenant, documents int) []record {
	records := make([]record, documents)
	for i := range records {
		x.passages++
		r := record{
			tenant: t, id: int64(x.passages), docType: common, level: catalog.Standard,
			point: x.models.space.near(x.random, t.subjects[x.random.IntN(len(t.subjects))]),
		}
		r.hash = catalog.PassageHash(heading, r.text())
		switch share := x.random.Float64(); {
		case share < rareShare:
			r.docType = rareType
		case share < uncommonShare:
			r.docType = uncommonType
		}
		switch share := x.random.Float64(); {
		case share < rareShare:
			r.level = catalog.Critical
		case share < uncommonShare:
			r.level = catalog.Important
		}
		records[i] = r
	}
	t.records = append(t.records, records...)
	return records
}

// load writes the documents and brings the HNSW indexes up to date.
func (x *searchIndex) load(ctx context.Context, records []record) {
	began := time.Now()
	var copied time.Duration
	x.withoutHNSW(ctx, func() {
		const writers = 2
		group, groupCtx := errgroup.WithContext(ctx)
		for i := range writers {
			part := records[i*len(records)/writers : (i+1)*len(records)/writers]
			group.Go(func() error { return x.copy(groupCtx, part) })
		}
		check(group.Wait())
		copied = time.Since(began)
	})
	x.settle(ctx)
	// The model is measured once there are passages; until then, searches go by words.
	check(x.index.Queue(records[0].tenant.Tenant, catalog.Compounding).Drain(ctx, nil))
	x.say("loaded %d passages in %.0f s, %d now; index made in %.0f s",
		len(records), copied.Seconds(), x.passages, (time.Since(began) - copied).Seconds())
}

// copied is a table to which records are copied.
type copied struct {
	name    string
	columns []string
	row     func(r record) []any
}

func (x *searchIndex) tables() []copied {
	when := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var hash [32]byte
	return []copied{
		{
			"documents",
			[]string{
				"project_id", "tenant_id", "id", "collection", "relative_path", "title", "summary", "doc_type", "doc_date",
				"promotion_level", "content_hash", "schema_hash", "char_count", "file_size",
				"file_mtime", "file_ctime", "file_inode", "chunk_count",
			},
			func(r record) []any {
				return []any{
					r.tenant.ProjectID, r.tenant.ID, r.id, catalog.Compounding, documentPath(r.id), heading, "What it says", r.docType,
					"2026-01-02", r.level,
					hash[:], "", 1500, 1500, when, when, 0, 0,
				}
			},
		},
		{
			"document_chunks",
			[]string{
				"project_id", "tenant_id", "document_id", "collection", "ordinal", "start_line", "end_line", "promotion_level",
				"passage_hash", "header_path",
			},
			func(r record) []any {
				return []any{
					r.tenant.ProjectID, r.tenant.ID, r.id, catalog.Compounding, int32(0), int32(1), int32(20), r.level, r.hash, "",
				}
			},
		},
		{
			"passages",
			[]string{"collection", "project_id", "hash", "heading", "content", "terms", "lexical", "promoted"},
			func(r record) []any {
				text := r.text()
				hashes, weights := terms.Document(r.tenant.ProjectID, heading, text)
				return []any{
					catalog.Compounding, r.tenant.ProjectID, r.hash, heading, text, hashes, sparse(hashes, weights),
					r.level != catalog.Standard,
				}
			},
		},
		{
			"embeddings",
			[]string{"collection", "project_id", "model_id", "hash", "embedding", "promoted"},
			func(r record) []any {
				vector := pgvector.NewHalfVector(x.models.space.vector(newRandom(9, int(r.id)), r.point))
				return []any{catalog.Compounding, r.tenant.ProjectID, int32(1), r.hash, vector, r.level != catalog.Standard}
			},
		},
	}
}

func (x *searchIndex) copy(ctx context.Context, records []record) error {
	if len(records) == 0 {
		return nil
	}
	return x.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		if err := pgxvec.RegisterTypes(ctx, conn.Conn()); err != nil {
			return fmt.Errorf("register the types of vectors: %w", err)
		}
		for _, table := range x.tables() {
			source := pgx.CopyFromSlice(len(records), func(i int) ([]any, error) { return table.row(records[i]), nil })
			if _, err := conn.Conn().CopyFrom(ctx, pgx.Identifier{table.name}, table.columns, source); err != nil {
				return fmt.Errorf("copy %s: %w", table.name, err)
			}
		}
		return nil
	})
}

func sparse(hashes []int32, weights []float32) pgvector.SparseVector {
	elements := make(map[int32]float32, len(hashes))
	for i, hash := range hashes {
		elements[hash-1] = weights[i] // pgvector-go counts from 0
	}
	return pgvector.NewSparseVectorFromMap(elements, terms.Dimensions)
}

func documentPath(id int64) string {
	return fmt.Sprintf("csharp-compounding-docs/problems/doc-%d.md", id)
}

// question is a query whose vector is known.
type question struct {
	text   string
	vector pgvector.HalfVector
	// strange is set if it may be about a subject that the tenant does not have.
	strange bool
}

// questions are words of a document of the tenant, with a vector near it; one of five
// is about a subject that may not be the tenant's.
func (x *searchIndex) questions(t *searchTenant, count int) []question {
	questions := make([]question, count)
	for i := range questions {
		r := t.records[x.random.IntN(len(t.records))]
		of, text := r.point, someWords(x.random, r.text())
		strange := i%5 == 4
		if strange {
			of, text = x.models.space.near(x.random, x.random.IntN(clusters)), sentence(x.random, 6)
		}
		vector := x.models.space.vector(x.random, about(x.random, of))
		for x.models.queries[text] != nil {
			text += " " + word(x.random)
		}
		x.models.queries[text] = vector
		questions[i] = question{text: text, vector: pgvector.NewHalfVector(vector), strange: strange}
	}
	return questions
}

// search asks one question.
func (x *searchIndex) search(ctx context.Context, t *searchTenant, mode rag.Mode, q question) {
	get(x.searcher.Search(ctx, t.scope(), rag.Query{Text: q.text, Mode: mode, Limit: searchLimit}))
}

// time asks every question, twice, and returns what the second time took.
func (x *searchIndex) time(ctx context.Context, t *searchTenant, questions []question) []time.Duration {
	took := make([]time.Duration, 0, len(questions))
	for pass := range 2 {
		for _, q := range questions {
			began := time.Now()
			x.search(ctx, t, rag.Hybrid, q)
			if pass == 1 {
				took = append(took, time.Since(began))
			}
		}
	}
	return took
}
