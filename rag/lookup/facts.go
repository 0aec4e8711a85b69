package lookup

import (
	"context"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/calibration"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/rank"
)

// Reader reads an index. Safe for concurrent use.
type Reader struct {
	db    *db.Database
	known *lru.Cache[factsKey, Facts]
}

// New returns a Reader. It does not connect to the database.
func New(database *db.Database) *Reader {
	known, _ := lru.New[factsKey, Facts](maxFacts) // fails only for a size below 1
	return &Reader{db: database, known: known}
}

// Facts is what a search must know of a scope before it looks for candidates.
type Facts struct {
	// Version is the tenant's version when Standings was read.
	Version int64
	// Calibration turns cosines of the model's vectors into log-odds. It is not usable before the cosines are measured.
	Calibration calibration.Calibration
	// Standings says which documents are in force ("hold").
	Standings catalog.Standings
	Sample    *rank.Sample
	// Confirmed says that the last read found the facts unchanged.
	Confirmed bool

	modelID int32 // 0 before the model has made a vector, and in a search by words alone

	counts countedPassages
	// sampleChangedAt is when a search first saw a change of documents since the sample was read, zero without a change.
	sampleChangedAt time.Time
}

// countedPassages has numbers of passages at one version of the tenant. This version may be older than other facts.
type countedPassages struct {
	version int64
	at      time.Time
	// model is the model whose vectors were counted, nil after a search by words alone.
	model   *model.Model
	byLevel passageCounts
	// missing is how many passages have no vector of the model. graph estimates how many vectors the HNSW index of all
	// passages holds. promotedGraph is for the index of the passages above the standard level.
	missing, graph, promotedGraph int64
	// changedAt is when a search first saw that documents have changed since the count. It is zero without a change.
	changedAt time.Time
}

// passageCounts has the number of passages for each level of documents.
type passageCounts struct{ Standard, Important, Critical int64 }

// at returns how many passages the documents of some levels have together.
func (c passageCounts) at(levels []catalog.Level) int64 {
	of := map[catalog.Level]int64{catalog.Standard: c.Standard, catalog.Important: c.Important, catalog.Critical: c.Critical}
	var passages int64
	for _, level := range levels {
		passages += of[level]
	}
	return passages
}

// Passages returns the number of passages in the scope.
func (k Facts) Passages() int64 { return k.counts.byLevel.at(catalog.Levels()) }

// Embedded returns the share of the passages that have a vector, and 1 if there are no passages.
func (k Facts) Embedded() float64 {
	if k.Passages() == 0 {
		return 1
	}
	return float64(k.Passages()-k.counts.missing) / float64(k.Passages())
}

const (
	// With minKept passages or more, the counts of passages and the sample of terms are kept for a while after documents
	// have changed. To read them takes longer than a search, and frequencies of terms change slowly.
	minKept          = 500
	staleAfter       = 10 * time.Second
	sampleStaleAfter = time.Minute
	// While vectors are made, counts are kept for recountAfter times the number of passages. This time is approximately a
	// hundred times as long as counting takes.
	recountAfter = 500 * time.Microsecond
	// Counts and sample are read again if the tenant has grown by more than 1/grownShare, as in a first sync. With
	// manyPassages or more, growth is not checked.
	grownShare, manyPassages = 8, 10_000
	// resizeAfter is how long counts are kept if no document changes. The sizes of the indexes, which come from
	// statistics, may still change.
	resizeAfter = time.Minute
	// maxFacts is how many scopes are remembered. The sample of a scope takes one or two megabytes.
	maxFacts = 16
)

// factsKey identifies a scope. A tenant that is registered again, as in a new database, has another generation.
type factsKey struct {
	tenant     int32
	generation int64
	collection catalog.Collection
}

func keyOf(scope catalog.Scope) factsKey {
	return factsKey{scope.Tenant.ID, scope.Tenant.Generation, scope.Collection}
}

// Known returns the facts of the last search of a scope, or the zero value before the first search.
func (r *Reader) Known(scope catalog.Scope) Facts {
	known, _ := r.known.Get(keyOf(scope))
	return known
}

// Facts returns the facts of a scope, or [db.ErrTenantGone] if the tenant was deleted. It reads only parts that may
// have changed after the facts in known were read. embedder is nil in a search by words alone.
func (r *Reader) Facts(ctx context.Context, scope catalog.Scope, embedder *model.Model, known Facts) (Facts, error) {
	params := known.params(scope, embedder)
	row, err := db.ReadOne(ctx, r.db, "read the state of the index", (*db.Queries).SearchFacts, params)
	if db.IsNoRows(err) {
		return Facts{}, db.ErrTenantGone
	}
	if err != nil {
		return Facts{}, err
	}
	facts, err := known.with(row, params, embedder)
	if err != nil {
		return Facts{}, err
	}
	r.known.Add(keyOf(scope), facts)
	return facts, nil
}

// IsOf reports whether the counts are about the vectors of a model. For nil it returns true.
func (k Facts) IsOf(embedder *model.Model) bool {
	return embedder == nil || k.counts.model != nil && *k.counts.model == *embedder
}

// params returns parameters that ask only for parts that are unknown or have changed. An unknown part has version 0,
// which no tenant has.
func (k Facts) params(scope catalog.Scope, embedder *model.Model) db.SearchFactsParams {
	age := time.Since(k.counts.at)
	stale := func(changedAt time.Time, after time.Duration) bool {
		return !changedAt.IsZero() && time.Since(changedAt) > after
	}
	params := db.SearchFactsParams{
		ProjectID: scope.Tenant.ProjectID, TenantID: scope.Tenant.ID, Generation: scope.Tenant.Generation,
		Collection: scope.Collection, StandingsVersion: k.Version, CountsVersion: k.counts.version,
		KeepCounts: k.Passages() >= minKept && !stale(k.counts.changedAt, staleAfter), SampleSize: rank.SampleSize,
	}
	embedding := embedder != nil && k.counts.missing > 0 && age > time.Duration(k.Passages())*recountAfter
	if !k.IsOf(embedder) || embedding || age > resizeAfter {
		params.CountsVersion, params.KeepCounts = 0, false
	}
	if k.Sample != nil {
		params.SampleVersion = k.Sample.Version
		params.KeepSample = k.Sample.Size >= minKept && !stale(k.sampleChangedAt, sampleStaleAfter)
		known := k.Passages()
		if k.Sample.Size < rank.SampleSize { // the sample had all passages of the project when it was read
			known = min(known, int64(k.Sample.Size))
		}
		if known < manyPassages {
			params.GrownBeyond = known + known/grownShare
		}
	}
	if embedder != nil {
		params.ModelName, params.ModelDigest = embedder.Name, embedder.Digest
		params.ModelDimensions, params.ModelPromptVersion = int32(embedder.Dimensions), int32(embedder.PromptVersion)
	}
	return params
}

// with returns the facts after a read. A part that was not read stays as it was.
func (k Facts) with(row db.SearchFactsRow, params db.SearchFactsParams, embedder *model.Model) (Facts, error) {
	next := Facts{
		Version: row.Version, Standings: k.Standings, Sample: k.Sample, modelID: row.ModelID, counts: k.counts,
	}
	if row.OwnFirst != nil {
		next.Calibration = calibration.Calibration{
			Matched: *row.Matched, Unmatched: *row.Unmatched, Variance: *row.Variance, OwnFirst: *row.OwnFirst,
		}
	}
	if row.Version != params.StandingsVersion {
		next.Standings = standingsOf(row)
	}
	next.counts.changedAt = changeTime(k.counts.changedAt, row.Version != k.counts.version)
	if row.Version != params.CountsVersion && (row.Grown || !params.KeepCounts) {
		next.counts = countedPassages{
			version: row.Version, at: time.Now(), model: embedder,
			byLevel: passageCounts{Standard: row.Standard, Important: row.Important, Critical: row.Critical},
			missing: row.Missing, graph: row.Graph, promotedGraph: row.PromotedGraph,
		}
	}
	if row.ProjectVersion != params.SampleVersion && (row.Grown || !params.KeepSample) {
		sample, err := rank.NewSample(row.SampledTerms, int(row.Sampled), row.LastHash, row.ProjectVersion)
		if err != nil {
			return Facts{}, err
		}
		next.Sample = sample
	}
	next.Sample = next.Sample.At(row.ProjectVersion)
	next.sampleChangedAt = changeTime(k.sampleChangedAt, row.ProjectVersion != next.Sample.Version)
	next.Confirmed = next.Version == k.Version && next.counts.at.Equal(k.counts.at) && next.Sample.Equals(k.Sample) &&
		next.modelID == k.modelID && next.Calibration == k.Calibration
	return next, nil
}

func standingsOf(row db.SearchFactsRow) catalog.Standings {
	said := make(map[string]catalog.Said, len(row.SaidPaths))
	for i, path := range row.SaidPaths {
		said[path] = catalog.Said{Status: catalog.Status(row.SaidWords[i]), Until: row.SaidUntils[i]}
	}
	replacing, amending := map[string][]string{}, map[string][]string{}
	for i, older := range row.Older {
		later := replacing
		if row.Amends[i] {
			later = amending
		}
		later[older] = append(later[older], row.Newer[i])
	}
	return catalog.NewStandings(said, replacing, amending)
}

// changeTime returns when a change was first seen, which is now if firstSeen is zero. Without a change it returns zero.
func changeTime(firstSeen time.Time, changed bool) time.Time {
	switch {
	case !changed:
		return time.Time{}
	case firstSeen.IsZero():
		return time.Now()
	default:
		return firstSeen
	}
}
