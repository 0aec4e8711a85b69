// Package model embeds texts and generates answers with a model server of any kind: prompts of known models,
// retries, circuit breakers, precedence of queries. It must not know HTTP, documents or the database.
package model

import "context"

// Model identifies what makes the vectors. Only vectors of equal Models are comparable.
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
	// Digest identifies the build of the model that made the vector. It may differ between the
	// batches of one call: check it before you store a vector.
	Digest string
	// Err is nil, or wraps ErrInputTooLong, ErrUnusableText or ErrBadResponse, for this text only.
	Err error
}

// Prompt holds the messages for the chat model. An empty System is left out.
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

// FailFast returns a context for callers that can do without a model server. Their requests are
// made once, and not at all if the last request got no answer in the past five seconds.
func FailFast(ctx context.Context) context.Context {
	return context.WithValue(ctx, failFastKey{}, true)
}

func failsFast(ctx context.Context) bool { return ctx.Value(failFastKey{}) != nil }
