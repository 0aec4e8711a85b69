package rag

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/calibration"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// facts is what a search has to know of its scope before it looks for candidates.
type facts struct {
	// version is the tenant's.
	version    int64
	model      model
	counts     passageCounts
	progress   progress
	superseded superseded
	// indexed is about how many vectors the HNSW indexes hold: that of all, and that of promoted
	// passages.
	indexed, promotedIndexed int64
	// sample is nil where words are not searched for.
	sample *sample
}

// model is the embedding model, and what its cosines mean. It has no id, 0, before it
// has made a vector, and in a search by words alone. No row has that id.
type model struct {
	id          int32
	calibration calibration.Calibration
}

// passageCounts are how many passages a scope has, by level of their documents.
type passageCounts []db.SearchPassageCountsRow

// of counts those of the levels.
func (c passageCounts) of(levels []catalog.Level) (passages int64) {
	for _, count := range c {
		if slices.Contains(levels, count.PromotionLevel) {
			passages += count.Passages
		}
	}
	return passages
}

// progress is how many of a scope's passages the model has made no vector of.
type progress struct{ passages, missing int64 }

// embedded is the part of the passages that has a vector.
func (p progress) embedded() float64 {
	if p.passages == 0 {
		return 1
	}
	return float64(p.passages-p.missing) / float64(p.passages)
}

// factReader reads the facts of a scope in as many round trips as it takes: one if all
// that is remembered still holds.
type factReader struct {
	memory *memory
	scope  catalog.Scope
	// docTypes are those of the documents that are counted; nil for all.
	docTypes []string
	// model makes the vectors; nil in a search by words alone.
	model *ollama.Model
	// words says that document frequencies are wanted.
	words bool

	known   scopeFacts
	version *db.TenantVersionRow
	// These were read by this search.
	modelRead, countsRead, progressRead, supersededRead, sizesRead, sampleRead bool
}

// readFacts returns the facts for a query. of is nil in a search by words alone.
func (s *Searcher) readFacts(
	ctx context.Context, scope catalog.Scope, docTypes []string, of *ollama.Model, words bool,
) (facts, error) {
	r := &factReader{memory: s.memory, scope: scope, docTypes: docTypes, model: of, words: words}
	r.known, _ = s.memory.scopes.Get(r.key())
	for {
		queries := r.queries(ctx)
		if len(queries) == 0 {
			r.remember()
			return r.known.facts, nil
		}
		if err := s.db.Pipeline(ctx, "read the state of the index", queries...); err != nil {
			return facts{}, err
		}
	}
}

func (r *factReader) key() scopeKey {
	key := scopeKey{tenant: r.scope.Tenant.ID, collection: r.scope.Collection, docTypes: strings.Join(r.docTypes, "\x00")}
	if r.model != nil {
		key.model = *r.model
	}
	return key
}

// queries returns those that can be made next. What is remembered is taken to hold
// until the tenant's version is known.
func (r *factReader) queries(ctx context.Context) []func(q *db.Queries) error {
	var queries []func(q *db.Queries) error
	want := func(read func(context.Context, *db.Queries) error) {
		queries = append(queries, func(q *db.Queries) error { return read(ctx, q) })
	}
	if r.version == nil {
		want(r.readVersion)
	}
	changed := r.version != nil && r.version.Version != r.known.version
	if !r.countsRead && (r.known.counts == nil || changed) {
		want(r.readCounts)
	}
	if r.scope.Collection == catalog.Compounding && !r.supersededRead && (r.known.superseded.by == nil || changed) {
		want(r.readSuperseded) // only a project's own documents replace others
	}
	if r.words && r.wantsSample() {
		want(r.readSample)
	}
	switch {
	case r.model == nil:
	case r.wantsModel():
		want(r.readModel)
	case r.wantsProgress(changed):
		want(r.readProgress)
	}
	if r.model != nil && !r.sizesRead && time.Since(r.known.sizesOf) > resizeAfter {
		queries = append(queries, r.readSizes(ctx)...)
	}
	return queries
}

func (r *factReader) readVersion(ctx context.Context, q *db.Queries) error {
	tenant := r.scope.Tenant
	version, err := q.TenantVersion(ctx, db.TenantVersionParams{
		ProjectID: tenant.ProjectID, ID: tenant.ID, Generation: tenant.Generation,
	})
	switch {
	case db.IsNoRows(err):
		return db.ErrTenantGone
	case err != nil:
		return err
	}
	r.version = &version
	return nil
}

// wantsModel reports whether the model has to be looked up. It has no row before its
// first vector, and no calibration for a moment longer.
func (r *factReader) wantsModel() bool {
	if r.modelRead {
		return false
	}
	known, ok := r.memory.models.Get(*r.model)
	if ok {
		r.known.model = known
	}
	return !ok
}

func (r *factReader) readModel(ctx context.Context, q *db.Queries) error {
	row, err := q.EmbeddingModelMeaning(ctx, db.EmbeddingModelMeaningParams{
		Name: r.model.Name, Digest: r.model.Digest,
		Dimensions: int32(r.model.Dimensions), PromptVersion: int32(r.model.PromptVersion),
	})
	if err != nil && !db.IsNoRows(err) {
		return err
	}
	r.modelRead, r.known.model = true, model{id: row.ID}
	if row.OwnFirst != nil {
		r.known.model.calibration = calibration.Calibration{
			Matched: *row.Matched, Unmatched: *row.Unmatched, Variance: *row.Variance, OwnFirst: *row.OwnFirst,
		}
		r.memory.models.Add(*r.model, r.known.model) // the row will not change
	}
	return nil
}

func (r *factReader) readCounts(ctx context.Context, q *db.Queries) error {
	rows, err := q.SearchPassageCounts(ctx, db.SearchPassageCountsParams{
		ProjectID: r.scope.Tenant.ProjectID, TenantID: r.scope.Tenant.ID, Collection: r.scope.Collection,
		DocTypes: r.docTypes,
	})
	if err == nil {
		r.countsRead, r.known.counts = true, rows
	}
	return err
}

func (r *factReader) wantsProgress(changed bool) bool {
	switch {
	case r.progressRead:
		return false
	case r.known.progressOf.IsZero():
		return true
	case r.known.progress.missing == 0:
		return changed
	default:
		return time.Since(r.known.progressOf) > time.Duration(r.known.progress.passages)*recountAfter
	}
}

func (r *factReader) readProgress(ctx context.Context, q *db.Queries) error {
	row, err := q.EmbeddingProgress(ctx, db.EmbeddingProgressParams{
		Collection: r.scope.Collection, ProjectID: r.scope.Tenant.ProjectID, ModelID: r.known.model.id, TenantID: r.scope.Tenant.ID,
	})
	if err == nil {
		r.progressRead, r.known.progress, r.known.progressOf = true, progress{row.Chunks, row.Missing}, time.Now()
	}
	return err
}

func (r *factReader) readSuperseded(ctx context.Context, q *db.Queries) error {
	rows, err := q.LinkSuperseded(ctx, db.LinkSupersededParams{
		ProjectID: r.scope.Tenant.ProjectID, TenantID: r.scope.Tenant.ID, Collection: r.scope.Collection,
	})
	if err != nil {
		return err
	}
	later := make(map[string][]string, len(rows))
	for _, row := range rows {
		later[row.Path] = append(later[row.Path], row.SupersededBy)
	}
	r.supersededRead, r.known.superseded = true, newSuperseded(later)
	return nil
}

func (r *factReader) readSizes(ctx context.Context) []func(q *db.Queries) error {
	read := func(into *int64, promoted bool) func(q *db.Queries) error {
		return func(q *db.Queries) error {
			vectors, err := q.EmbeddingEstimate(ctx, db.EmbeddingEstimateParams{
				ProjectID: r.scope.Tenant.ProjectID, Collection: r.scope.Collection, Promoted: promoted,
			})
			if err == nil {
				*into, r.sizesRead, r.known.sizesOf = vectors, true, time.Now()
			}
			return err
		}
	}
	return []func(q *db.Queries) error{read(&r.known.indexed, false), read(&r.known.promotedIndexed, true)}
}

func (r *factReader) wantsSample() bool {
	if r.sampleRead {
		return false
	}
	known, ok := r.memory.samples.Get(newSampleKey(r.scope))
	r.known.sample = known
	return !ok || r.version != nil && !known.fresh(r.version.ProjectVersion)
}

func (r *factReader) readSample(ctx context.Context, q *db.Queries) error {
	sample, err := readSample(ctx, q, newSampleKey(r.scope))
	if err == nil {
		r.sampleRead, r.known.sample = true, sample
	}
	return err
}

// remember keeps what this search has read for the next one.
func (r *factReader) remember() {
	if r.sampleRead {
		r.known.sample.version = r.version.ProjectVersion
		r.memory.samples.Add(newSampleKey(r.scope), r.known.sample)
	}
	r.known.version = r.version.Version
	kept := r.known
	kept.sample = nil
	r.memory.scopes.Add(r.key(), kept)
}
