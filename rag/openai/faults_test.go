package openai_test

import (
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/compound-docs/compound-docs/rag/model"
)

// faulty is a server that fails as configured.
type faulty struct {
	*httptest.Server

	cuts     atomic.Int64 // the tokens that a text is cut to
	status   int          // of every answer, 0 for one that is no HTTP
	body     string       // of every answer
	requests atomic.Int64
	limit    atomic.Int64 // requests until it refuses one
}

func newFaulty(t *testing.T) *faulty {
	t.Helper()
	f := &faulty{status: http.StatusOK}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.requests.Add(1)
		if f.limit.Add(-1) == 0 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		if f.body != "" || r.Header.Get("Authorization") != "Bearer the key" {
			if f.body == "" {
				f.body, f.status = `{"error":{"message":"Invalid API Key"}}`, http.StatusUnauthorized
			}
			if f.status == 0 {
				connection, _, _ := http.NewResponseController(w).Hijack()
				_, _ = io.WriteString(connection, f.body+"\n\n")
				_ = connection.Close()
				return
			}
			w.WriteHeader(f.status)
			_, _ = io.WriteString(w, f.body)
			return
		}
		var request struct {
			Input []string `json:"input"`
		}
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			t.Error(err)
		}
		data, tokens := []map[string]any{}, int64(0)
		for i, text := range request.Input {
			data = append(data, map[string]any{"index": i, "embedding": vector(text)})
			length := int64(len(strings.Fields(text)))
			if cuts := f.cuts.Load(); cuts > 0 {
				length = min(length, cuts)
			}
			tokens += length
		}
		for i := range len(data) / 2 { // in any order
			data[i], data[len(data)-1-i] = data[len(data)-1-i], data[i]
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data, "usage": map[string]any{"prompt_tokens": tokens}})
	}))
	t.Cleanup(f.Close)
	return f
}

// vector is random, and the same for each text of one length.
func vector(text string) []float64 {
	source := rand.New(rand.NewPCG(0, uint64(len(text))))
	vector := make([]float64, 384)
	for i := range vector {
		vector[i] = source.NormFloat64()
	}
	return vector
}

func (f *faulty) config() model.Config {
	return model.Config{Host: f.URL, Key: "the key", EmbedModel: "some-model", ChatModel: "some-model"}
}

// A server that cuts long texts without a word is found out.
func TestEmbed_NoticesThatTextsAreCut(t *testing.T) {
	t.Parallel()
	server := newFaulty(t)
	server.cuts.Store(100)
	client := newClient(t, server.config())
	got, err := client.Embed(t.Context(), []string{"short", strings.Repeat("long ", 200), strings.Repeat("less ", 90)})
	if err != nil {
		t.Fatal(err)
	}
	for i, long := range []bool{false, true, false} {
		if errors.Is(got[i].Err, model.ErrInputTooLong) != long {
			t.Errorf("text %d: %v", i, got[i].Err)
		}
	}
}

// No remedy leads back to the address that was tried.
func TestState_HasARemedy(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		path, body, remedy string
		status             int
	}{
		"a page at the usual path": {"", "<html>", "another service may listen there: correct embedding_host", 200},
		"a page at another path":   {"/ui", "<html>", "set the url in settings.json to http://127.0.0.1", 200},
		"too many requests":        {"", `{"error":"slow down"}`, "wait, or get a higher limit", 429},
		"a failure of its own":     {"", `{"error":"CUDA"}`, "look into the server's own log", 500},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newFaulty(t)
			server.body, server.status = test.body, test.status
			cfg := server.config()
			cfg.Host += test.path
			state := newClient(t, cfg).State(t.Context(), "some-model")
			if state.Err == nil || !strings.HasPrefix(state.Remedy, test.remedy) {
				t.Errorf("%v has the remedy %q, want %q", state.Err, state.Remedy, test.remedy)
			}
		})
	}
}

func TestEmbed_Fails(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change   func(*faulty, *model.Config)
		says     string
		requests int64
	}{
		"a wrong key":      {func(_ *faulty, c *model.Config) { c.Key = "wrong" }, "HTTP 401 Unauthorized: Invalid API Key; check the API key", 1},
		"it goes away":     {func(f *faulty, _ *model.Config) { f.Close() }, "start the model server", 0},
		"it loads a model": {func(f *faulty, _ *model.Config) { f.status, f.body = 503, `{"error":{"message":"Loading model"}}` }, "Loading model", 3},
		"no JSON":          {func(f *faulty, _ *model.Config) { f.body = "<html>" }, "is this a server with OpenAI's API?", 1},
		"another model": {func(f *faulty, _ *model.Config) {
			f.status, f.body = 404, `{"error":{"message":"The model 'x' does not exist"}}`
		}, "it has no model some-model", 1},
		"too few vectors": {func(f *faulty, _ *model.Config) { f.body = `{"data":[]}` }, "0 vectors for 1 texts", 1},
		"it repeats the key": {func(f *faulty, _ *model.Config) {
			f.status, f.body = 401, `{"error":{"message":"bad key `+strings.Repeat(" Bearer the key", 100)+`"}}`
		}, "bad key Bearer [secret] Bearer [secret]", 1},
		"a key that is a word of the message": {func(f *faulty, c *model.Config) {
			f.status, f.body, c.Key = 404, `{"error":{"message":"The model 'x' does not exist"}}`, "exist"
		}, "it has no model some-model", 1},
		"no HTTP, but the key": {func(f *faulty, _ *model.Config) { f.status, f.body = 0, "HTTP/1.1 401 no\r\nthe key" }, `missing colon: "[secret]"`, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newFaulty(t)
			cfg := server.config()
			test.change(server, &cfg)
			client := newClient(t, cfg)
			_, err := client.Embed(t.Context(), []string{"a text"})
			if !errors.As(err, new(*model.UnavailableError)) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %q", err, test.says)
			}
			if strings.Contains(err.Error(), cfg.Key) || !strings.Contains(err.Error(), server.URL+"/v1") {
				t.Errorf("%v: want the server's URL, and not the key", err)
			}
			if got := server.requests.Load(); got != test.requests {
				t.Errorf("%d requests, want %d", got, test.requests)
			}
		})
	}
}

func TestGenerate_ReadsEvents(t *testing.T) {
	t.Parallel()
	event := func(text string) string { return `data: {"choices":[{"delta":{"content":"` + text + `"}}]}` + "\n\n" }
	end := "data: [DONE]\n\n"
	for name, test := range map[string]struct {
		body, want, says string
	}{
		"whole":        {": a comment\n\n" + event("Hello") + event(" you") + end, "Hello you", ""},
		"breaks off":   {event("Hello"), "Hello", "the connection broke"},
		"an error":     {event("Hello") + `data: {"error":{"message":"\u001b[2Jout\nof memory"}}` + "\n\n", "Hello", "reports: [2Jout of memory"},
		"the key":      {event("Hello") + `data: {"error":"bad key the key"}` + "\n\n", "Hello", "bad key [secret]"},
		"no JSON":      {"data: <html>\n\n", "", "no valid JSON"},
		"a cut prompt": {event("Hello") + `data: {"choices":[],"usage":{"prompt_tokens":3}}` + "\n\n" + end, "Hello", "longer than the model's context window"},
		"nothing":      {end, "", "empty answer"},
		"in one piece": {"{\n \"choices\": [{\"message\": {\"content\": \"Hello you\"}, \"finish_reason\": \"stop\"}]\n}", "Hello you", ""},
		"half a piece": {"{\n \"choices\": [{\"message\"", "", "no valid JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newFaulty(t)
			server.body = test.body
			got, err := newClient(t, server.config()).Generate(t.Context(), model.Prompt{User: "a question of five words"}, nil)
			if got != test.want || (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %q, %v, want %q and %q", got, err, test.want, test.says)
			}
		})
	}
}
