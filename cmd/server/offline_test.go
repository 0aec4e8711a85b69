package main_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/indexstate"
	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/ragtest"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// A file is edited while no server runs, and keeps its size and modification time.
func TestServe_FindsAnOfflineEditThatKeepsSizeAndTime(t *testing.T) {
	t.Parallel()
	root := newProject(t, map[string]string{
		".csharp-compounding-docs/config.json": `{"project_name": "test-project", "external_docs": {"path": "./docs"}}`,
		"docs/a.md":                            "# A\n\nIt says one.\n",
	})
	ollama := "CDOCS_OLLAMA_HOST=" + fakeollama.Start(t).URL()
	edited, fresh := ragtest.IndexURL(t), ragtest.IndexURL(t)
	syncWhole(t, root, "CDOCS_DATABASE_URL="+edited, ollama)

	file := filepath.Join(root, "docs", "a.md")
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	write(t, root, "docs/a.md", "# A\n\nIt says two.\n")
	if err := os.Chtimes(file, before.ModTime(), before.ModTime()); err != nil {
		t.Fatal(err)
	}
	syncWhole(t, root, "CDOCS_DATABASE_URL="+edited, ollama)
	syncWhole(t, root, "CDOCS_DATABASE_URL="+fresh, ollama)
	if diff := cmp.Diff(snapshot(t, indexstate.OpenPool(t, fresh)), snapshot(t, indexstate.OpenPool(t, edited))); diff != "" {
		t.Errorf("the index after the edit (-new +old):\n%s", diff)
	}
}

// Without Ollama a first sync makes everything findable by its words. Vectors follow by
// themselves when it is back.
func TestServe_OllamaAwayForTheFirstSync(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "a circuit breaker or a lease has to end")
	f := newFirstSync(t, woodland())
	target, err := url.Parse(f.fake.URL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := testenv.NewFaultProxy(t, target.Host)
	f.ollama = "http://" + proxy.Address()
	proxy.Shut()

	w := openWindow(t, f.environment()...)
	var activated struct {
		toolError

		Index *mcpclient.Index `json:"index"`
	}
	call(t, w.session, "activate_project", activation(f.root), &activated)
	passages := count(t, f.pool, "SELECT count(*) FROM document_chunks")
	want := &mcpclient.Index{Embedding: passages, Failed: []any{}}
	if got := activated.Index; got == nil || !strings.Contains(got.Waiting, "start Ollama") {
		t.Errorf("activation answers %+v, want why embedding waits", activated)
	} else {
		want.Waiting = got.Waiting
	}
	if diff := cmp.Diff(want, activated.Index); diff != "" {
		t.Errorf("the index after the activation (-want +got):\n%s", diff)
	}
	for _, subject := range subjects() {
		w.mustFind(t, subject, "what about the "+subject, "lexical")
	}
	if answer := w.mustFind(t, "alder", "what about the alder", ""); !strings.HasPrefix(answer.Reason, "by words and built-in vectors: ") {
		t.Errorf("the default mode answers %+v, want words, built-in vectors and the reason", answer)
	}
	if failed := w.find(t, "alder", "vector"); failed.Code != "EMBEDDING_SERVICE_ERROR" || !strings.Contains(failed.Message, `mode: "vector"`) {
		t.Errorf("the mode vector answers %+v, want an error that names what works", failed)
	}
	write(t, f.root, promotable+"quince.md", strings.ReplaceAll(problem, "%", "The quince"))
	var indexed toolError
	call(t, w.session, "index_document", map[string]any{"path": promotable + "quince.md"}, &indexed)
	if indexed.Code != "EMBEDDING_SERVICE_ERROR" || !strings.Contains(indexed.Message, "is indexed and found by its words") {
		t.Errorf("index_document answers %+v, want that the document is found by its words", indexed)
	}
	w.mustFind(t, "quince", "quince", "lexical")

	proxy.Open()
	until(t, "everything is embedded", patience, func() bool { return f.unembedded(t) == 0 })
	w.waitWhole(t)
	for _, subject := range append(subjects(), "quince") {
		for _, mode := range []string{"", "vector"} {
			if answer := w.mustFind(t, subject, "what about the "+subject, mode); answer.Mode != "" || answer.Embedded != nil {
				t.Errorf("%s in mode %q: %+v", subject, mode, answer)
			}
		}
	}
}
