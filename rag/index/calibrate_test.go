package index_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/rag/calibration"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	models "github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/ragtest"
)

// measured returns what the index knows of the present model.
func measured(t *testing.T, f *ragtest.Fixture) (calibration.Calibration, bool) {
	t.Helper()
	model, err := f.Models.EmbedModel(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, known, err := f.Index.Calibration(t.Context(), model)
	if err != nil {
		t.Fatal(err)
	}
	return got, known
}

func TestCalibration_IsMeasuredOncePerModel(t *testing.T) {
	t.Parallel()
	f := ragtest.NewUnmeasured(t)
	const texts = 120
	if _, known := measured(t, f); known {
		t.Error("a model is measured before it is used")
	}
	f.Embed(t, f.Tenant, catalog.Compounding)
	if asked := f.Fake.Measured(); asked != 0 {
		t.Errorf("%d texts were embedded for an index without documents", asked)
	}
	for _, step := range []struct {
		name   string
		change func()
		want   int
	}{
		{"first document", func() {}, texts},
		{"another document", func() {}, texts},
		{"another process", func() { f.Index = f.NewIndex(f.SecondDatabase(t), f.NewModels(t, time.Nanosecond)) }, texts},
		{"another build", func() { f.Fake.AddModel("mxbai-embed-large", "bbbb") }, 2 * texts},
	} {
		step.change()
		f.Add(t, f.Tenant, ragtest.File("docs/"+step.name+".md", "# Timeouts", "", step.name))
		if asked := f.Fake.Measured(); asked != step.want {
			t.Errorf("%s: %d texts were embedded to measure models, want %d", step.name, asked, step.want)
		}
		if got, known := measured(t, f); !known || !got.Usable() {
			t.Errorf("%s: %+v, known is %t, want a usable model", step.name, got, known)
		}
	}
}

// frugal is an embedder that allows some requests, and refuses all others.
type frugal struct {
	index.Embedder

	allowed int
}

var errTooMany = errors.New("too many requests")

func (f *frugal) Embed(ctx context.Context, texts []string) ([]models.Embedding, error) {
	f.allowed--
	if f.allowed < 0 {
		return nil, errTooMany
	}
	return f.Embedder.Embed(ctx, texts)
}

func (f *frugal) EmbedAsQueries(ctx context.Context, texts []string) ([]models.Embedding, error) {
	f.allowed--
	if f.allowed < 0 {
		return nil, errTooMany
	}
	return f.Embedder.EmbedAsQueries(ctx, texts)
}

// What a server allows is not used up twice: the measurement goes on where it was refused, and the vectors of a
// few documents come before it.
func TestCalibration_GoesOnAfterARefusal(t *testing.T) {
	t.Parallel()
	f := ragtest.NewUnmeasured(t)
	failures := f.AddText(t, f.Tenant, ragtest.File("docs/a.md", "# Timeouts", "", "They are long."),
		ragtest.File("docs/b.md", "# Retries", "", "There are three."), ragtest.File("docs/c.md", "# Pools", "", "They are small."))
	if len(failures) > 0 {
		t.Fatal(failures)
	}
	embedder := &frugal{Embedder: f.Models}
	queue := f.NewIndex(f.Database, embedder).Queue(f.Tenant, catalog.Compounding)
	drains := 0
	for {
		embedder.allowed = 3
		err := queue.Drain(t.Context(), nil)
		if drains++; err == nil {
			break
		}
		if !errors.Is(err, errTooMany) || drains > 40 {
			t.Fatalf("after %d tries: %v", drains, err)
		}
		if missing := queue.Status().Missing; missing != 1 {
			t.Errorf("%d parts wait after try %d, want none but the measurement, which counts as one", missing, drains)
		}
	}
	if asked := f.Fake.Measured(); drains < 3 || asked != 120 {
		t.Errorf("%d texts were embedded in %d tries, want each of the 120 that measure a model once", asked, drains)
	}
}

func TestCalibration_OfAModelThatKnowsNothing(t *testing.T) {
	t.Parallel()
	f := ragtest.NewUnmeasured(t)
	f.Fake.SetFaults(fakeollama.Faults{Meaningless: true})
	f.Add(t, f.Tenant, ragtest.File("docs/a.md", "# Timeouts"))
	if got, known := measured(t, f); !known || got.Usable() || got.OwnFirst > .1 {
		t.Errorf("%+v, known is %t, want a model that is known to be useless", got, known)
	}
}
