package index_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	models "github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// run runs the queue until the test ends or stop is called.
func run(t *testing.T, queue *index.Queue) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { queue.Run(ctx) })
	stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
	})
	t.Cleanup(stop)
	return stop
}

// waitEmbedded waits until so many texts have vectors.
func (f *fixture) waitEmbedded(t *testing.T, want int) {
	t.Helper()
	f.until(t, fmt.Sprintf("SELECT (count(*) = %d)::text FROM embeddings", want))
}

func numbered(n int) []document.File {
	files := make([]document.File, n)
	for i := range files {
		files[i] = file(fmt.Sprintf("docs/%03d.md", i), fmt.Sprintf("Text number %d.", i))
		files[i].Stamp.ModTime = time.Unix(1_700_000_000+int64(i), 0)
	}
	return files
}

// Promoted documents come first, then the newest.
func TestQueue_Order(t *testing.T) {
	t.Parallel()
	f := setup(t)
	files := numbered(4)
	files = append(files,
		file("docs/critical.md", "---", "promotion_level: critical", "---", "A critical text."),
		file("docs/important.md", "---", "promotion_level: important", "---", "An important text."))
	f.AddText(t, f.Tenant, files...)
	queue := f.Index.Queue(f.Tenant, catalog.Compounding)
	if err := queue.Drain(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, text := range f.Fake.Texts() {
		_, content, _ := strings.Cut(text, "\n\n")
		got = append(got, content)
	}
	want := []string{"A critical text.", "An important text.", "Text number 3.", "Text number 2.", "Text number 1.", "Text number 0."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("embedded (-want +got):\n%s", diff)
	}
}

// Text that a model refuses is found by words, is reported, and delays nothing.
func TestQueue_RefusedPassages(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Fake.SetFaults(fakeollama.Faults{Reject: []string{"forbidden"}})
	f.AddText(t, f.Tenant, append(numbered(2), file("docs/refused.md", "Holds the forbidden word."))...)
	queue := f.Index.Queue(f.Tenant, catalog.Compounding)
	if err := queue.Drain(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	f.Fake.Forget()
	if err := queue.Drain(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if texts := f.Fake.Texts(); len(texts) > 0 {
		t.Errorf("%q was embedded again", texts)
	}
	status := queue.Status()
	if len(status.Failed) != 1 || status.Failed[0].Path != "docs/refused.md" || !strings.Contains(status.Failed[0].Err.Error(), "by words and built-in vectors") {
		t.Errorf("failed %v, want docs/refused.md and that it is found by its words", status.Failed)
	}
	f.waitEmbedded(t, 2)
	f.Add(t, f.Tenant, file("docs/refused.md", "Holds another word."))
	if err := queue.Drain(t.Context(), nil); err != nil || len(queue.Status().Failed) > 0 {
		t.Errorf("after the correction: failed %v, error %v", queue.Status().Failed, err)
	}
}

// A passage that is too long for the model has the vector of its parts.
func TestQueue_LongPassage(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Fake.SetFaults(fakeollama.Faults{Window: 40})
	f.Add(t, f.Tenant, file("docs/long.md", section("Long", "a very long section")))
	texts := f.Fake.Texts()
	if len(texts) < 2 || !strings.HasPrefix(texts[0], "long\n\n") || !strings.Contains(texts[len(texts)-1], "Sentence 19") {
		t.Errorf("embedded %q, want all the parts, each with the heading", texts)
	}
	got := f.Rows(t, `SELECT round(vector_norm(embedding::vector)::numeric, 2)::text FROM embeddings`)
	if diff := cmp.Diff([]string{"1.00"}, got); diff != "" {
		t.Errorf("length of the vector (-want +got):\n%s", diff)
	}
}

// Two callers in one process share the work.
func TestQueue_EmbedDocumentBeside(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.AddText(t, f.Tenant, numbered(20)...)
	f.Fake.SetFaults(fakeollama.Faults{EmbedTime: 10 * time.Millisecond})
	queue := f.Index.Queue(f.Tenant, catalog.Compounding)
	run(t, queue)
	if err := queue.EmbedDocument(t.Context(), catalog.Compounding, "docs/000.md"); err != nil {
		t.Fatal(err)
	}
	got := f.Rows(t, `SELECT content FROM passages JOIN embeddings USING (collection, project_id, hash) WHERE content LIKE '% 0.'`)
	if diff := cmp.Diff([]string{"Text number 0."}, got); diff != "" {
		t.Errorf("embedded when EmbedDocument returned (-want +got):\n%s", diff)
	}
	f.waitEmbedded(t, 20)
	if got := len(f.Fake.Texts()); got != 20 {
		t.Errorf("%d texts were embedded, want each of 20 once", got)
	}
}

// A document that is promoted while its passage is embedded is found among the
// promoted ones.
func TestQueue_PromotionMeanwhile(t *testing.T) {
	t.Parallel()
	f := setup(t)
	const documents = 30
	f.AddText(t, f.Tenant, numbered(documents)...)
	f.Fake.SetFaults(fakeollama.Faults{EmbedTime: 2 * time.Millisecond})
	run(t, f.Index.Queue(f.Tenant, catalog.Compounding))
	for i := range documents {
		before := numbered(documents)[i]
		content, _, err := indexer(f.Index, f.Tenant, catalog.Compounding).WithLevel(before, catalog.Critical)
		if err != nil {
			t.Fatal(err)
		}
		after := before
		after.Content = content
		f.AddText(t, f.Tenant, after)
	}
	f.until(t, fmt.Sprintf(`SELECT (count(*) = %d)::text FROM passages p JOIN embeddings e USING (collection, project_id, hash)
		JOIN document_chunks c ON c.passage_hash = p.hash AND c.promotion_level = 'critical' WHERE p.promoted AND e.promoted`, documents))
}

// panicky is an embedder with a bug.
type panicky struct{ index.Embedder }

func (p panicky) Embed(ctx context.Context, texts []string) ([]models.Embedding, error) {
	for _, text := range texts {
		if strings.Contains(text, "number 1.") {
			panic("a bug in the embedder")
		}
	}
	return p.Embedder.Embed(ctx, texts)
}

func TestQueue_APassageThatMeetsABugIsReported(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.AddText(t, f.Tenant, numbered(3)...)
	queue := f.NewIndex(f.Database, panicky{f.Models}).Queue(f.Tenant, catalog.Compounding)
	if err := queue.Drain(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	f.waitEmbedded(t, 2)
	if failed := queue.Status().Failed; len(failed) != 1 || failed[0].Path != "docs/001.md" {
		t.Errorf("failed %v, want docs/001.md", failed)
	}
}
