package ollama

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

// Model identifies what makes the vectors: vectors are comparable if and only
// if all of it is equal.
type Model struct {
	// Name as configured.
	Name string
	// Digest of the model's manifest, in hex.
	Digest string
	// Dimensions of a vector.
	Dimensions int
	// PromptVersion is the package's constant of that name.
	PromptVersion int
}

// identity is what the client knows of the embedding model.
type identity struct {
	digest string // "" until some host was asked
	until  time.Time
}

// EmbedModel identifies the embedding model. The answer is remembered for a
// while, until an embedding fails. If the hosts disagree the model is the one
// that it was before, as long as one of them has it, and else the first
// host's. Errors are those of [Client.Embed].
func (c *Client) EmbedModel(ctx context.Context) (Model, error) {
	c.mu.Lock()
	known := c.model
	c.mu.Unlock()
	if known.digest == "" || time.Now().After(known.until) {
		digest, err := c.findModel(ctx, known.digest)
		if err != nil {
			return Model{}, fmt.Errorf("identify model %s: %w", c.cfg.EmbedModel, err)
		}
		known.digest = digest
		c.setModel(digest)
	}
	return Model{
		Name: c.cfg.EmbedModel, Digest: known.digest,
		Dimensions: c.cfg.Dimensions, PromptVersion: PromptVersion,
	}, nil
}

// findModel returns the embedding model's digest: the one before, if a host
// has it, else that of the first host, if all have another.
func (c *Client) findModel(ctx context.Context, before string) (string, error) {
	found := ""
	others := map[*host]string{}
	err := c.withModel(ctx, c.cfg.EmbedModel, inOrder, func(ctx context.Context, h *host) error {
		digest, err := c.digestAt(ctx, h)
		if err != nil {
			return err
		}
		if before != "" && digest != before {
			others[h] = digest
			return otherVersion(h)
		}
		found = digest
		return nil
	})
	if err != nil && len(others) == len(c.hosts) {
		return others[c.hosts[0]], nil
	}
	return found, err
}

func otherVersion(h *host) *failure {
	return &failure{kind: refused, host: h, err: errOtherVersion}
}

var errOtherVersion = errors.New("the embedding model is another version than the one in use; pull the same one on every host")

// setModel notes the model in use. Vectors of another are dropped.
func (c *Client) setModel(digest string) {
	c.mu.Lock()
	changed := c.model.digest != digest
	c.model = identity{digest: digest, until: time.Now().Add(c.cfg.ModelTTL)}
	c.mu.Unlock()
	if changed {
		c.queries.Purge()
	}
}

// forgetModel makes the next [Client.EmbedModel] ask.
func (c *Client) forgetModel() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.model.until = time.Time{}
	for _, h := range c.hosts {
		h.verified = time.Time{}
	}
}

// agreeOnModel sees to it that several hosts have a model to be measured by.
func (c *Client) agreeOnModel(ctx context.Context) error {
	c.mu.Lock()
	agreed := len(c.hosts) == 1 || c.model.digest != ""
	c.mu.Unlock()
	if agreed {
		return nil
	}
	_, err := c.EmbedModel(ctx)
	return err
}

// verify returns a *failure if the host would make vectors with another
// version of the model than the one in use. A single host is its own measure.
func (c *Client) verify(ctx context.Context, h *host) error {
	c.mu.Lock()
	want, fresh := c.model.digest, time.Since(h.verified) < c.cfg.ModelTTL
	c.mu.Unlock()
	if fresh || len(c.hosts) == 1 {
		return nil
	}
	digest, err := c.digestAt(ctx, h)
	if err != nil {
		return err
	}
	if digest != want {
		c.cfg.Logger.WarnContext(ctx, "host is not used for embedding", "host", h.name, "error", errOtherVersion)
		return otherVersion(h)
	}
	c.mu.Lock()
	h.verified = time.Now()
	c.mu.Unlock()
	return nil
}

// digestAt asks a host for the embedding model's digest. The error is nil or a
// *failure.
func (c *Client) digestAt(ctx context.Context, h *host) (string, error) {
	models, err := h.models(ctx, c.cfg.ProbeTimeout)
	if err != nil {
		return "", err
	}
	digest, ok := models[fullName(c.cfg.EmbedModel)]
	if !ok {
		return "", &failure{kind: modelMissing, host: h, err: errNotListed}
	}
	return digest, nil
}

var errNotListed = errors.New("not in the list of models")

// models returns the digests of the host's models by full name.
func (h *host) models(ctx context.Context, timeout time.Duration) (map[string]string, error) {
	digests := map[string]string{}
	err := h.call(ctx, func(ctx context.Context, client *api.Client) error {
		return withTimeout(ctx, timeout, func(ctx context.Context) error {
			list, err := client.List(ctx)
			if err != nil {
				return err //nolint:wrapcheck // classify wants it as it is
			}
			for _, model := range list.Models {
				digests[fullName(model.Name)] = model.Digest
			}
			return nil
		})
	})
	return digests, err
}

// fullName returns the name as Ollama lists it: with a tag, in lower case, as
// Ollama does not tell cases apart.
func fullName(model string) string {
	if !strings.Contains(model[strings.LastIndex(model, "/")+1:], ":") {
		model += ":latest"
	}
	return strings.ToLower(model)
}
