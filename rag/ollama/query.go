package ollama

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/compound-docs/compound-docs/rag/model"
)

// maxQuery is the largest number of bytes of a query that is used, far more than
// any embedding model's context window.
const maxQuery = 32 << 10

// queryKey identifies a cached query vector by model digest and query.
type queryKey struct{ digest, text string }

// EmbedQuery returns the embedding of a search query; its Err is always nil, and the
// caller may change its vector. Recent queries are cached. The request goes before those
// of [Client.Embed]. A query that is too long for the model is cut at a word until it
// fits. The error for an empty query is *model.InputError; other errors are those of
// [Client.Embed].
func (c *Client) EmbedQuery(ctx context.Context, query string) (embedding model.Embedding, err error) {
	query = strings.TrimSpace(query)
	if len(query) > maxQuery {
		query = cutAtWord(query, maxQuery)
	}
	if query == "" {
		return model.Embedding{}, fmt.Errorf("embed query: %w", errBlank())
	}
	embedding, known := c.knownQuery(query)
	if !known {
		if embedding, err = c.embedQuery(ctx, query); err != nil {
			return model.Embedding{}, fmt.Errorf("embed query: %w", err)
		}
		c.queries.Add(queryKey{embedding.Digest, query}, embedding.Vector)
	}
	embedding.Vector = slices.Clone(embedding.Vector)
	return embedding, nil
}

// knownQuery returns the cached embedding of the query by the model in use.
func (c *Client) knownQuery(query string) (model.Embedding, bool) {
	c.mu.Lock()
	key := queryKey{c.model.digest, query}
	c.mu.Unlock()
	vector, ok := c.queries.Get(key)
	return model.Embedding{Vector: vector, Digest: key.digest}, ok
}

// embedQuery embeds the query, cut as far as necessary.
func (c *Client) embedQuery(ctx context.Context, query string) (model.Embedding, error) {
	defer c.turns.query()()
	for text := query; ; {
		embedding, err := c.embedOne(ctx, text)
		if !errors.Is(err, model.ErrInputTooLong) {
			return embedding, err
		}
		shorter := cutAtWord(text, len(text)*3/4)
		if shorter == "" {
			return model.Embedding{}, err
		}
		c.cfg.Logger.DebugContext(ctx, "cut query to fit the model", "from_bytes", len(text), "to_bytes", len(shorter))
		text = shorter
	}
}

// embedOne embeds one query without waiting for a turn.
func (c *Client) embedOne(ctx context.Context, query string) (embedding model.Embedding, err error) {
	atOnce := func(context.Context) (end func(), err error) { return func() {}, nil }
	if err := c.embedBatch(ctx, atOnce, []string{c.embedder.query + query}, []*model.Embedding{&embedding}); err != nil {
		return model.Embedding{}, err
	}
	return embedding, embedding.Err
}

// Warm loads the embedding model, so that the next query does not wait for it. It goes
// before passages, as a query does. Ollama keeps the model for half an hour after
// its last use. Errors are those of [Client.Embed].
func (c *Client) Warm(ctx context.Context) error {
	defer c.turns.query()()
	if _, err := c.embedOne(ctx, "warm"); err != nil {
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

// turns lets queries overtake passages. Ollama embeds one text after the other, in the
// order of the requests, so a query would wait for everything that was sent before it.
// Therefore at most one request for passages is sent at a time, and none while a query
// waits for its embedding.
type turns struct {
	passages chan struct{} // holds an element while a request for passages runs

	mu      sync.Mutex
	queries int           // that wait for their embedding
	empty   chan struct{} // closed when queries is 0 again
}

// query counts a query until the returned function is called, which must be once.
func (t *turns) query() (end func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.queries == 0 {
		t.empty = make(chan struct{})
	}
	t.queries++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.queries--; t.queries == 0 {
			close(t.empty)
		}
	}
}

// passage waits until a request for passages may be sent. The caller calls end when the
// request has ended. The error is the context's.
func (t *turns) passage(ctx context.Context) (end func(), err error) {
	select {
	case t.passages <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err() //nolint:wrapcheck // the caller's own
	}
	for {
		t.mu.Lock()
		queries, empty := t.queries, t.empty
		t.mu.Unlock()
		if queries == 0 {
			return func() { <-t.passages }, nil
		}
		select {
		case <-empty:
		case <-ctx.Done():
			<-t.passages
			return nil, ctx.Err() //nolint:wrapcheck // the caller's own
		}
	}
}
