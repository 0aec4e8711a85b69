// Package fakeollama is a server with Ollama's HTTP API for tests and benchmarks. It
// embeds texts so that similar ones have similar vectors, gives predictable answers
// and simulates Ollama's errors. It must not know the code that it tests.
package fakeollama

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/compound-docs/compound-docs/rag/calibration"
)

// version is the version that the server reports.
const version = "0.17.4-fake"

// Server is a running fake. It is safe for concurrent use.
type Server struct {
	http   *httptest.Server
	closed chan struct{}
	close  sync.Once
	// computing holds an element while texts are embedded.
	computing chan struct{}

	mu        sync.Mutex
	faults    Faults
	models    map[string]string // digests by full name
	window    int               // of every model, 0 if they do not say
	answer    func(system, user string) []string
	pullError string
	observe   func(*http.Request)
	requests  []Request
	measured  int
	left      chan string
}

// Request is a request that the server received.
type Request struct {
	Method, Path string
	// Model is the requested model, if any.
	Model string
	// Texts are the texts to embed, in vectors of at most so many dimensions, 0 for any.
	Texts      []string
	Dimensions int
	// System and User are the prompts of a chat.
	System, User string
	// Options, KeepAlive and Truncate are as received.
	Options   map[string]any
	KeepAlive json.RawMessage
	Truncate  *bool
	// Username and Password are the HTTP credentials.
	Username, Password string
}

// New starts a server with the models mxbai-embed-large and mistral. The caller must
// close it.
func New() *Server {
	s := newServer()
	s.http.Start()
	return s
}

func newServer() *Server {
	s := &Server{
		closed:    make(chan struct{}),
		computing: make(chan struct{}, 1),
		models:    map[string]string{},
		left:      make(chan string, 64),
		answer:    defaultAnswer,
	}
	s.AddModel("mxbai-embed-large", digestOf("mxbai-embed-large"))
	s.AddModel("mistral", digestOf("mistral"))
	mux := http.NewServeMux()
	for pattern, handler := range map[string]handler{
		"GET /api/version": s.replyVersion, "GET /api/tags": s.tags, "POST /api/show": s.withModel(s.show),
		"POST /api/pull": s.pullModel, "POST /api/embed": s.withModel(s.embed), "POST /api/chat": s.withModel(s.chat),
		"HEAD /{$}": func(http.ResponseWriter, *http.Request, recorded) {},
	} {
		mux.HandleFunc(pattern, s.withFaults(handler))
	}
	s.http = httptest.NewUnstartedServer(mux)
	return s
}

// Start is [New] for a test, and closes the server at its end.
func Start(tb testing.TB) *Server {
	tb.Helper()
	s := New()
	tb.Cleanup(s.Close)
	return s
}

// Close ends running requests and stops the server. Connections to it are refused
// afterwards. It may be called more than once.
func (s *Server) Close() {
	s.close.Do(func() {
		close(s.closed)
		s.http.CloseClientConnections()
		s.http.Close()
	})
}

// URL is the server's base URL.
func (s *Server) URL() string { return s.http.URL }

func (s *Server) locked(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

// Observe makes the server call f at the start of every request, before any fault.
// f may block to delay the request. nil removes it.
func (s *Server) Observe(f func(*http.Request)) {
	s.locked(func() { s.observe = f })
}

// Requests returns the requests so far at the path ("/api/embed"), or all for "", in
// order of arrival.
func (s *Server) Requests(path string) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests := slices.Clone(s.requests)
	return slices.DeleteFunc(requests, func(r Request) bool { return path != "" && r.Path != path })
}

// loadsModel is the query that the client embeds to have the model loaded.
const loadsModel = "warm"

// Texts returns all texts of embedding requests so far, in order of arrival, with
// repetitions. It leaves out what only loads the model, or measures it.
func (s *Server) Texts() []string {
	texts := []string{}
	for _, request := range s.Embeddings() {
		texts = append(texts, request.Texts...)
	}
	return texts
}

// Embeddings returns the embedding requests so far, in order of arrival, without those
// that only load the model.
func (s *Server) Embeddings() []Request {
	return slices.DeleteFunc(s.Requests("/api/embed"), func(r Request) bool {
		return len(r.Texts) == 1 && (r.Texts[0] == loadsModel || strings.HasSuffix(r.Texts[0], ": "+loadsModel))
	})
}

// Forget drops the recorded requests.
func (s *Server) Forget() {
	s.locked(func() { s.requests = nil })
}

// Left receives the path of every request whose client went away before the
// answer was complete.
func (s *Server) Left() <-chan string { return s.left }

// Measured returns how many texts were embedded to measure the model.
func (s *Server) Measured() (texts int) {
	s.locked(func() { texts = s.measured })
	return texts
}

// measures reports whether texts are embedded only to measure the model, as every new
// index does. They may have a prompt.
func measures(texts []string) bool {
	return len(texts) > 0 && !slices.ContainsFunc(texts, func(text string) bool {
		return !slices.ContainsFunc(shipped(), func(s string) bool { return strings.HasSuffix(text, s) })
	})
}

var shipped = sync.OnceValue(func() []string {
	questions, answers := calibration.Pairs()
	return slices.Concat(questions, answers)
})

// record records a request, and returns it with the faults that apply to it and with
// what observes it, if anything. Requests that measure the model are not recorded, and
// meet no faults but those of the vectors.
func (s *Server) record(r *http.Request, body []byte) (Request, Faults, func(*http.Request)) {
	var fields struct {
		Model    string          `json:"model"`
		Name     string          `json:"name"`
		Input    json.RawMessage `json:"input"`
		Messages []struct {
			Role    string `json:"role"`
			Content string `json:"content"`
		} `json:"messages"`
		Options    map[string]any  `json:"options"`
		Dimensions int             `json:"dimensions"`
		KeepAlive  json.RawMessage `json:"keep_alive"`
		Truncate   *bool           `json:"truncate"`
	}
	// A body that is not JSON is recorded as an empty request.
	_ = json.Unmarshal(body, &fields)
	request := Request{
		Method: r.Method, Path: r.URL.Path, Model: cmp.Or(fields.Model, fields.Name), Texts: textsOf(fields.Input),
		Dimensions: fields.Dimensions,
		Options:    fields.Options, KeepAlive: fields.KeepAlive, Truncate: fields.Truncate,
	}
	for _, message := range fields.Messages {
		switch message.Role {
		case "system":
			request.System = message.Content
		case "user":
			request.User = message.Content
		}
	}
	request.Username, request.Password, _ = r.BasicAuth()
	s.mu.Lock()
	defer s.mu.Unlock()
	if measures(request.Texts) {
		s.measured += len(request.Texts)
		return request, s.faults.ofVectors(), nil
	}
	s.requests = append(s.requests, request)
	return request, s.faults.take(r.URL.Path), s.observe
}

// textsOf returns the input of an embedding: a text or several.
func textsOf(input json.RawMessage) (texts []string) {
	var text string
	if json.Unmarshal(input, &text) == nil {
		return []string{text}
	}
	_ = json.Unmarshal(input, &texts) // a request without texts has none
	return texts
}

func (s *Server) replyVersion(w http.ResponseWriter, _ *http.Request, _ recorded) {
	reply(w, http.StatusOK, map[string]any{"version": version})
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// Left reports clients that went away.
	_ = json.NewEncoder(w).Encode(body)
}

func replyError(w http.ResponseWriter, status int, message string) {
	reply(w, status, map[string]any{"error": message})
}
