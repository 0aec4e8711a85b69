package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Embed returns one embedding per text, in order. For a text that the model cannot embed, the embedding has an Err. To
// find such a text, Embed splits a rejected request into halves. Embed sends no request while an EmbedQuery waits.
//
// The error is *UnavailableError, *MissingError, ErrDimensions, ErrModelReplaced or the context's error. With an error,
// no embeddings are returned.
func (c *Client) Embed(ctx context.Context, texts []string) ([]Embedding, error) {
	return c.embedTexts(ctx, c.embedder.document, texts)
}

// EmbedAsQueries embeds texts as [Client.Embed] does, but with the prompt of queries.
func (c *Client) EmbedAsQueries(ctx context.Context, texts []string) ([]Embedding, error) {
	return c.embedTexts(ctx, c.embedder.query, texts)
}

func (c *Client) embedTexts(ctx context.Context, prompt string, texts []string) ([]Embedding, error) {
	embeddings := make([]Embedding, len(texts))
	var filled []int // the positions of the texts that are not empty
	for i, text := range texts {
		if strings.TrimSpace(text) == "" {
			embeddings[i].Err = errBlank
		} else {
			filled = append(filled, i)
		}
	}
	if len(filled) == 0 {
		return embeddings, nil
	}
	model, err := c.EmbedModel(ctx)
	if err != nil {
		return nil, err
	}
	for batches := [][]int{filled}; len(batches) > 0; {
		batch := batches[0]
		batches = batches[1:]
		prompted := make([]string, len(batch))
		for i, position := range batch {
			prompted[i] = prompt + texts[position]
		}
		vectors, err := c.embedBatch(ctx, prompted)
		switch {
		case err == nil:
			for i, position := range batch {
				embeddings[position] = embedding(model.Digest, vectors[i])
			}
		case !errors.Is(err, ErrUnusableText) && !errors.Is(err, ErrInputTooLong):
			return nil, fmt.Errorf("embed %d texts: %w", len(texts), err)
		case len(batch) == 1:
			embeddings[batch[0]].Err = err
		default:
			half := len(batch) / 2
			batches = append(batches, batch[:half], batch[half:])
		}
	}
	// If the model was not replaced in the meantime, all vectors are of one build.
	now, err := c.askDigest(ctx)
	if err != nil {
		return nil, err
	}
	if now != model.Digest {
		return nil, ErrModelReplaced
	}
	return embeddings, nil
}

var errBlank = fmt.Errorf("%w: it is empty", ErrUnusableText)

// embedBatch makes a request for vectors of passages, once no such request runs and no query waits.
func (c *Client) embedBatch(ctx context.Context, texts []string) ([][]float32, error) {
	select {
	case c.passages <- struct{}{}:
		defer func() { <-c.passages }()
	case <-ctx.Done():
		return nil, ctx.Err() //nolint:wrapcheck // the caller's own
	}
	const pause = 2 * time.Millisecond
	for c.waiting.Load() > 0 {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err() //nolint:wrapcheck // the caller's own
		}
	}
	return c.vectors(ctx, embedTimeout, texts)
}

// vectors makes a request for vectors, without waiting for other requests.
func (c *Client) vectors(ctx context.Context, timeout time.Duration, texts []string) ([][]float32, error) {
	request := EmbedRequest{Model: c.cfg.EmbedModel, Texts: texts}
	if c.embedder.shortens {
		request.Dimensions = Dimensions
	}
	return retry(ctx, c, c.embeds, min(timeout, longestPause), func(ctx context.Context) ([][]float32, error) {
		ctx, cancel := context.WithTimeoutCause(ctx, timeout, noAnswer(timeout))
		defer cancel()
		vectors, err := c.server.Embed(ctx, request)
		c.mu.Lock()
		c.embedAt = time.Now()
		c.mu.Unlock()
		if err != nil {
			return nil, causeOf(ctx, err)
		}
		if len(vectors) != len(texts) {
			return nil, &ServerError{Err: fmt.Errorf("%w: %d vectors for %d texts", ErrBadResponse, len(vectors), len(texts))}
		}
		for _, vector := range vectors {
			if len(vector) > Dimensions {
				return nil, fmt.Errorf("%w: %s makes vectors of %d dimensions, and the index holds up to %d; "+
					"set embedding_model in settings.json to another model, such as mxbai-embed-large or bge-m3; "+
					"for qwen3-embedding, update Ollama instead, so that it shortens them",
					ErrDimensions, c.cfg.EmbedModel, len(vector), Dimensions)
			}
		}
		return vectors, nil
	})
}

// unitTolerance is how far the squared length of a unit vector may be from 1: more than its rounding errors.
const unitTolerance = 1e-3

// embedding scales the vector to length 1, in place, and adds zeros up to Dimensions. A vector that is zero or not a
// number gives an embedding with ErrBadResponse.
func embedding(digest string, vector []float32) Embedding {
	var square float64
	for _, x := range vector {
		square += float64(x) * float64(x)
	}
	if square == 0 || math.IsNaN(square) || math.IsInf(square, 0) {
		return Embedding{Err: fmt.Errorf("%w: a vector is zero or not a number", ErrBadResponse)}
	}
	if math.Abs(square-1) > unitTolerance {
		scale := 1 / math.Sqrt(square)
		for i, x := range vector {
			vector[i] = float32(float64(x) * scale)
		}
	}
	return Embedding{Vector: append(vector, make([]float32, Dimensions-len(vector))...), Digest: digest}
}

// maxQuery bounds the bytes of a query. It is far above any context window.
const maxQuery = 32 << 10

// EmbedQuery returns the embedding of a search query. The embedding's Err is nil. A query is sent before the texts of
// [Client.Embed]. If it is too long for the model, it is cut until it fits. The error for an empty query is
// ErrUnusableText; otherwise EmbedQuery returns the errors of [Client.Embed].
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

// queryVector embeds the query, which it cuts as far as necessary.
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
