// Package fakeollama is a server that speaks Ollama's HTTP API, for tests and
// benchmarks: vectors that mean something, answers that can be foreseen, and
// every fault that the real one shows. It knows nothing of the code that it
// tests.
package fakeollama

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// version is what the server says it is.
const version = "0.17.4-fake"

// Server is a running fake. All methods may be called at any time, from any
// goroutine.
type Server struct {
	http   *httptest.Server
	closed chan struct{}
	close  sync.Once

	mu       sync.Mutex
	faults   Faults
	models   map[string]installed // by full name
	installs int
	window   int // of every model, 0 if they do not say
	answer   func(system, user string) []string
	pull     Pull
	observe  func(*http.Request)
	requests []Request
	left     chan string
}

// installed is a model that the server has. Installed again, it is another one
// even with the same digest.
type installed struct {
	digest string
	at     time.Time
}

// Request is one that was answered, or refused.
type Request struct {
	Method, Path string
	// Model that was asked for, where the path has one.
	Model string
	// Texts to embed.
	Texts []string
	// System and User are the prompts of a chat.
	System, User string
	// Options, KeepAlive, Truncate as they came.
	Options   map[string]any
	KeepAlive json.RawMessage
	Truncate  *bool
	// Username and Password of the request.
	Username, Password string
}

// New starts a server that has the models mxbai-embed-large and mistral. It
// has to be closed.
func New() *Server {
	s := &Server{
		closed: make(chan struct{}),
		models: map[string]installed{},
		left:   make(chan string, 64),
		answer: defaultAnswer,
		pull:   Pull{Steps: defaultSteps},
	}
	s.AddModel("mxbai-embed-large", digestOf("mxbai-embed-large"))
	s.AddModel("mistral", digestOf("mistral"))
	mux := http.NewServeMux()
	mux.HandleFunc("HEAD /{$}", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /api/version", s.replyVersion)
	mux.HandleFunc("GET /api/tags", s.tags)
	mux.HandleFunc("POST /api/show", s.show)
	mux.HandleFunc("POST /api/pull", s.pullModel)
	mux.HandleFunc("POST /api/embed", s.embed)
	mux.HandleFunc("POST /api/chat", s.chat)
	s.http = httptest.NewServer(s.withFaults(mux))
	return s
}

// Start is [New] for a test, which closes it in the end.
func Start(tb testing.TB) *Server {
	tb.Helper()
	s := New()
	tb.Cleanup(s.Close)
	return s
}

// Close ends the requests under way and stops the server: from then on its
// address refuses connections. It may be called again.
func (s *Server) Close() {
	s.close.Do(func() {
		close(s.closed)
		s.http.CloseClientConnections()
		s.http.Close()
	})
}

// URL is where the server listens.
func (s *Server) URL() string { return s.http.URL }

// AddModel makes the model present, or gives it another digest.
func (s *Server) AddModel(name, digest string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.installs++
	at := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(s.installs) * time.Second)
	s.models[fullName(name)] = installed{digest: digest, at: at}
}

// SetContextLength makes all models say that they were made for so many tokens.
func (s *Server) SetContextLength(tokens int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.window = tokens
}

// RemoveModel makes the model missing.
func (s *Server) RemoveModel(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.models, fullName(name))
}

// Observe has f called at the start of every request, before any fault. f may
// block, which holds the request up.
func (s *Server) Observe(f func(*http.Request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.observe = f
}

// Requests returns what was asked so far at the path ("/api/embed"), or all of
// it for "", in the order of arrival.
func (s *Server) Requests(path string) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests := slices.Clone(s.requests)
	return slices.DeleteFunc(requests, func(r Request) bool { return path != "" && r.Path != path })
}

// Texts returns all that was asked to be embedded so far, in the order of
// arrival, with repetitions.
func (s *Server) Texts() []string {
	texts := []string{}
	for _, request := range s.Requests("/api/embed") {
		texts = append(texts, request.Texts...)
	}
	return texts
}

// Forget drops the recorded requests.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

// Left receives the path of every request whose client went away before the
// answer was complete.
func (s *Server) Left() <-chan string { return s.left }

// record notes a request and returns the faults that it meets.
func (s *Server) record(r *http.Request, body []byte) (Request, Faults) {
	var fields struct {
		Model    string `json:"model"`
		Name     string `json:"name"`
		Input    any    `json:"input"`
		Messages []struct {
			Role    string `json:"role"`
			Content string `json:"content"`
		} `json:"messages"`
		Options   map[string]any  `json:"options"`
		KeepAlive json.RawMessage `json:"keep_alive"`
		Truncate  *bool           `json:"truncate"`
	}
	// A body that is no JSON is recorded as an empty request.
	_ = json.Unmarshal(body, &fields)
	request := Request{
		Method: r.Method, Path: r.URL.Path, Model: fields.Model, Texts: textsOf(fields.Input),
		Options: fields.Options, KeepAlive: fields.KeepAlive, Truncate: fields.Truncate,
	}
	if request.Model == "" {
		request.Model = fields.Name
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
	s.requests = append(s.requests, request)
	return request, s.faults.take(r.URL.Path)
}

func textsOf(input any) []string {
	switch input := input.(type) {
	case string:
		return []string{input}
	case []any:
		texts := make([]string, 0, len(input))
		for _, text := range input {
			text, _ := text.(string)
			texts = append(texts, text)
		}
		return texts
	default:
		return nil
	}
}

func (s *Server) has(model string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.models[fullName(model)]
	return ok
}

func (s *Server) replyVersion(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, map[string]any{"version": version})
}

func (s *Server) tags(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.models)) {
		list = append(list, map[string]any{
			"name": name, "model": name, "digest": s.models[name].digest, "size": 1, "modified_at": s.models[name].at,
		})
	}
	reply(w, http.StatusOK, map[string]any{"models": list})
}

func (s *Server) show(w http.ResponseWriter, r *http.Request) {
	model := requestOf(r).Model
	if !s.has(model) {
		replyMissing(w, model)
		return
	}
	s.mu.Lock()
	info := map[string]any{"general.architecture": "fake"}
	if s.window > 0 {
		info["fake.context_length"] = s.window
	}
	s.mu.Unlock()
	reply(w, http.StatusOK, map[string]any{
		"details":    map[string]any{"family": "fake", "format": "gguf"},
		"model_info": info,
	})
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A client that left is told of through Left.
	_ = json.NewEncoder(w).Encode(body)
}

func replyError(w http.ResponseWriter, status int, message string) {
	reply(w, status, map[string]any{"error": message})
}

func replyMissing(w http.ResponseWriter, model string) {
	replyError(w, http.StatusNotFound, `model "`+model+`" not found, try pulling it first`)
}

// fullName is the name as Ollama lists it.
func fullName(model string) string {
	if !strings.Contains(model[strings.LastIndex(model, "/")+1:], ":") {
		model += ":latest"
	}
	return strings.ToLower(model)
}
