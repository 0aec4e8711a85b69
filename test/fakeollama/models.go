package fakeollama

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

// AddModel installs the model, or replaces it, with a digest.
func (s *Server) AddModel(name, digest string) {
	s.locked(func() { s.models[fullName(name)] = digest })
}

// SetContextLength sets the context length, in tokens, that all models report.
func (s *Server) SetContextLength(tokens int) {
	s.locked(func() { s.window = tokens })
}

// RemoveModel removes the model.
func (s *Server) RemoveModel(name string) {
	s.locked(func() { delete(s.models, fullName(name)) })
}

func (s *Server) tags(w http.ResponseWriter, _ *http.Request, _ recorded) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.models)) {
		list = append(list, map[string]any{
			"name": name, "model": name, "digest": s.models[name], "size": 1, "modified_at": "2025-01-02T03:04:05Z",
		})
	}
	reply(w, http.StatusOK, map[string]any{"models": list})
}

func (s *Server) show(w http.ResponseWriter, _ *http.Request, request recorded) {
	capability := "embedding"
	if fullName(request.Model) == fullName("mistral") {
		capability = "completion"
	}
	info := map[string]any{"general.architecture": "fake"}
	s.locked(func() {
		if s.window > 0 {
			info["fake.context_length"] = s.window
		}
	})
	reply(w, http.StatusOK, map[string]any{
		"details":    map[string]any{"family": "fake", "format": "gguf"},
		"model_info": info, "capabilities": []string{capability},
	})
}

// withModel handles a request for a model that is there.
func (s *Server) withModel(next handler) handler {
	return func(w http.ResponseWriter, r *http.Request, request recorded) {
		var there bool
		s.locked(func() { _, there = s.models[fullName(request.Model)] })
		if there {
			next(w, r, request)
		} else {
			replyError(w, http.StatusNotFound, `model "`+request.Model+`" not found, try pulling it first`)
		}
	}
}

// fullName returns the name as Ollama lists it.
func fullName(model string) string {
	if !strings.Contains(model[strings.LastIndex(model, "/")+1:], ":") {
		model += ":latest"
	}
	return strings.ToLower(model)
}
