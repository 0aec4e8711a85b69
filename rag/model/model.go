// Package model embeds texts and generates answers with a model server of any kind: prompts
// of known models, retries, circuit breakers, precedence of queries. [Server] is what a
// kind of server has to do; rag/ollama is one. The package must not know HTTP, documents or
// the database.
package model

import "context"

// Model identifies what makes the vectors. Vectors are comparable if and only if
// their Models are equal.
type Model struct {
	Name          string // as configured
	Digest        string // of the build
	Dimensions    int    // of a vector, with the zeros that fill it up
	PromptVersion int    // changes with the prompts before queries and passages
}

// Embedding is the vector of a text, of length 1 and the configured number of
// dimensions, or the reason why this one text has none.
type Embedding struct {
	Vector []float32
	// Digest identifies the build of the model that made the vector. It may differ from
	// the digest of the [Model] that the caller knows, and between the batches of one call.
	// Check it before you store a vector.
	Digest string
	// Err is nil, or wraps ErrInputTooLong, ErrUnusableText or ErrBadResponse. It
	// concerns this text only.
	Err error
}

// Prompt holds the messages for the chat model. An empty System is left out.
type Prompt struct{ System, User string }

// failFastKey is the key of a value in a context.
type failFastKey struct{}

// FailFast returns a context for callers that can do without a model server. Their
// requests are made once. If the last request got no answer in the past five seconds,
// none is made, and the error is that failure.
func FailFast(ctx context.Context) context.Context {
	return context.WithValue(ctx, failFastKey{}, true)
}

func failsFast(ctx context.Context) bool { return ctx.Value(failFastKey{}) != nil }
