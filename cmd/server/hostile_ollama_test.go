package main_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// hostileOllama does at one path what it likes, and is a fake Ollama at others.
type hostileOllama struct {
	*httptest.Server

	fake *fakeollama.Server
	met  atomic.Int64 // requests at the path
}

func newHostileOllama(t *testing.T, path string, handle http.HandlerFunc) *hostileOllama {
	t.Helper()
	h := &hostileOllama{fake: fakeollama.Start(t)}
	target, err := url.Parse(h.fake.URL())
	must(t, err)
	honest := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != path {
			honest.ServeHTTP(w, r)
			return
		}
		h.met.Add(1)
		handle(w, r)
	}))
	t.Cleanup(h.Close)
	return h
}

// guideProject has external documentation of one page.
func guideProject(t *testing.T) (root string) {
	t.Helper()
	return newProject(t, map[string]string{
		".csharp-compounding-docs/config.json": `{"project_name": "guided", "external_docs": {"path": "./docs"}}`,
		"docs/guide.md":                        "# Guide\n\nHow to fill the pool with water.\n",
	})
}

// endless answers with a beginning and then one text for ever, compressed where
// zipped is set.
func endless(status int, zipped bool, begin, again string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		var to io.Writer = w
		if zipped {
			w.Header().Set("Content-Encoding", "gzip")
			to = gzip.NewWriter(w)
		}
		w.WriteHeader(status)
		_, err := io.WriteString(to, begin)
		for chunk := strings.Repeat(again, 1+1<<16/len(again)); err == nil; {
			_, err = io.WriteString(to, chunk)
		}
	}
}

// question is the tests' question.
func question() map[string]any {
	return map[string]any{"query": "how to fill the pool with water", "min_relevance_score": 0}
}
