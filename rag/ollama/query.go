package ollama

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxQuery is the largest number of bytes of a query that is used, far more than
// any embedding model's context window.
const maxQuery = 32 << 10

// queryKey identifies a cached query vector by model digest and query.
type queryKey struct{ digest, text string }

// EmbedQuery returns the embedding of a search query; its Err is always nil, and the
// caller may change its vector. Recent queries are cached. Equal concurrent queries
// share one request, which goes before those of [Client.Embed]. A query that is too
// long for the model is cut at a word until it fits. The error for an empty query is
// *InputError; other errors are those of [Client.Embed].
func (c *Client) EmbedQuery(ctx context.Context, query string) (Embedding, error) {
	query = strings.TrimSpace(query)
	if len(query) > maxQuery {
		query = cutAtWord(query, maxQuery)
	}
	if query == "" {
		return Embedding{}, fmt.Errorf("embed query: %w", errBlank())
	}
	for {
		if known, ok := c.knownQuery(query); ok {
			return known.clone(), nil
		}
		result := c.inFlight.DoChan(query, func() (any, error) {
			embedding, err := c.embedQuery(ctx, query)
			if err != nil && ctx.Err() != nil {
				err = &callerLeftError{err}
			}
			return embedding, err
		})
		select {
		case <-ctx.Done():
			return Embedding{}, fmt.Errorf("embed query: %w", ctx.Err())
		case r := <-result:
			if _, left := errors.AsType[*callerLeftError](r.Err); left && ctx.Err() == nil {
				continue // another caller made the request and cancelled it
			}
			if r.Err != nil {
				return Embedding{}, fmt.Errorf("embed query: %w", r.Err)
			}
			embedding, _ := r.Val.(Embedding)
			return embedding.clone(), nil
		}
	}
}

func (e Embedding) clone() Embedding {
	e.Vector = slices.Clone(e.Vector)
	return e
}

// knownQuery returns the cached embedding of the query by the model in use.
func (c *Client) knownQuery(query string) (Embedding, bool) {
	c.mu.Lock()
	key := queryKey{c.model.digest, query}
	c.mu.Unlock()
	vector, ok := c.queries.Get(key)
	return Embedding{Vector: vector, Digest: key.digest}, ok
}

// callerLeftError is the error of a shared request whose maker cancelled it.
type callerLeftError struct{ err error }

func (e *callerLeftError) Error() string { return e.err.Error() }

func (e *callerLeftError) Unwrap() error { return e.err }

// embedQuery embeds the query, cut as far as necessary, and caches the vector.
func (c *Client) embedQuery(ctx context.Context, query string) (Embedding, error) {
	defer c.lane.enter()()
	text := query
	for {
		var result [1]Embedding
		err := c.embedBatch(ctx, forQuery, []string{c.prompts.query + text}, result[:])
		if err != nil {
			return Embedding{}, err
		}
		if err = result[0].Err; err == nil {
			c.queries.Add(queryKey{result[0].Digest, query}, result[0].Vector)
			return result[0], nil
		}
		shorter := cutAtWord(text, len(text)*3/4)
		if !errors.Is(err, ErrInputTooLong) || shorter == "" {
			return Embedding{}, err
		}
		c.cfg.Logger.DebugContext(ctx, "cut query to fit the model", "from_bytes", len(text), "to_bytes", len(shorter))
		text = shorter
	}
}

// Warm loads the embedding model at the host that the next query goes to, so that
// the query does not wait for it. It goes before passages, as a query does. Ollama
// keeps the model for [Config.KeepAlive] after its last use. Errors are those of
// [Client.Embed].
func (c *Client) Warm(ctx context.Context) error {
	defer c.lane.enter()()
	var result [1]Embedding
	err := c.embedBatch(ctx, forQuery, []string{c.prompts.query + "warm"}, result[:])
	if err == nil {
		err = result[0].Err
	}
	if err != nil {
		return fmt.Errorf("load model %s: %w", c.cfg.EmbedModel, err)
	}
	return nil
}

// cutAtWord returns at most limit bytes of a longer text, cut after a word if
// possible, else after a character.
func cutAtWord(text string, limit int) string {
	end := limit
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	if space := strings.LastIndexFunc(text[:end], unicode.IsSpace); space > 0 {
		end = space
	}
	return strings.TrimSpace(text[:end])
}
