package rag

import (
	"context"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// memory caches facts of the index for searches. Safe for concurrent use.
type memory struct {
	planner  *planner
	models   modelIDs
	samples  *lru.Cache[sampleKey, *sample]
	progress *lru.Cache[vectorsKey, progress]
	// superseded says which documents others replace.
	superseded *lru.Cache[supersededKey, superseded]
	// handbook is the id of the handbook's project, and 0 until it is known.
	handbook atomic.Int32
}

func newMemory() *memory {
	const maxScopes = 1000
	return &memory{
		planner: newPlanner(), models: newModelIDs(),
		samples: newCache[sampleKey, *sample](maxSamples), progress: newCache[vectorsKey, progress](maxScopes),
		superseded: newCache[supersededKey, superseded](maxScopes),
	}
}

// progressAge is how long an incomplete progress is kept, for each passage counted:
// some hundred times as long as counting it takes.
const progressAge = 200 * time.Microsecond

// vectorsKey names the vectors of a scope that a model has made.
type vectorsKey struct {
	tenant     int32
	collection Collection
	model      int32
}

// progress is how many of a scope's passages have a vector.
type progress struct {
	chunks, missing int64
	// version is the tenant's of which this is known. While vectors are missing it
	// holds for any until a time, since counting takes longer the more there are.
	version int64
	until   time.Time
}

func (p progress) fresh(version int64) bool {
	if p.missing == 0 {
		return p.version == version
	}
	return time.Now().Before(p.until)
}

// embedded is the part of the passages that has a vector.
func (p progress) embedded() float64 {
	if p.chunks == 0 {
		return 1
	}
	return float64(p.chunks-p.missing) / float64(p.chunks)
}

// state holds the facts of its scope that a search begins with. It is read in
// as many pipelines as it takes, which is one when the rest is remembered.
type state struct {
	memory *memory
	scope  Scope
	// model is that of the vectors, and nil for a search by words alone.
	model *ollama.Model
	// words says that document frequencies are wanted.
	words bool
	plans []*planning

	version    *db.TenantVersionRow
	modelID    *int32
	progress   progress
	sample     *sample
	superseded superseded
	// These say what was read in this search.
	counted, sampled, supersededRead bool
}

// readState fills the state.
func (s *Searcher) readState(ctx context.Context, state *state) error {
	for {
		reads := state.reads(ctx)
		if len(reads) == 0 {
			state.remember()
			return nil
		}
		if err := s.db.Pipeline(ctx, "read the state of the index", reads...); err != nil {
			return err
		}
	}
}

// reads returns the queries that can be made next. What is remembered is taken to
// hold until the tenant's version is known.
func (s *state) reads(ctx context.Context) []func(q *db.Queries) error {
	var reads []func(q *db.Queries) error
	want := func(read func(context.Context, *db.Queries) error) {
		reads = append(reads, func(q *db.Queries) error { return read(ctx, q) })
	}
	if s.version == nil {
		want(s.readVersion)
	}
	if s.wantsSuperseded() {
		want(s.readSuperseded)
	}
	if s.words && s.wantsSample() {
		want(s.readSample)
	}
	if s.model != nil {
		if id, ok := s.memory.models.known.Get(*s.model); ok {
			s.modelID = &id
		}
		switch {
		case s.modelID == nil:
			want(s.readModel)
		case s.wantsProgress():
			want(s.readProgress)
		}
		for _, plan := range s.plans {
			reads = append(reads, plan.reads(ctx)...)
		}
	}
	return reads
}

func (s *state) readVersion(ctx context.Context, q *db.Queries) error {
	versions, err := readVersion(ctx, q, s.scope.Tenant)
	if err == nil {
		s.version = &versions
	}
	return err
}

// readVersion returns how often the tenant and its project have changed. It fails with
// [db.ErrTenantGone] for a tenant that was deleted.
func readVersion(ctx context.Context, q *db.Queries, tenant *Tenant) (db.TenantVersionRow, error) {
	versions, err := q.TenantVersion(ctx, db.TenantVersionParams{
		ProjectID: tenant.ProjectID, ID: tenant.ID, Generation: tenant.Generation,
	})
	if db.IsNoRows(err) {
		err = db.ErrTenantGone
	}
	return versions, err
}

func (s *state) wantsSample() bool {
	if s.sampled {
		return false
	}
	known, ok := s.memory.samples.Get(s.scope.sampleKey())
	s.sample = known
	return !ok || s.version != nil && !known.fresh(s.version.ProjectVersion)
}

func (s *state) readSample(ctx context.Context, q *db.Queries) error {
	sample, err := readSample(ctx, q, s.scope.sampleKey())
	if err == nil {
		s.sample, s.sampled = sample, true
	}
	return err
}

func (s *state) readModel(ctx context.Context, q *db.Queries) error {
	id, err := s.memory.models.read(ctx, q, *s.model)
	if err == nil {
		s.modelID = &id
	}
	return err
}

func (s *state) vectorsKey() vectorsKey {
	return vectorsKey{s.scope.Tenant.ID, s.scope.Collection, *s.modelID}
}

func (s *state) wantsProgress() bool {
	if s.counted {
		return false
	}
	known, ok := s.memory.progress.Get(s.vectorsKey())
	if ok {
		s.progress = known
	}
	return !ok || s.version != nil && !known.fresh(s.version.Version)
}

func (s *state) readProgress(ctx context.Context, q *db.Queries) error {
	row, err := q.EmbeddingProgress(ctx, db.EmbeddingProgressParams{
		Collection: s.scope.Collection, ProjectID: s.scope.Tenant.ProjectID, ModelID: *s.modelID, TenantID: s.scope.Tenant.ID,
	})
	if err == nil {
		s.progress, s.counted = progress{chunks: row.Chunks, missing: row.Missing}, true
	}
	return err
}

// remember keeps what this search has read for the next one.
func (s *state) remember() {
	if s.sampled {
		s.sample.version = s.version.ProjectVersion
		s.memory.samples.Add(s.scope.sampleKey(), s.sample)
	}
	if s.supersededRead {
		s.superseded.version = s.version.Version
		s.memory.superseded.Add(s.scope.supersededKey(), s.superseded)
	}
	if s.counted {
		s.progress.version = s.version.Version
		s.progress.until = time.Now().Add(time.Duration(s.progress.chunks) * progressAge)
		s.memory.progress.Add(s.vectorsKey(), s.progress)
	}
}
