package ollama

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/ollama/ollama/api"
)

// Embedding is the vector of a text, of length 1 and the configured number of
// dimensions, or the reason why this one text has none.
type Embedding struct {
	Vector []float32
	// Digest identifies the build of the model that made the vector. It may differ
	// from the one [Client.EmbedModel] returned before, and between the batches of
	// one call: check it before storing a vector.
	Digest string
	// Err is nil, or wraps ErrInputTooLong, *InputError or ErrBadResponse. It
	// concerns this text only.
	Err error
}

// Embed makes one request for the embeddings of the texts, and returns one per text, in
// order.
//
// Queries come first: while a [Client.EmbedQuery] waits for its embedding, the request is
// not sent, and there is at most one at a time. So a query waits for at most one request,
// and a request for as long as there are queries.
//
// The error is *UnavailableError, *ModelMissingError, *DimensionError or the
// context's. All embeddings of the call are then lost, so pass no more texts than
// can be lost.
func (c *Client) Embed(ctx context.Context, texts []string) ([]Embedding, error) {
	return c.embedTexts(ctx, c.embedder.document, texts)
}

// EmbedAsQueries is [Client.Embed] for texts that stand for queries: they get the prompt
// of queries, and people's queries go first.
func (c *Client) EmbedAsQueries(ctx context.Context, texts []string) ([]Embedding, error) {
	return c.embedTexts(ctx, c.embedder.query, texts)
}

func (c *Client) embedTexts(ctx context.Context, prompt string, texts []string) ([]Embedding, error) {
	embeddings := make([]Embedding, len(texts))
	var prompted []string
	var results []*Embedding
	for i, text := range texts {
		if strings.TrimSpace(text) == "" { // Ollama leaves empty texts out of its answer
			embeddings[i].Err = errBlank()
			continue
		}
		prompted, results = append(prompted, prompt+text), append(results, &embeddings[i])
	}
	if len(prompted) == 0 {
		return embeddings, nil
	}
	if err := c.embedBatch(ctx, c.turns.passage, prompted, results); err != nil {
		return nil, fmt.Errorf("embed %d texts: %w", len(texts), err)
	}
	return embeddings, nil
}

func errBlank() error { return &InputError{Problem: "it is empty"} }

// turn waits until a request may be sent. The caller calls end when it has ended.
type turn func(ctx context.Context) (end func(), err error)

// embedBatch fills results with the embeddings of the texts. One bad text fails its
// whole request, so a rejected batch is halved until the bad texts are alone.
func (c *Client) embedBatch(ctx context.Context, turn turn, texts []string, results []*Embedding) error {
	vectors, digest, err := c.embed(ctx, turn, texts)
	switch {
	case err == nil:
		for i, vector := range vectors {
			results[i].Vector, results[i].Err = c.normalize(vector)
			results[i].Digest = digest
		}
		return nil
	case !isInputError(err):
		return err
	case len(texts) == 1:
		results[0].Err = err
		return nil
	}
	half := len(texts) / 2
	if err := c.embedBatch(ctx, turn, texts[:half], results[:half]); err != nil {
		return err
	}
	return c.embedBatch(ctx, turn, texts[half:], results[half:])
}

func isInputError(err error) bool {
	_, ok := errors.AsType[*InputError](err)
	return ok || errors.Is(err, ErrInputTooLong)
}

// embed makes one request. It returns the vectors and the digest of the build that made
// all of them.
func (c *Client) embed(ctx context.Context, turn turn, texts []string) (vectors [][]float32, digest string, err error) {
	truncate := false
	req := &api.EmbedRequest{
		Model:     c.cfg.EmbedModel,
		Input:     texts,
		KeepAlive: &api.Duration{Duration: keepAlive},
		Truncate:  &truncate,
	}
	if c.embedder.shortens {
		req.Dimensions = c.cfg.Dimensions
	}
	err = c.withModel(ctx, c.cfg.EmbedModel, func(ctx context.Context) (err error) {
		digest, err = c.withSameBuild(ctx, func(ctx context.Context) error {
			end, err := turn(ctx)
			if err != nil {
				return err
			}
			defer end()
			req.Options = c.embedOptions(ctx)
			vectors, err = c.request(ctx, req, len(texts))
			return err
		})
		return err
	})
	if err != nil && !isInputError(err) && ctx.Err() == nil {
		c.forgetModel()
	}
	return vectors, digest, err
}

// request sends a request for vectors. The error is nil or a *failure.
func (c *Client) request(ctx context.Context, req *api.EmbedRequest, texts int) (vectors [][]float32, err error) {
	err = c.call(ctx, func(ctx context.Context) error {
		return c.whileAlive(ctx, &timeoutError{after: c.cfg.EmbedTimeout}, func(ctx context.Context) error {
			resp, err := c.api.Embed(withLimit(ctx, int64(texts)*maxComponents*bytesComponent+maxAround), req)
			if err != nil {
				return err //nolint:wrapcheck // classify wants it as it is
			}
			vectors = resp.Embeddings
			return c.check(vectors, texts)
		})
	})
	return vectors, err
}

// check returns a *failure if the number of the vectors is wrong or they are too long.
func (c *Client) check(vectors [][]float32, want int) error {
	if len(vectors) != want {
		return badResponse(fmt.Sprintf("%d vectors for %d texts", len(vectors), want))
	}
	for _, vector := range vectors {
		if len(vector) > c.cfg.Dimensions {
			return &failure{kind: wrongModel, err: &DimensionError{
				Model: c.cfg.EmbedModel, Got: len(vector), Most: c.cfg.Dimensions, Shortens: c.embedder.shortens,
			}}
		}
	}
	return nil
}

// unitTolerance is how far the squared length of a unit vector may be from 1. The
// rounding errors of 1,024 float32 components add up to much less.
const unitTolerance = 1e-3

// normalize scales the vector to length 1, in place, and adds zeros up to the index's
// dimensions, which change no cosine. The error is ErrBadResponse for a vector that is
// zero, infinite or not a number.
func (c *Client) normalize(vector []float32) ([]float32, error) {
	var square float64
	for _, x := range vector {
		square += float64(x) * float64(x)
	}
	if square == 0 || math.IsNaN(square) || math.IsInf(square, 0) {
		return nil, fmt.Errorf("%w: a vector is zero or not a number", ErrBadResponse)
	}
	if math.Abs(square-1) > unitTolerance {
		scale := 1 / math.Sqrt(square)
		for i, x := range vector {
			vector[i] = float32(float64(x) * scale)
		}
	}
	return append(vector, make([]float32, c.cfg.Dimensions-len(vector))...), nil
}
