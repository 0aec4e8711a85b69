package rag

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/calibration"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/model"
)

// facts is what a search has to know of its scope before it looks for candidates. What is
// nil or of no time is not known.
type facts struct {
	// version is the tenant's.
	version    int64
	model      measuredModel
	counts     passageCounts
	progress   progress
	superseded catalog.Superseded
	// indexed is about how many vectors the HNSW indexes hold: that of all, and that of promoted
	// passages.
	indexed, promotedIndexed int64
	// progressOf and sizesOf are when the progress and the sizes of the indexes were read.
	progressOf, sizesOf time.Time
	// sample is nil where words are not searched for.
	sample *sample
}

// measuredModel is the embedding model, and what its cosines mean. It has no id, 0, before it
// has made a vector, and in a search by words alone. No row has that id.
type measuredModel struct {
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
	model *model.Model
	// words says that document frequencies are wanted.
	words bool

	// known is what was remembered and what was read: the model too if modelKnown is set.
	known                  facts
	remembered, modelKnown bool
	version                *db.TenantVersionRow
}

// readFacts returns the facts for a query. of is nil in a search by words alone.
func (s *Searcher) readFacts(
	ctx context.Context, scope catalog.Scope, docTypes []string, of *model.Model, words bool,
) (facts, error) {
	r := &factReader{memory: s.memory, scope: scope, docTypes: docTypes, model: of, words: words}
	r.recall()
	for {
		queries := r.queries(ctx)
		if len(queries) == 0 {
			r.known.version = r.version.Version
			kept := r.known
			kept.sample = nil
			r.memory.scopes.Add(r.key(), kept)
			return r.known, nil
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

// recall takes what earlier searches have read, and is not too old.
func (r *factReader) recall() {
	r.known, r.remembered = r.memory.scopes.Get(r.key())
	if r.model != nil {
		r.known.model, r.modelKnown = r.memory.models.Get(*r.model)
	}
	if r.words {
		r.known.sample, _ = r.memory.samples.Get(newSampleKey(r.scope))
	}
	if p := r.known.progress; p.missing > 0 && time.Since(r.known.progressOf) > time.Duration(p.passages)*recountAfter {
		r.known.progressOf = time.Time{}
	}
	if time.Since(r.known.sizesOf) > resizeAfter {
		r.known.sizesOf = time.Time{}
	}
}

// queries returns those that can be made next. What is remembered is taken to hold
// until the tenant's version is known.
func (r *factReader) queries(ctx context.Context) []func(q *db.Queries) error {
	var queries []func(q *db.Queries) error
	want := func(wanted bool, read func(context.Context, *db.Queries) error) {
		if wanted {
			queries = append(queries, func(q *db.Queries) error { return read(ctx, q) })
		}
	}
	want(r.version == nil, r.readVersion) // first: it drops what does not hold any more
	want(r.known.counts == nil, r.readCounts)
	// Only a project's own documents replace others.
	want(r.scope.Collection == catalog.Compounding && r.known.superseded.By == nil, r.readSuperseded)
	want(r.words && r.known.sample == nil, r.readSample)
	want(r.model != nil && !r.modelKnown, r.readModel)
	want(r.model != nil && r.modelKnown && r.known.progressOf.IsZero(), r.readProgress)
	sizes := r.model != nil && r.known.sizesOf.IsZero()
	want(sizes, r.readSize(&r.known.indexed, false))
	want(sizes, r.readSize(&r.known.promotedIndexed, true))
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
	if r.remembered && version.Version != r.known.version {
		r.known.counts, r.known.superseded = nil, catalog.Superseded{}
		if r.known.progress.missing == 0 {
			r.known.progressOf = time.Time{}
		}
	}
	if r.known.sample != nil && !r.known.sample.fresh(version.ProjectVersion) {
		r.known.sample = nil
	}
	return nil
}

// readModel looks the model up. It has no row before its first vector, and no calibration
// for a moment longer.
func (r *factReader) readModel(ctx context.Context, q *db.Queries) error {
	row, err := q.EmbeddingModelFind(ctx, db.EmbeddingModelFindParams{
		Name: r.model.Name, Digest: r.model.Digest,
		Dimensions: int32(r.model.Dimensions), PromptVersion: int32(r.model.PromptVersion),
	})
	if err != nil && !db.IsNoRows(err) {
		return err
	}
	r.modelKnown, r.known.model = true, measuredModel{id: row.ID}
	if row.OwnFirst != nil {
		r.known.model.calibration = calibration.Calibration{
			Matched: *row.Matched, Unmatched: *row.Unmatched, Variance: *row.Variance, OwnFirst: *row.OwnFirst,
		}
		r.memory.models.Add(*r.model, r.known.model) // the row will not change
	}
	return nil
}

func (r *factReader) readCounts(ctx context.Context, q *db.Queries) (err error) {
	r.known.counts, err = q.SearchPassageCounts(ctx, db.SearchPassageCountsParams{
		ProjectID: r.scope.Tenant.ProjectID, TenantID: r.scope.Tenant.ID, Collection: r.scope.Collection,
		DocTypes: r.docTypes,
	})
	return err
}

func (r *factReader) readProgress(ctx context.Context, q *db.Queries) error {
	row, err := q.EmbeddingProgress(ctx, db.EmbeddingProgressParams{
		Collection: r.scope.Collection, ProjectID: r.scope.Tenant.ProjectID, ModelID: r.known.model.id, TenantID: r.scope.Tenant.ID,
	})
	r.known.progress, r.known.progressOf = progress{row.Chunks, row.Missing}, time.Now()
	return err
}

func (r *factReader) readSuperseded(ctx context.Context, q *db.Queries) error {
	rows, err := q.LinkSuperseded(ctx, db.LinkSupersededParams{
		ProjectID: r.scope.Tenant.ProjectID, TenantID: r.scope.Tenant.ID, Collection: r.scope.Collection,
	})
	later := make(map[string][]string, len(rows))
	for _, row := range rows {
		later[row.Path] = append(later[row.Path], row.SupersededBy)
	}
	r.known.superseded = catalog.NewSuperseded(later)
	return err
}

func (r *factReader) readSize(size *int64, promoted bool) func(context.Context, *db.Queries) error {
	return func(ctx context.Context, q *db.Queries) (err error) {
		*size, err = q.EmbeddingEstimate(ctx, db.EmbeddingEstimateParams{
			ProjectID: r.scope.Tenant.ProjectID, Collection: r.scope.Collection, Promoted: promoted,
		})
		r.known.sizesOf = time.Now()
		return err
	}
}

func (r *factReader) readSample(ctx context.Context, q *db.Queries) error {
	key := newSampleKey(r.scope)
	rows, err := q.PassageSample(ctx, db.PassageSampleParams{
		Collection: key.collection, ProjectID: key.project, MaxPassages: sampleSize,
	})
	if err != nil {
		return err
	}
	r.known.sample = newSample(rows)
	r.known.sample.version = r.version.ProjectVersion
	r.memory.samples.Add(key, r.known.sample)
	return nil
}
