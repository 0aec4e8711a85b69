package ollama

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/ollama/ollama/api"

	"github.com/compound-docs/compound-docs/rag/model"
)

// Embed makes one request for the embeddings of the texts, and returns one per text, in
// order.
//
// Queries come first: while a [Client.EmbedQuery] waits for its embedding, the request is
// not sent, and there is at most one at a time. So a query waits for at most one request,
// and a request for as long as there are queries.
//
// The error is *model.UnavailableError, *model.ModelMissingError, *model.DimensionError or the
// context's. All embeddings of the call are then lost, so pass no more texts than
// can be lost.
func (c *Client) Embed(ctx context.Context, texts []string) ([]model.Embedding, error) {
	return c.embedTexts(ctx, c.embedder.document, texts)
}

// EmbedAsQueries is [Client.Embed] for texts that stand for queries: they get the prompt
// of queries, and people's queries go first.
func (c *Client) EmbedAsQueries(ctx context.Context, texts []string) ([]model.Embedding, error) {
	return c.embedTexts(ctx, c.embedder.query, texts)
}

func (c *Client) embedTexts(ctx context.Context, prompt string, texts []string) ([]model.Embedding, error) {
	embeddings := make([]model.Embedding, len(texts))
	var prompted []string
	var results []*model.Embedding
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

func errBlank() error { return &model.InputError{Problem: "it is empty"} }

// turn waits until a request may be sent. The caller calls end when it has ended.
type turn func(ctx context.Context) (end func(), err error)

// embedBatch fills results with the embeddings of the texts. One bad text fails its
// whole request, so a rejected batch is halved until the bad texts are alone.
func (c *Client) embedBatch(ctx context.Context, turn turn, texts []string, results []*model.Embedding) error {
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
	_, ok := errors.AsType[*model.InputError](err)
	return ok || errors.Is(err, model.ErrInputTooLong)
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
			return &failure{kind: wrongModel, err: &model.DimensionError{
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
// dimensions, which change no cosine. The error is model.ErrBadResponse for a vector that is
// zero, infinite or not a number.
func (c *Client) normalize(vector []float32) ([]float32, error) {
	var square float64
	for _, x := range vector {
		square += float64(x) * float64(x)
	}
	if square == 0 || math.IsNaN(square) || math.IsInf(square, 0) {
		return nil, fmt.Errorf("%w: a vector is zero or not a number", model.ErrBadResponse)
	}
	if math.Abs(square-1) > unitTolerance {
		scale := 1 / math.Sqrt(square)
		for i, x := range vector {
			vector[i] = float32(float64(x) * scale)
		}
	}
	return append(vector, make([]float32, c.cfg.Dimensions-len(vector))...), nil
}
