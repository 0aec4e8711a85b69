package lookup

import (
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/rank"
)

func sampleWith(t *testing.T, size int) *rank.Sample {
	t.Helper()
	sample, err := rank.NewSample("", size, "", 7)
	if err != nil {
		t.Fatal(err)
	}
	return sample
}

// Facts of few passages are read again with each change, and facts of many after a while.
func TestFacts_Params(t *testing.T) {
	t.Parallel()
	scope := catalog.Scope{Tenant: &catalog.Tenant{}}
	model := &model.Model{Name: "model"}
	for _, test := range []struct {
		name           string
		change         func(k *Facts)
		counts, sample bool // are kept
	}{
		{"few passages", func(k *Facts) { k.counts.byLevel.Standard, k.Sample = minKept-1, sampleWith(t, minKept-1) }, false, false},
		{"many passages", func(*Facts) {}, true, true},
		{"changed just now", func(k *Facts) { k.counts.changedAt, k.sampleChangedAt = time.Now(), time.Now() }, true, true},
		{"changed a while ago", func(k *Facts) {
			k.counts.changedAt = time.Now().Add(-2 * staleAfter)
			k.sampleChangedAt = k.counts.changedAt
		}, false, true},
		{"sampled long ago", func(k *Facts) { k.sampleChangedAt = time.Now().Add(-2 * sampleStaleAfter) }, true, false},
		{"of another model", func(k *Facts) { k.counts.model = nil }, false, true},
		{"vectors are being made", func(k *Facts) { k.counts.missing, k.counts.at = 1, time.Now().Add(-time.Second) }, false, true},
		{"counted long ago", func(k *Facts) { k.counts.at = time.Now().Add(-2 * resizeAfter) }, false, true},
	} {
		k := Facts{
			counts: countedPassages{version: 3, at: time.Now(), model: model, byLevel: passageCounts{Standard: minKept}},
			Sample: sampleWith(t, minKept),
		}
		test.change(&k)
		if got := k.params(scope, model); got.KeepCounts != test.counts || got.KeepSample != test.sample {
			t.Errorf("%s: counts are kept %v, the sample %v, want %v and %v", test.name, got.KeepCounts, got.KeepSample, test.counts, test.sample)
		}
	}
}
