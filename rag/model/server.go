package model

import (
	"context"
	"fmt"
	"time"
)

// Server is one kind of model server. Each method makes a request once; [Client] retries. The error
// is a [*ServerError], ErrInputTooLong, ErrUnusableText or [*MissingError].
type Server interface {
	// Digest identifies the build of the model that the server has now.
	Digest(ctx context.Context, name string) (string, error)
	// Window returns the context window that the model was trained for, in tokens, 0 if unknown.
	Window(ctx context.Context, name string) (tokens int, err error)
	// Embed returns a vector for each text, in order.
	Embed(ctx context.Context, request EmbedRequest) ([][]float32, error)
	// Chat calls write with each piece of the answer, even an empty one. Cancelling the context
	// stops the model.
	Chat(ctx context.Context, request ChatRequest, write func(piece string)) error
	// State sets the name of a server that answers, and which of the models it lacks.
	State(ctx context.Context, models []string, state *State) error
	// Pull pulls a model, if the server can.
	Pull(ctx context.Context, name string, progress func(completed, total int64)) error
	// Remedy says how to correct an error that the server's address may cause, "" if that is not known.
	Remedy(err error) string
	// Close closes idle connections.
	Close()
}

// EmbedRequest asks for the vectors of texts. A server refuses texts that are too long, and cuts none.
type EmbedRequest struct {
	Model      string
	Texts      []string
	Dimensions int // of the vectors, 0 for as many as the model makes
}

// ChatRequest asks for an answer of at most MaxTokens. Window bounds prompt and answer together. A
// server refuses a longer prompt and cuts none.
type ChatRequest struct {
	Model             string
	Prompt            Prompt
	Window, MaxTokens int
	Temperature       float64
}

// State describes a server.
type State struct {
	Name    string   // such as "Ollama 0.10.1", "" if it does not answer
	Host    string   // URL without user name and password
	Missing []string // models that it was asked for and does not list
	Models  []string // models that it lists
	// OnlyChat is set if the first model that it was asked for cannot make vectors.
	OnlyChat bool
	Err      error  // why nothing more is known
	Remedy   string // how to correct Err, "" if that is not known
}

// ServerError is a request that a [Server] did not serve.
type ServerError struct {
	Err       error
	Transient bool // another try may succeed
	// Unreached is set if nothing listens at the address: another try in the next seconds fails too.
	Unreached bool
	Status    int // of HTTP, 0 if there was no answer or none that makes sense
	// RetryAfter is how long the server asks to wait, 0 if it does not say.
	RetryAfter time.Duration
}

func (f *ServerError) Error() string { return f.Err.Error() }

func (f *ServerError) Unwrap() error { return f.Err }

// BadResponse returns the failure of a server whose answer makes no sense.
func BadResponse(problem string) *ServerError {
	return &ServerError{Err: fmt.Errorf("%w: %s", ErrBadResponse, problem)}
}
