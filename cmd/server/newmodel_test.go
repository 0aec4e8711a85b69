package main_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/testenv"
)

const firstModel, firstDigest = "mxbai-embed-large", "sha256:first"

// newWoodland is a project of one problem a subject, and an Ollama with its first model,
// which takes a while for a text.
func newWoodland(t *testing.T) *firstSync {
	t.Helper()
	f := newFirstSync(t, woodland())
	f.fake.AddModel(firstModel, firstDigest)
	f.fake.SetFaults(fakeollama.Faults{EmbedTime: 40 * time.Millisecond})
	return f
}

// reopen kills the server, and starts it with other settings.
func (f *firstSync) reopen(t *testing.T, w *window, settings string) *window {
	t.Helper()
	f.kill(t, w)
	f.set(t, settings)
	return f.open(t)
}

// vectorsByModel is how many vectors each model has.
func (f *firstSync) vectorsByModel(t *testing.T) map[string]int {
	t.Helper()
	rows, err := f.pool.Query(t.Context(), `SELECT m.name || ' ' || m.digest, count(*) FROM embeddings e
		JOIN embedding_models m ON m.id = e.model_id GROUP BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	vectors := map[string]int{}
	for rows.Next() {
		var model string
		var n int
		if err := rows.Scan(&model, &n); err != nil {
			t.Fatal(err)
		}
		vectors[model] = n
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return vectors
}

// searchWhile searches in turns by words and in the default mode, which both find the
// right document all the while, until done. It returns how many answers in the default
// mode said that not everything has a vector.
func (f *firstSync) searchWhile(t *testing.T, w *window, what string, done func() bool) (partial int) {
	t.Helper()
	i := 0
	until(t, what, patience, func() bool {
		subject := subjects()[i%len(subjects())]
		i++
		for _, mode := range []string{"lexical", ""} {
			answer := w.mustFind(t, subject, "what about the "+subject, mode)
			if mode == "" && answer.Embedded != nil {
				partial++
			}
		}
		return done()
	})
	return partial
}

// mustBecome waits until every passage has a vector of the model and of no other, while
// searches go on. Of these, or of the partial answers before, one has said that something
// was missing.
func (f *firstSync) mustBecome(t *testing.T, w *window, model string, partial int) {
	t.Helper()
	passages := count(t, f.pool, "SELECT count(*) FROM passages")
	want := map[string]int{model: passages}
	partial += f.searchWhile(t, w, model+" has made all vectors, and those of others are deleted", func() bool {
		return maps.Equal(want, f.vectorsByModel(t))
	})
	if partial == 0 {
		t.Errorf("no answer said that %s has not embedded everything", model)
	}
	w.waitWhole(t)
	// A search keeps the number of missing vectors for half a millisecond a passage.
	for _, subject := range subjects()[:3] {
		until(t, "a search says that "+model+" has all vectors", patience, func() bool {
			return w.mustFind(t, subject, "what about the "+subject, "vector").Embedded == nil
		})
	}
}

// The same for another model in the settings, with which the server is started again,
// though it is killed or the documents are indexed again in between.
func TestServe_AnotherModelInTheSettings(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "everything is embedded several times")
	f := newWoodland(t)
	f.fake.AddModel("bge-m3", "sha256:m3")
	w := f.open(t)
	w.waitWhole(t)

	w = f.reopen(t, w, `{"embedding_model": "bge-m3"}`)
	partial := f.searchWhile(t, w, "some vectors are made", func() bool { return f.vectorsByModel(t)["bge-m3 sha256:m3"] > 0 })
	w = f.reopen(t, w, `{"embedding_model": "bge-m3"}`)
	f.mustBecome(t, w, "bge-m3 sha256:m3", partial)

	w = f.reopen(t, w, `{}`)
	f.searchWhile(t, w, "some vectors are made", func() bool { return f.vectorsByModel(t)[firstModel+" "+firstDigest] > 0 })
	mustRun(t, f.root, f.environment(), "sync", "--force")
	until(t, "the first model has made all vectors", patience, func() bool { return f.unembedded(t) == 0 })
	w.waitWhole(t)
	if got := slices.Collect(maps.Keys(f.vectorsByModel(t))); !cmp.Equal(got, []string{firstModel + " " + firstDigest}) {
		t.Errorf("there are vectors of %v, want of the first model", got)
	}
	f.mustEqualFresh(t)
}
