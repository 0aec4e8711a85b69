package rag

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/calibration"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/model"
)

// facts is what a search must know of a scope before it looks for candidates.
type facts struct {
	version int64 // of the tenant
	// modelID is 0 before the model has made a vector, and in a search by words alone.
	// calibration says what its cosines mean.
	modelID     int32
	calibration calibration.Calibration
	superseded  catalog.Superseded

	// The counts of passages may be a little older. missing passages have no vector of the
	// model. graph and promotedGraph are about how many vectors the two HNSW indexes hold.
	counts               passageCounts
	missing              int64
	graph, promotedGraph int64
	// countedModel is nil if the counts were read in a search by words alone.
	countedModel   *model.Model
	countedAt      time.Time
	countedVersion int64

	sample *sample
	// changedAt is when a search first saw that documents have changed since the counts were
	// read, and sampleChangedAt since the sample was read. Zero means unchanged. patience
	// spreads the servers that see a change at the same time.
	changedAt, sampleChangedAt time.Time
	patience                   float64
	// confirmed says that nothing had changed when the facts were last read.
	confirmed bool
}

// passageCounts are numbers of passages by the level of their documents.
type passageCounts db.SearchCountsRow

// at counts the passages of documents of the levels.
func (c passageCounts) at(levels []catalog.Level) (passages int64) {
	of := map[catalog.Level]int64{catalog.Standard: c.Standard, catalog.Important: c.Important, catalog.Critical: c.Critical}
	for _, level := range levels {
		passages += of[level]
	}
	return passages
}

// passages counts all passages.
func (k facts) passages() int64 { return k.counts.at(catalog.Levels()) }

// embedded is the part of the passages that has a vector.
func (k facts) embedded() float64 {
	if k.passages() == 0 {
		return 1
	}
	return float64(k.passages()-k.missing) / float64(k.passages())
}

const (
	// Counts and samples of minKept passages or more are kept for a while, give or take a half,
	// although documents change. Reading them takes longer than a search, and all servers see
	// a change at once. Frequencies of terms change slowly.
	minKept          = 500
	staleAfter       = 10 * time.Second
	sampleStaleAfter = time.Minute
	// recountAfter, for each passage, is how long counts are kept while vectors are made. It is
	// some hundred times as long as counting takes.
	recountAfter = 500 * time.Microsecond
	// resizeAfter is how long they are kept although nothing changes: the sizes of the
	// indexes come from statistics.
	resizeAfter = time.Minute
	// maxFacts is how many scopes are remembered. The sample of one takes a megabyte or two.
	maxFacts = 16
)

// factsKey names a scope. A tenant of a database that was made again has another generation.
type factsKey struct {
	tenant     int32
	generation int64
	collection catalog.Collection
}

func keyOf(scope catalog.Scope) factsKey {
	return factsKey{scope.Tenant.ID, scope.Tenant.Generation, scope.Collection}
}

// readFacts returns the facts of a scope. It reads again what has changed since the known ones were
// read. model is nil in a search by words alone.
func (s *Searcher) readFacts(ctx context.Context, scope catalog.Scope, model *model.Model, known facts) (facts, error) {
	params := known.params(scope, model)
	row, err := db.ReadOne(ctx, s.db, "read the state of the index", (*db.Queries).SearchFacts, params)
	switch {
	case db.IsNoRows(err):
		return facts{}, db.ErrTenantGone
	case err != nil:
		return facts{}, err
	}
	if known, err = known.with(row, params, model); err != nil {
		return facts{}, err
	}
	s.known.Add(keyOf(scope), known)
	return known, nil
}

// counted reports whether the counts are of the model, nil for any.
func (k facts) counted(model *model.Model) bool {
	return model == nil || k.countedModel != nil && *k.countedModel == *model
}

// params asks for the parts that are unknown or have changed. An unknown part has version 0,
// which no tenant has.
func (k facts) params(scope catalog.Scope, model *model.Model) db.SearchFactsParams {
	age := time.Since(k.countedAt)
	stale := func(changedAt time.Time, after time.Duration) bool {
		return !changedAt.IsZero() && time.Since(changedAt).Seconds() > k.patience*after.Seconds()
	}
	params := db.SearchFactsParams{
		ProjectID: scope.Tenant.ProjectID, TenantID: scope.Tenant.ID, Generation: scope.Tenant.Generation,
		Collection: scope.Collection, ReplacedVersion: k.version, CountsVersion: k.countedVersion,
		KeepCounts: k.passages() >= minKept && !stale(k.changedAt, staleAfter), SampleSize: sampleSize,
	}
	embedding := model != nil && k.missing > 0 && age > time.Duration(k.passages())*recountAfter
	if !k.counted(model) || embedding || age > resizeAfter {
		params.CountsVersion, params.KeepCounts = 0, false
	}
	if k.sample != nil {
		params.SampleVersion = k.sample.version
		params.KeepSample = k.sample.size >= minKept && !stale(k.sampleChangedAt, sampleStaleAfter)
	}
	if model != nil {
		params.ModelName, params.ModelDigest = model.Name, model.Digest
		params.ModelDimensions, params.ModelPromptVersion = int32(model.Dimensions), int32(model.PromptVersion)
	}
	return params
}

// with returns the facts with what was read.
func (k facts) with(row db.SearchFactsRow, params db.SearchFactsParams, model *model.Model) (_ facts, err error) {
	before := k
	if row.Version != params.ReplacedVersion {
		later := make(map[string][]string, len(row.Replaced))
		for i, path := range row.Replaced {
			later[path] = append(later[path], row.Replacing[i])
		}
		k.version, k.superseded = row.Version, catalog.NewSuperseded(later)
	}
	if row.Version != params.CountsVersion && !params.KeepCounts {
		k.counts = passageCounts{Standard: row.Standard, Important: row.Important, Critical: row.Critical}
		k.missing, k.graph, k.promotedGraph = row.Missing, row.Graph, row.PromotedGraph
		k.countedModel, k.countedAt, k.countedVersion = model, time.Now(), row.Version
	}
	if row.ProjectVersion != params.SampleVersion && !params.KeepSample {
		if k.sample, err = newSample(row); err != nil {
			return facts{}, err
		}
	}
	k.changedAt = changeTime(k.changedAt, row.Version != k.countedVersion)
	k.sampleChangedAt = changeTime(k.sampleChangedAt, row.ProjectVersion != k.sample.version)
	k.patience = cmp.Or(k.patience, .5+rand.Float64()) //nolint:gosec // it guards no secret
	k.sample = k.sample.at(row.ProjectVersion)
	k.modelID, k.calibration = row.ModelID, calibration.Calibration{}
	if row.OwnFirst != nil {
		k.calibration = calibration.Calibration{
			Matched: *row.Matched, Unmatched: *row.Unmatched, Variance: *row.Variance, OwnFirst: *row.OwnFirst,
		}
	}
	k.confirmed = k.version == before.version && k.countedAt.Equal(before.countedAt) && k.sample.equals(before.sample) &&
		k.modelID == before.modelID && k.calibration == before.calibration
	return k, nil
}

// changeTime is when a change was first seen, zero without one.
func changeTime(known time.Time, changed bool) time.Time {
	switch {
	case !changed:
		return time.Time{}
	case known.IsZero():
		return time.Now()
	default:
		return known
	}
}
