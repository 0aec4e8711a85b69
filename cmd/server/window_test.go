package main_test

import (
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/compound-docs/compound-docs/test/mcpclient"
)

// window is a server over stdio, as each window of Claude Code has one.
type window struct {
	session *mcpclient.Client
	killed  bool
}

func openWindow(t *testing.T, environment ...string) *window {
	t.Helper()
	w := &window{session: connect(t, server(t, environment...))}
	t.Cleanup(func() {
		_ = w.session.Process().Signal(syscall.SIGCONT) // or it would not hear of the end
		if err := w.session.Close(); err != nil && !w.killed {
			t.Error(err)
		}
	})
	return w
}

func (w *window) pid() int { return w.session.Process().Pid }

func (w *window) signal(t *testing.T, signal os.Signal) {
	t.Helper()
	must(t, w.session.Process().Signal(signal))
}

// activate returns when everything is indexed and embedded.
func (w *window) activate(t *testing.T, root string) {
	t.Helper()
	activateWhole(t, w.session, root)
}

// activateWhole activates a project, and returns when its index holds all documents
// with their vectors.
func activateWhole(t *testing.T, session *mcpclient.Client, root string) {
	t.Helper()
	in := mcpclient.Installation{Root: root}
	must(t, session.Activate(t.Context(), in.Config(), "main"))
}

// index returns how far the index is behind, nil when it is whole.
func (w *window) index(t *testing.T) *mcpclient.Index {
	t.Helper()
	index, err := w.session.Index(t.Context())
	must(t, err)
	return index
}

// searchAnswer is an answer of semantic_search, or its error.
type searchAnswer struct {
	toolError
	Results []struct {
		Path string `json:"path"`
	} `json:"results"`
	Index *mcpclient.Index `json:"index"`
}

// titles are the names of the files found, in order.
func (a searchAnswer) titles() []string {
	titles := make([]string, 0, len(a.Results))
	for _, result := range a.Results {
		titles = append(titles, strings.TrimSuffix(path.Base(result.Path), ".md"))
	}
	slices.Sort(titles)
	return titles
}

// search asks for all documents.
func (w *window) search(t *testing.T) (answer searchAnswer) {
	t.Helper()
	call(t, w.session, "semantic_search", map[string]any{"query": "ripe", "limit": 100, "min_relevance_score": 0}, &answer)
	return answer
}
