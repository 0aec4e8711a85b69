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
// while, until an embedding fails or shows another model. If the hosts disagree the model is the one
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

// FreshModel is [Client.EmbedModel] without a memory: Ollama is asked.
func (c *Client) FreshModel(ctx context.Context) (Model, error) {
	c.mu.Lock()
	c.model.until = time.Time{}
	c.mu.Unlock()
	return c.EmbedModel(ctx)
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

// setModel notes the model in use.
func (c *Client) setModel(digest string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.model = identity{digest: digest, until: time.Now().Add(c.cfg.ModelTTL)}
}

// forgetModel makes the next [Client.EmbedModel] ask.
func (c *Client) forgetModel() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.model.until = time.Time{}
	for _, h := range c.hosts {
		h.seen = build{}
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

// build is one installation of a model. It tells a model that was replaced, and
// replaced back, from one that was left alone.
type build struct {
	digest    string
	installed time.Time
}

// unchanged makes a request for vectors of a host, and returns the digest of
// the model that made them. A model may be pulled at any time and takes effect
// with the next request, so the host is asked which one it has before and
// after: vectors that came in between two builds are of either, and are not
// used. Where there are several hosts the model has to be the one in use.
//
// The error is nil or a *failure.
func (c *Client) unchanged(ctx context.Context, h *host, request func(ctx context.Context) error) (string, error) {
	c.mu.Lock()
	last := h.seen
	c.mu.Unlock()
	for range buildTries {
		before, err := c.verify(ctx, h, last)
		if err != nil {
			return "", err
		}
		if err := request(ctx); err != nil {
			return "", err
		}
		after, err := c.buildAt(ctx, h)
		if err != nil {
			return "", err
		}
		if after == before {
			if len(c.hosts) == 1 {
				c.setModel(after.digest)
			}
			return after.digest, nil
		}
		c.cfg.Logger.InfoContext(ctx, "the embedding model was pulled meanwhile; its vectors are made again",
			"host", h.name, "from", shortDigest(before.digest), "to", shortDigest(after.digest))
		last = after
	}
	return "", &failure{kind: transient, host: h, err: errUnsettled}
}

// buildTries is how often vectors are made again for a model that is replaced
// each time.
const buildTries = 3

var errUnsettled = errors.New("the embedding model is replaced again and again")

// verify returns the build that the host has, which may be the one that it had
// when it was last asked. It is a *failure if that would make vectors with
// another version of the model than the one in use. A single host is its own
// measure.
func (c *Client) verify(ctx context.Context, h *host, last build) (build, error) {
	c.mu.Lock()
	want := c.model.digest
	c.mu.Unlock()
	fits := func(b build) bool { return b != (build{}) && (len(c.hosts) == 1 || b.digest == want) }
	if fits(last) {
		return last, nil
	}
	has, err := c.buildAt(ctx, h)
	if err != nil || fits(has) {
		return has, err
	}
	c.cfg.Logger.WarnContext(ctx, "host is not used for embedding", "host", h.name, "error", errOtherVersion)
	return build{}, otherVersion(h)
}

func (c *Client) digestAt(ctx context.Context, h *host) (string, error) {
	has, err := c.buildAt(ctx, h)
	return has.digest, err
}

// buildAt asks a host which build of the embedding model it has. The error is
// nil or a *failure.
func (c *Client) buildAt(ctx context.Context, h *host) (build, error) {
	models, err := h.models(ctx, c.cfg.ProbeTimeout)
	if err != nil {
		return build{}, err
	}
	has, ok := models[fullName(c.cfg.EmbedModel)]
	if !ok {
		return build{}, &failure{kind: modelMissing, host: h, err: errNotListed}
	}
	if !digestForm.MatchString(has.digest) {
		f := badResponse("a model with a strange digest")
		f.host = h
		return build{}, f
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	h.seen = has
	return has, nil
}

// digestForm bounds what is stored and shown of a host's word.
var digestForm = regexp.MustCompile(`^[0-9A-Za-z:._-]{1,128}$`)

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

// fullName returns the name as Ollama lists it: with a tag, in lower case, as
// Ollama does not tell cases apart.
func fullName(model string) string {
	if !strings.Contains(model[strings.LastIndex(model, "/")+1:], ":") {
		model += ":latest"
	}
	return strings.ToLower(model)
}
