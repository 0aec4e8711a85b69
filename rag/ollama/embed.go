package ollama

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ollama/ollama/api"
	"golang.org/x/sync/errgroup"

	"github.com/compound-docs/compound-docs/internal/panics"
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

// Embed returns one embedding per text, in order. Equal texts are embedded once and
// share a vector, so callers must not change vectors. Texts are sent in batches,
// which are spread over the hosts; texts within [Config.BatchSize] and
// [Config.BatchBytes] are one request.
//
// Queries come first: while an [Client.EmbedQuery] waits for its embedding, no batch
// is sent, and each host has at most one batch at a time. So a query waits for at
// most one batch, and a batch for as long as there are queries.
//
// The error is *UnavailableError, *ModelMissingError, *DimensionError or the
// context's. All embeddings of the call are then lost, so pass no more texts than
// can be stored at once.
func (c *Client) Embed(ctx context.Context, texts []string) ([]Embedding, error) {
	unique, at := deduplicate(texts)
	for i, text := range unique {
		unique[i] = c.prompts.document + text
	}
	results := make([]Embedding, len(unique))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(len(c.hosts))
	start := 0
	for _, size := range c.batches(unique) {
		batch, into := unique[start:start+size], results[start:start+size]
		start += size
		group.Go(func() error {
			return panics.Catch(func() error { return c.embedBatch(groupCtx, forIndex, batch, into) })
		})
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("embed %d texts: %w", len(texts), err)
	}
	embeddings := make([]Embedding, len(texts))
	for i := range texts {
		if at[i] == blank {
			embeddings[i].Err = errBlank()
			continue
		}
		embeddings[i] = results[at[i]]
	}
	return embeddings, nil
}

// blank is the index of a text that holds only white space: it is not sent,
// because Ollama leaves empty texts out of its answer.
const blank = -1

func errBlank() error { return &InputError{Problem: "it is empty"} }

// deduplicate returns the distinct texts that are not blank, and for each text its
// index among them, or blank.
func deduplicate(texts []string) (unique []string, at []int) {
	seen := make(map[string]int, len(texts))
	at = make([]int, len(texts))
	for i, text := range texts {
		if strings.TrimSpace(text) == "" {
			at[i] = blank
			continue
		}
		index, ok := seen[text]
		if !ok {
			index = len(unique)
			seen[text] = index
			unique = append(unique, text)
		}
		at[i] = index
	}
	return unique, at
}

// batches returns the numbers of texts in consecutive batches.
func (c *Client) batches(texts []string) []int {
	var sizes []int
	size, bytes := 0, 0
	for _, text := range texts {
		if size > 0 && (size == c.cfg.BatchSize || bytes+len(text) > c.cfg.BatchBytes) {
			sizes = append(sizes, size)
			size, bytes = 0, 0
		}
		size++
		bytes += len(text)
	}
	if size > 0 {
		sizes = append(sizes, size)
	}
	return sizes
}

// embedBatch fills results with the embeddings of the texts. One bad text fails its
// whole request, so a rejected batch is halved until the bad texts are alone.
func (c *Client) embedBatch(ctx context.Context, what work, texts []string, results []Embedding) error {
	vectors, digest, err := c.embed(ctx, what, texts)
	switch {
	case err == nil:
		for i, vector := range vectors {
			results[i].Vector, results[i].Err = normalize(vector)
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
	if err := c.embedBatch(ctx, what, texts[:half], results[:half]); err != nil {
		return err
	}
	return c.embedBatch(ctx, what, texts[half:], results[half:])
}

func isInputError(err error) bool {
	_, ok := errors.AsType[*InputError](err)
	return ok || errors.Is(err, ErrInputTooLong)
}

// embed makes one request to the least busy host. It returns the vectors and the
// digest of the build that made all of them.
func (c *Client) embed(ctx context.Context, what work, texts []string) (vectors [][]float32, digest string, err error) {
	if err := c.resolveModel(ctx); err != nil {
		return nil, "", err
	}
	truncate := false
	req := &api.EmbedRequest{
		Model:     c.cfg.EmbedModel,
		Input:     texts,
		KeepAlive: &api.Duration{Duration: c.cfg.KeepAlive},
		Truncate:  &truncate,
	}
	err = c.withModel(ctx, c.cfg.EmbedModel, leastBusy, func(ctx context.Context, h *host) (err error) {
		digest, err = c.withSameBuild(ctx, h, func(ctx context.Context) error {
			end, err := c.turn(ctx, h, what)
			if err != nil {
				return err
			}
			defer end()
			vectors, err = c.embedOn(ctx, h, req, len(texts))
			return err
		})
		return err
	})
	if err != nil && !isInputError(err) && ctx.Err() == nil {
		c.forgetModel()
	}
	return vectors, digest, err
}

// embedOn sends the request to one host. The error is nil or a *failure.
func (c *Client) embedOn(ctx context.Context, h *host, req *api.EmbedRequest, texts int) (vectors [][]float32, err error) {
	err = h.call(ctx, func(ctx context.Context, client *api.Client) error {
		return withTimeout(ctx, c.cfg.EmbedTimeout, func(ctx context.Context) error {
			return withLivenessProbe(ctx, client, c.cfg.ProbeTimeout, func(ctx context.Context) error {
				return withBounds(ctx, embedBounds(texts), func(ctx context.Context) error {
					resp, err := client.Embed(ctx, req)
					if err != nil {
						return err //nolint:wrapcheck // classify wants it as it is
					}
					vectors = resp.Embeddings
					return c.check(vectors, texts)
				})
			})
		})
	})
	return vectors, err
}

// check returns a *failure if the number or the length of the vectors is wrong.
func (c *Client) check(vectors [][]float32, want int) error {
	if len(vectors) != want {
		return badResponse(fmt.Sprintf("%d vectors for %d texts", len(vectors), want))
	}
	for _, vector := range vectors {
		if len(vector) != c.cfg.Dimensions {
			return &failure{kind: wrongModel, err: &DimensionError{
				Model: c.cfg.EmbedModel, Got: len(vector), Want: c.cfg.Dimensions,
			}}
		}
	}
	return nil
}
