package fakeollama

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Faults configures the errors and limits of the server. The zero value has none.
type Faults struct {
	// Paths to which Status, Body, HangUp and Delay apply; none means all.
	Paths []string
	// Times is the number of requests to which they apply; 0 means all.
	Times int
	// Status is the HTTP status of the response, with Message as the error; 0 for
	// none.
	Status  int
	Message string
	// RetryAfter is the header of that name, beside Status.
	RetryAfter string
	// Body is the whole response, with Status or 200; "" for none.
	Body string
	// HangUp breaks the connection: after the first piece of a chat or a pull,
	// else before the response.
	HangUp bool
	// Delay is the time before the request is handled.
	Delay time.Duration

	// EmbedTime is how long the embedding of one text takes. Texts are embedded one
	// after the other, in the order of the requests, as Ollama does.
	EmbedTime time.Duration
	// Window is the largest number of words of a text to embed or a prompt; 0 for
	// no limit.
	Window int
	// WindowMessage is the error for longer ones; the default is Ollama 0.17's.
	WindowMessage string
	// Reject makes the embedding of texts that contain one of these fail with a
	// 400 and the word.
	Reject []string
	// NaN makes the embedding of texts that contain one of these fail as an
	// overflow in the model does.
	NaN []string
	// Dimensions of the vectors; 0 means 1024. Fewer may be asked for.
	Dimensions int
	// Meaningless gives equal texts equal vectors, and others unrelated ones.
	Meaningless bool
	// Missing vectors at the end of an answer.
	Missing int
	// Stall makes a chat wait after its first piece until the client leaves.
	Stall bool
}

// SetFaults replaces the faults, from the next request on.
func (s *Server) SetFaults(faults Faults) {
	s.locked(func() { s.faults = faults })
}

// take returns the faults for a request at the path, and counts the request.
func (f *Faults) take(path string) Faults {
	taken := *f
	if len(f.Paths) > 0 && !slices.Contains(f.Paths, path) {
		taken.clearReplies()
		return taken
	}
	if f.Times > 0 {
		if f.Times--; f.Times == 0 {
			f.clearReplies()
		}
	}
	return taken
}

// ofVectors returns the faults that are the model's own.
func (f *Faults) ofVectors() Faults {
	return Faults{Dimensions: f.Dimensions, Meaningless: f.Meaningless}
}

// clearReplies removes the faults that Paths and Times apply to.
func (f *Faults) clearReplies() {
	f.Status, f.Message, f.RetryAfter, f.Body, f.HangUp, f.Delay = 0, "", "", "", false, 0
}

// recorded is a request with the faults that apply to it.
type recorded struct {
	Request

	faults Faults
}

type handler func(w http.ResponseWriter, r *http.Request, request recorded)

// withFaults records every request and applies the faults that do not depend on its
// content.
func (s *Server) withFaults(next handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			replyError(w, http.StatusBadRequest, err.Error())
			return
		}
		request, faults, observe := s.record(r, body)
		defer func() {
			if r.Context().Err() == nil {
				return
			}
			select {
			case s.left <- request.Path:
			default: // nobody receives
			}
		}()
		if observe != nil {
			observe(r)
		}
		if faults.Delay > 0 && !wait(r.Context(), s, time.After(faults.Delay)) {
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
			if faults.RetryAfter != "" {
				w.Header().Set("Retry-After", faults.RetryAfter)
			}
			replyError(w, faults.Status, faults.Message)
		default:
			next(w, r, recorded{request, faults})
		}
	}
}

// wait waits for until, and reports false if the client left or the server was
// closed first.
func wait[T any](ctx context.Context, s *Server, until <-chan T) bool {
	select {
	case <-until:
		return true
	case <-ctx.Done():
	case <-s.closed:
	}
	return false
}

func containsAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

func (f *Faults) tooLong(text string) bool {
	return f.Window > 0 && len(strings.Fields(text)) > f.Window
}

func (f *Faults) replyTooLong(w http.ResponseWriter) {
	replyError(w, http.StatusBadRequest, cmp.Or(f.WindowMessage, "the input length exceeds the context length"))
}
