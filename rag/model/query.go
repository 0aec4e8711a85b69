package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// maxQuery bounds the bytes of a query, far above any context window.
const maxQuery = 32 << 10

// EmbedQuery returns the embedding of a search query, whose Err is nil. It goes before
// [Client.Embed]. A query that is too long for the model is cut until it fits. The error for an
// empty query is ErrUnusableText; others are those of [Client.Embed].
func (c *Client) EmbedQuery(ctx context.Context, query string) (Embedding, error) {
	query = strings.TrimSpace(query)
	if len(query) > maxQuery {
		query = strings.ToValidUTF8(query[:maxQuery], "")
	}
	if query == "" {
		return Embedding{}, fmt.Errorf("embed query: %w", errBlank)
	}
	model, err := c.EmbedModel(ctx)
	if err != nil {
		return Embedding{}, err
	}
	key := queryKey{model.Digest, query}
	vector, known := c.queries.Get(key)
	if !known {
		c.mu.Lock()
		idle := time.Since(c.embedAt)
		c.mu.Unlock()
		wait := queryTimeout
		if idle > KeepLoaded {
			wait = loadTimeout
		}
		vector, err = c.queryVector(ctx, wait, query)
		if err != nil {
			return Embedding{}, fmt.Errorf("embed query: %w", err)
		}
		c.queries.Add(key, vector)
	}
	return Embedding{Vector: slices.Clone(vector), Digest: model.Digest}, nil
}

// queryVector embeds the query, cut as far as necessary.
func (c *Client) queryVector(ctx context.Context, timeout time.Duration, query string) ([]float32, error) {
	c.waiting.Add(1)
	defer c.waiting.Add(-1)
	for {
		vectors, err := c.vectors(ctx, timeout, []string{c.embedder.query + query})
		shorter := strings.ToValidUTF8(query[:len(query)*3/4], "")
		if err != nil && (!errors.Is(err, ErrInputTooLong) || shorter == "") {
			return nil, err
		}
		if err != nil {
			c.cfg.Logger.DebugContext(ctx, "cut query to fit the model", "from_bytes", len(query), "to_bytes", len(shorter))
			query = shorter
			continue
		}
		only := embedding("", vectors[0])
		return only.Vector, only.Err
	}
}

// Warm loads the embedding model, so that the next query does not wait for it.
func (c *Client) Warm(ctx context.Context) error {
	if _, err := c.queryVector(ctx, embedTimeout, "warm"); err != nil {
		return fmt.Errorf("load model %s: %w", c.cfg.EmbedModel, err)
	}
	return nil
}
