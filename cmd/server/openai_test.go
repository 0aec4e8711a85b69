package main_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/indexstate"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// newGuardedOllama is OpenAI's API of a real Ollama, behind a key.
func newGuardedOllama(t *testing.T, key string) *httptest.Server {
	t.Helper()
	target, err := url.Parse(testenv.OllamaHost(t))
	must(t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer "+key:
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":{"message":"Invalid API Key"}}`)
		case !strings.HasPrefix(r.URL.Path, "/v1/"):
			t.Errorf("a request for %s", r.URL.Path)
		default:
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// Everything works with a server that has OpenAI's API and not Ollama's, and names it.
func TestOpenAI_SyncSearchAskAndDoctor(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "Ollama loads its models again for the other API")
	const key = "k3y-of-the-test"
	server, database, home := newGuardedOllama(t, key), testenv.IndexURL(t), t.TempDir()
	host := `{"api": "openai", "url": "` + server.URL + `", "key_file": "` + filepath.ToSlash(filepath.Join(home, "key")) + `"}`
	write(t, home, "settings.json", `{"embedding_host": `+host+`, "generation_host": `+host+`}`)
	write(t, home, "key", key+"\n")
	must(t, os.Chmod(filepath.Join(home, "key"), 0o600))
	root := newProject(t, map[string]string{
		"csharp-compounding-docs/problems/pool.md": strings.ReplaceAll(problem, "%", "Connection pool exhausted"),
		"csharp-compounding-docs/problems/leak.md": strings.ReplaceAll(problem, "%", "Handles leak"),
	})
	environment := []string{"CDOCS_HOME=" + home, "CDOCS_DATABASE_URL=" + database, "CDOCS_OLLAMA_HOST=http://127.0.0.1:1"}
	says := func(o outcome, code int, wants ...string) {
		t.Helper()
		text := o.stdout + o.stderr
		for _, want := range wants {
			if o.code != code || !strings.Contains(text, want) {
				t.Errorf("it ends with %d and says\n%s\nwant %d and %q in it", o.code, text, code, want)
			}
		}
		if strings.Contains(strings.ToLower(text), "ollama") || strings.Contains(text, key) {
			t.Errorf("Ollama or the key are in\n%s", text)
		}
	}
	models := func(want string) {
		t.Helper()
		rows, err := indexstate.Lines(t.Context(), indexstate.OpenPool(t, database), `SELECT count(DISTINCT m.id)::text
			FROM embedding_models m`)
		if err != nil || rows[0] != want {
			t.Errorf("%v models, %v, want %s", rows, err, want)
		}
	}

	says(run(t, root, environment, "sync"), 0, "2 documents in the index")
	models("1")
	says(run(t, root, environment, "search", "--mode", "vector", "--min-relevance-score", "0", "the pool of connections"), 0, "pool.md")
	asked := run(t, root, environment, "ask", "--json", "--min-relevance-score", "0", "why is the connection pool exhausted")
	if says(asked, 0, "pool.md"); strings.Contains(asked.stdout, "generation_reason") {
		t.Errorf("no model has written\n%s", asked.stdout)
	}
	says(run(t, root, environment, "doctor"), 0, "a server with OpenAI's API answers at "+server.URL+"/v1", "makes vectors")
	says(run(t, root, environment, "up"), 0, "answers at "+server.URL)
	says(run(t, root, environment, "sync"), 0, "2 documents in the index")
	models("1")

	wrong := append(slices.Clone(environment), "CDOCS_EMBEDDING_KEY=wrong")
	says(run(t, root, wrong, "doctor"), 1, "HTTP 401", "Invalid API Key", "check the API key")
	says(run(t, root, wrong, "search", "pool"), 0, "pool.md", "compound-docs doctor says why")

	server.Close()
	says(run(t, root, environment, "search", "pool"), 0, "pool.md", "compound-docs doctor says why")
	says(run(t, root, environment, "doctor"), 0, server.URL, "Searches by words and built-in vectors work without it", "embedding_host")
	says(run(t, root, environment, "up"), 0, server.URL, "start it, or correct embedding_host")
}
