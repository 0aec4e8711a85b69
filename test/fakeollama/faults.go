package fakeollama

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Faults are what the server does wrong, or is strict about. The zero value is
// a server without fault.
type Faults struct {
	// Paths that Status, Body, HangUp and Delay concern; none means all.
	Paths []string
	// Times is how many requests they concern; 0 means all until the faults are
	// replaced.
	Times int
	// Status, when set, is the answer's, with Message as the error.
	Status  int
	Message string
	// Body, when set, is the whole answer, with Status or 200.
	Body string
	// HangUp breaks the connection: of a chat or a pull after the first piece,
	// of anything else instead of an answer.
	HangUp bool
	// Delay is waited before the request is looked at.
	Delay time.Duration

	// Window is how many words a text to embed, or a prompt, may have.
	Window int
	// WindowMessage is said about longer ones; by default that of Ollama 0.17.
	WindowMessage string
	// Reject makes the embedding of texts that contain one of these fail with a
	// 400 and the word.
	Reject []string
	// NaN makes the embedding of texts that contain one of these fail as an
	// overflow in the model does.
	NaN []string
	// Zero makes the vectors of texts that contain one of these zero.
	Zero []string
	// Dimensions of the vectors; 0 means 1024.
	Dimensions int
	// Scale stretches the vectors, which are of length 1 otherwise.
	Scale float32
	// Missing vectors at the end of an answer.
	Missing int
	// Stall makes a chat wait after its first piece till the client leaves.
	Stall bool
}

// SetFaults replaces the faults, from the next request on.
func (s *Server) SetFaults(faults Faults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = faults
}

// take returns the faults that a request at the path meets, and counts it.
func (f *Faults) take(path string) Faults {
	taken := *f
	concerned := len(f.Paths) == 0 || slices.Contains(f.Paths, path)
	if concerned && f.Times > 0 {
		f.Times--
		if f.Times == 0 {
			f.Status, f.Message, f.Body, f.HangUp, f.Delay = 0, "", "", false, 0
		}
	}
	if !concerned {
		taken.Status, taken.Message, taken.Body, taken.HangUp, taken.Delay = 0, "", "", false, 0
	}
	return taken
}

type contextKey struct{}

// recorded is what a handler needs to know of its request.
type recorded struct {
	Request

	faults Faults
}

func requestOf(r *http.Request) recorded {
	rec, _ := r.Context().Value(contextKey{}).(recorded)
	return rec
}

// withFaults records every request, and answers those that meet a fault which
// does not depend on what they ask.
func (s *Server) withFaults(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			replyError(w, http.StatusBadRequest, err.Error())
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		request, faults := s.record(r, body)
		defer func() {
			if r.Context().Err() != nil {
				s.noteLeft(request.Path)
			}
		}()
		s.mu.Lock()
		observe := s.observe
		s.mu.Unlock()
		if observe != nil {
			observe(r)
		}
		if faults.Delay > 0 && !s.pause(r.Context(), time.After(faults.Delay)) {
			return
		}
		streams := request.Path == "/api/chat" || request.Path == "/api/pull"
		switch {
		case faults.HangUp && !streams:
			panic(http.ErrAbortHandler)
		case faults.Body != "":
			w.WriteHeader(max(faults.Status, http.StatusOK))
			_, _ = io.WriteString(w, faults.Body)
		case faults.Status != 0:
			replyError(w, faults.Status, faults.Message)
		default:
			ctx := context.WithValue(r.Context(), contextKey{}, recorded{request, faults})
			next.ServeHTTP(w, r.WithContext(ctx))
		}
	})
}

// pause waits for until, and returns false if the client left or the server
// was closed first.
func (s *Server) pause(ctx context.Context, until <-chan time.Time) bool {
	select {
	case <-until:
		return true
	case <-ctx.Done():
	case <-s.closed:
	}
	return false
}

func (s *Server) noteLeft(path string) {
	select {
	case s.left <- path:
	default: // nobody looks
	}
}

func containsAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

func (f *Faults) tooLong(text string) bool {
	return f.Window > 0 && len(strings.Fields(text)) > f.Window
}

func (f *Faults) replyTooLong(w http.ResponseWriter) {
	message := f.WindowMessage
	if message == "" {
		message = "the input length exceeds the context length"
	}
	replyError(w, http.StatusBadRequest, message)
}
