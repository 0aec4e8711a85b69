// Package model embeds texts and generates answers with a model server of any kind. It knows the prompts of embedding
// models, retries requests, spares a server that fails, and sends queries before passages. It must not know HTTP,
// documents or the database.
package model

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Model identifies an embedding model. Only vectors of equal Models are comparable.
type Model struct {
	Name          string // as configured
	Digest        string // identifies the model's build
	Dimensions    int    // of a vector, with the zeros that fill it up
	PromptVersion int    // changes with the prompts before queries and passages
}

// Embedding is a text's vector, of length 1 with [Dimensions] components, or the reason why the text has no vector.
type Embedding struct {
	Vector []float32
	// Digest identifies the build of the model that made the vector. It may differ between calls, so check it before you
	// store a vector.
	Digest string
	// Err is nil, or wraps ErrInputTooLong, ErrUnusableText or ErrBadResponse, for this text only.
	Err error
}

// Prompt holds the messages for the chat model. An empty System is not sent.
type Prompt struct{ System, User string }

// Messages returns the prompt as chat servers read it.
func (p Prompt) Messages() []map[string]string {
	messages := []map[string]string{{"role": "system", "content": p.System}, {"role": "user", "content": p.User}}
	if p.System == "" {
		return messages[1:]
	}
	return messages
}

type failFastKey struct{}

// FailFast returns a context for callers that also work without a model server. A request with this context is not
// repeated. It fails at once if the last request, at most five seconds ago, got no answer.
func FailFast(ctx context.Context) context.Context {
	return context.WithValue(ctx, failFastKey{}, true)
}

func failsFast(ctx context.Context) bool { return ctx.Value(failFastKey{}) != nil }

// Server is one kind of model server. Each method makes a request once; [Client] retries. The error is a
// [*ServerError], ErrInputTooLong, ErrUnusableText or [*MissingError].
type Server interface {
	// Digest identifies the build of the model that the server has now.
	Digest(ctx context.Context, name string) (string, error)
	// Window returns the context window that the model was trained for, in tokens, 0 if unknown.
	Window(ctx context.Context, name string) (tokens int, err error)
	// Embed returns a vector for each text, in order.
	Embed(ctx context.Context, request EmbedRequest) ([][]float32, error)
	// Chat calls write with each piece of the answer, even an empty one. Cancelling the context stops the model. isFull
	// says that the answer ended at its largest number of tokens.
	Chat(ctx context.Context, request ChatRequest, write func(piece string)) (isFull bool, err error)
	// State sets the fields Name, Models, Missing and OnlyChat of its argument, as far as the server gives them.
	State(ctx context.Context, models []string, state *State) error
	// Pull pulls a model, if the server can.
	Pull(ctx context.Context, name string, progress func(completed, total int64)) error
	// Remedy says how to correct an error of State, "" if that is not known.
	Remedy(err error) string
	// Close closes idle connections.
	Close()
}

// EmbedRequest asks for the vectors of texts. A server must refuse a text that is too long, and not cut it.
type EmbedRequest struct {
	Model      string
	Texts      []string
	Dimensions int // of the vectors, 0 for as many as the model makes
}

// ChatRequest asks for an answer of at most MaxTokens. Window bounds prompt and answer together, in tokens. A server
// must refuse a longer prompt, and not cut it.
type ChatRequest struct {
	Model             string
	Prompt            Prompt
	Window, MaxTokens int
}

// Temperature is the temperature of all answers.
const Temperature = .1

// State describes a server.
type State struct {
	Name    string   // such as "Ollama 0.10.1", "" if it does not answer
	Host    string   // URL without user name and password
	Missing []string // models that State was asked for and the server does not list
	Models  []string // models that the server lists
	// OnlyChat is set if the first model that State was asked for cannot make vectors.
	OnlyChat bool
	Err      error  // why nothing more is known
	Remedy   string // how to correct Err, "" if that is not known
}

// ServerError reports that a [Server] did not serve a request.
type ServerError struct {
	Err       error
	Transient bool // another try may succeed
	// Unreached is set if nothing listens at the address. Then another try in the next seconds fails too.
	Unreached bool
	Status    int // of HTTP, 0 without an answer that makes sense
	// RetryAfter is how long the server asks to wait, 0 if it does not say.
	RetryAfter time.Duration
}

func (f *ServerError) Error() string { return f.Err.Error() }

func (f *ServerError) Unwrap() error { return f.Err }

var (
	// ErrInputTooLong reports that a text or a prompt exceeds the model's context window.
	ErrInputTooLong = errors.New("the text is longer than the model's context window")
	// ErrUnusableText reports a text that cannot be embedded, whatever its length.
	ErrUnusableText = errors.New("the text cannot be embedded")
	// ErrDimensions reports that the model's vectors are longer than the index's vectors.
	ErrDimensions = errors.New("the model does not fit the index")
	// ErrBadResponse reports an answer without valid JSON, with too few vectors or with a vector of zeros.
	ErrBadResponse = errors.New("the server's answer makes no sense")
	// ErrEmptyAnswer reports that the chat model wrote only white space.
	ErrEmptyAnswer = errors.New("the chat model gave an empty answer")
	// ErrLate reports that the server did not answer in the time for which the caller waits.
	ErrLate = errors.New("the model server gives no answer in time: it hangs, or loads a model; try again in a minute")
	// ErrModelReplaced reports a vector of another build of the model than expected.
	ErrModelReplaced = errors.New("the embedding model was replaced; try again")
)

// CircuitClosed is the state of a circuit breaker that lets requests through.
const CircuitClosed = "closed"

// UnavailableError reports that the server could not serve a request.
type UnavailableError struct {
	Server       string        // such as "ollama at http://localhost:11434", without credentials
	CircuitState string        // CircuitClosed, "open" or "half-open"
	RetryAfter   time.Duration // 0 if waiting does not help
	Err          error         // the last failure
}

func (e *UnavailableError) Error() string {
	if e.CircuitState == CircuitClosed {
		return fmt.Sprintf("%s: %v", e.Server, e.Err)
	}
	return fmt.Sprintf("%s failed repeatedly and is not asked now, try again in %s: %v",
		e.Server, e.RetryAfter.Round(time.Second), e.Err)
}

func (e *UnavailableError) Unwrap() error { return e.Err }

// CutShortError reports that an answer began and did not end. It is returned with the text so far.
type CutShortError struct{ Err error }

func (e *CutShortError) Error() string { return "the answer was cut short: " + e.Err.Error() }

func (e *CutShortError) Unwrap() error { return e.Err }

// MissingError reports that an Ollama server lacks a model. Host is the server's URL without credentials.
type MissingError struct{ Model, Host string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("model %s is not installed at %s; run: ollama pull %s (or compound-docs up)", e.Model, e.Host, e.Model)
}
