package ollama

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

// Model identifies what makes the vectors. Vectors are comparable if and only if
// their Models are equal.
type Model struct {
	// Name is the configured name.
	Name string
	// Digest is the hexadecimal digest of the model's manifest.
	Digest string
	// Dimensions is the number of components of a vector.
	Dimensions int
	// PromptVersion stands for the prompts that the model gets before queries and
	// passages. It changes with them.
	PromptVersion int
}

// identity caches the digest of the embedding model.
type identity struct {
	digest string // "" until a host was asked
	until  time.Time
}

// EmbedModel identifies the embedding model. The result is cached for
// [Config.ModelTTL], or until an embedding fails or another build is found. If the
// hosts have different builds, the one in use stays as long as a host has it; else
// the first host's is taken. Errors are those of [Client.Embed].
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
		Dimensions: c.cfg.Dimensions, PromptVersion: c.prompts.version(),
	}, nil
}

// findModel returns the embedding model's digest: the previous one, "" for none, if
// a host has it, else that of the first host.
func (c *Client) findModel(ctx context.Context, before string) (string, error) {
	found := ""
	others := map[*host]string{}
	err := c.withModel(ctx, c.cfg.EmbedModel, inOrder, func(ctx context.Context, h *host) error {
		digest, err := c.digestOn(ctx, h)
		if err != nil {
			return err
		}
		if before != "" && digest != before {
			others[h] = digest
			return wrongBuild(h)
		}
		found = digest
		return nil
	})
	if err != nil && len(others) == len(c.hosts) {
		return others[c.hosts[0]], nil
	}
	return found, err
}

func wrongBuild(h *host) *failure {
	return &failure{kind: refused, host: h, err: errOtherVersion}
}

var errOtherVersion = errors.New("the embedding model is another version than the one in use; pull the same one on every host")

// setModel sets the digest of the model in use.
func (c *Client) setModel(digest string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.model = identity{digest: digest, until: time.Now().Add(c.cfg.ModelTTL)}
}

// forgetModel drops the cached identity, so that the next [Client.EmbedModel] asks.
func (c *Client) forgetModel() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.model.until = time.Time{}
	for _, h := range c.hosts {
		h.seen = build{}
	}
}

// resolveModel finds out which build to use if there are several hosts. A single
// host's build is always the one in use.
func (c *Client) resolveModel(ctx context.Context) error {
	c.mu.Lock()
	agreed := len(c.hosts) == 1 || c.model.digest != ""
	c.mu.Unlock()
	if agreed {
		return nil
	}
	_, err := c.EmbedModel(ctx)
	return err
}

// build is one installation of a model. The time distinguishes a model that was
// replaced and then restored from one that never changed.
type build struct {
	digest    string
	installed time.Time
}

// withSameBuild runs a request for vectors and returns the digest of the build that
// made them. A model may be pulled at any time and is used from the next request
// on, so the host is asked for its build before and after the request; if it
// changed, the request is repeated. With several hosts the build must be the one
// in use. The error is nil or a *failure.
func (c *Client) withSameBuild(ctx context.Context, h *host, request func(ctx context.Context) error) (string, error) {
	c.mu.Lock()
	last := h.seen
	c.mu.Unlock()
	for range buildTries {
		before, err := c.usableBuild(ctx, h, last)
		if err != nil {
			return "", err
		}
		if err := request(ctx); err != nil {
			return "", err
		}
		after, err := c.buildOn(ctx, h)
		if err != nil {
			return "", err
		}
		if after == before {
			if len(c.hosts) == 1 {
				c.setModel(after.digest)
			}
			return after.digest, nil
		}
		c.cfg.Logger.InfoContext(ctx, "the embedding model changed during the request, embedding again",
			"host", h.name, "from", shortDigest(before.digest), "to", shortDigest(after.digest))
		last = after
	}
	return "", &failure{kind: transient, host: h, err: errModelKeepsChanging}
}

// buildTries is how often a request is made while the model keeps changing.
const buildTries = 3

var errModelKeepsChanging = errors.New("the embedding model keeps changing; wait until its pulls have ended")

// usableBuild returns the host's build: last if it is still usable, else it asks the
// host. The error is a *failure, if the host has another build than the one in
// use or cannot be asked. Every build of a single host is usable.
func (c *Client) usableBuild(ctx context.Context, h *host, last build) (build, error) {
	c.mu.Lock()
	want := c.model.digest
	c.mu.Unlock()
	fits := func(b build) bool { return b != (build{}) && (len(c.hosts) == 1 || b.digest == want) }
	if fits(last) {
		return last, nil
	}
	has, err := c.buildOn(ctx, h)
	if err != nil || fits(has) {
		return has, err
	}
	c.cfg.Logger.WarnContext(ctx, "host is not used for embedding", "host", h.name, "error", errOtherVersion)
	return build{}, wrongBuild(h)
}

func (c *Client) digestOn(ctx context.Context, h *host) (string, error) {
	has, err := c.buildOn(ctx, h)
	return has.digest, err
}

// buildOn asks a host for its build of the embedding model. The error is nil or a
// *failure.
func (c *Client) buildOn(ctx context.Context, h *host) (build, error) {
	models, err := h.models(ctx, c.cfg.ProbeTimeout)
	if err != nil {
		return build{}, err
	}
	has, ok := models[fullName(c.cfg.EmbedModel)]
	if !ok {
		return build{}, &failure{kind: modelMissing, host: h, err: errNotListed}
	}
	if !validDigest.MatchString(has.digest) {
		f := badResponse("the digest of a model is invalid")
		f.host = h
		return build{}, f
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	h.seen = has
	return has, nil
}

// validDigest limits what is stored and shown of a digest that a host sends.
var validDigest = regexp.MustCompile(`^[0-9A-Za-z:._-]{1,128}$`)

var errNotListed = errors.New("not in the list of models")

func shortDigest(digest string) string { return digest[:min(12, len(digest))] }

// models returns the host's models by full name.
func (h *host) models(ctx context.Context, timeout time.Duration) (map[string]build, error) {
	models := map[string]build{}
	err := h.call(ctx, func(ctx context.Context, client *api.Client) error {
		return withTimeout(ctx, timeout, func(ctx context.Context) error {
			list, err := client.List(ctx)
			if err != nil {
				return err //nolint:wrapcheck // classify wants it as it is
			}
			for _, model := range list.Models {
				models[fullName(model.Name)] = build{digest: model.Digest, installed: model.ModifiedAt.UTC()}
			}
			return nil
		})
	})
	return models, err
}

// fullName returns a model's name as it is compared: with a tag, and in lower case
// because Ollama ignores case.
func fullName(model string) string {
	if !strings.Contains(model[strings.LastIndex(model, "/")+1:], ":") {
		model += ":latest"
	}
	return strings.ToLower(model)
}
