package fakeollama

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/ollama/ollama/api"
)

// SetAnswer makes f return the pieces of every answer.
func (s *Server) SetAnswer(f func(system, user string) []string) {
	s.locked(func() { s.answer = f })
}

// defaultAnswer repeats the last line of the prompt, which holds the question, in
// pieces of one word.
func defaultAnswer(_, user string) []string {
	lines := strings.Split(strings.TrimSpace(user), "\n")
	return strings.SplitAfter("This is an answer to: "+lines[len(lines)-1], " ")
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request, request recorded) {
	if request.faults.tooLong(request.System + " " + request.User) {
		request.faults.replyTooLong(w)
		return
	}
	s.mu.Lock()
	answer := s.answer
	s.mu.Unlock()
	send := startStream(w)
	for _, piece := range answer(request.System, request.User) {
		send(map[string]any{
			"model": request.Model, "created_at": "2025-01-02T03:04:05Z", "done": false,
			"message": map[string]any{"role": "assistant", "content": piece},
		})
		if request.faults.HangUp {
			panic(http.ErrAbortHandler)
		}
		if request.faults.Stall && !wait[any](r.Context(), s, nil) {
			return
		}
	}
	send(map[string]any{
		"model": request.Model, "created_at": "2025-01-02T03:04:05Z", "done": true, "done_reason": "stop",
		"message": map[string]any{"role": "assistant", "content": ""},
	})
}

// pullSteps are reported before a pull ends.
var pullSteps = []api.ProgressResponse{ //nolint:gochecknoglobals // a table
	{Status: "pulling manifest"},
	{Status: "pulling 0123456789ab", Digest: "sha256:0123456789ab", Total: 1000},
	{Status: "pulling 0123456789ab", Digest: "sha256:0123456789ab", Total: 1000, Completed: 1000},
	{Status: "writing manifest"},
}

// SetPullError makes the next pulls fail after their steps. With "" they add the model.
func (s *Server) SetPullError(message string) {
	s.locked(func() { s.pullError = message })
}

func (s *Server) pullModel(w http.ResponseWriter, _ *http.Request, request recorded) {
	s.mu.Lock()
	failure := s.pullError
	s.mu.Unlock()
	send := startStream(w)
	for _, step := range pullSteps {
		send(step)
		if request.faults.HangUp {
			panic(http.ErrAbortHandler)
		}
	}
	if failure != "" {
		send(map[string]any{"error": failure})
		return
	}
	s.AddModel(request.Model, digestOf(request.Model))
	send(api.ProgressResponse{Status: "success"})
}

// digestOf returns the default digest of a model.
func digestOf(model string) string {
	sum := sha256.Sum256([]byte(fullName(model)))
	return hex.EncodeToString(sum[:])
}

// startStream begins a response of JSON values, one a line, each sent at once. Left
// reports clients that went away.
func startStream(w http.ResponseWriter) (send func(value any)) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	encoder, connection := json.NewEncoder(w), http.NewResponseController(w)
	return func(value any) {
		_ = encoder.Encode(value)
		_ = connection.Flush()
	}
}
