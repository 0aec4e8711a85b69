package ollama

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/compound-docs/compound-docs/rag/model"
)

// build is one installation of a model. The time distinguishes a model that was
// replaced and then restored from one that never changed.
type build struct {
	digest    string
	installed time.Time
}

// identity caches the build of the embedding model. The zero value is not known.
type identity struct {
	build

	until time.Time
}

// EmbedModel identifies the embedding model. The result is cached for
// [Config.ModelTTL], or until an embedding fails or another build is found. Errors are
// those of [Client.Embed].
func (c *Client) EmbedModel(ctx context.Context) (model.Model, error) {
	c.mu.Lock()
	known := c.model
	c.mu.Unlock()
	if time.Now().After(known.until) {
		err := c.withModel(ctx, c.cfg.EmbedModel, func(ctx context.Context) (err error) {
			known.build, err = c.embedBuild(ctx)
			return err
		})
		if err != nil {
			return model.Model{}, fmt.Errorf("identify model %s: %w", c.cfg.EmbedModel, err)
		}
	}
	return model.Model{
		Name: c.cfg.EmbedModel, Digest: known.digest,
		Dimensions: c.cfg.Dimensions, PromptVersion: c.embedder.prompts.version(),
	}, nil
}

// forgetModel makes the next call ask the server for the model. Cached queries stay.
func (c *Client) forgetModel() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.model.until, c.model.installed = time.Time{}, time.Time{}
}

// buildTries is how often a request is made while the model keeps changing.
const buildTries = 3

var errModelKeepsChanging = errors.New("the embedding model keeps changing; wait until its pulls have ended")

// withSameBuild runs a request for vectors and returns the digest of the build that
// made them. A model may be pulled at any time and is used from the next request
// on, so the server is asked for its build before and after the request; if it
// changed, the request is repeated. The error is nil or a *failure.
func (c *Client) withSameBuild(ctx context.Context, request func(ctx context.Context) error) (digest string, err error) {
	c.mu.Lock()
	before := c.model.build
	c.mu.Unlock()
	if before.installed.IsZero() {
		if before, err = c.embedBuild(ctx); err != nil {
			return "", err
		}
	}
	for range buildTries {
		if err := request(ctx); err != nil {
			return "", err
		}
		after, err := c.embedBuild(ctx)
		if err != nil {
			return "", err
		}
		if after == before {
			return after.digest, nil
		}
		c.cfg.Logger.InfoContext(ctx, "the embedding model changed during the request, embedding again",
			"from", shortDigest(before.digest), "to", shortDigest(after.digest))
		before = after
	}
	return "", &failure{kind: transient, err: errModelKeepsChanging}
}

// embedBuild asks for the build of the embedding model, and remembers it. The error is
// nil or a *failure.
func (c *Client) embedBuild(ctx context.Context) (build, error) {
	has, err := c.askBuild(ctx, c.cfg.EmbedModel, c.cfg.ProbeTimeout)
	if err != nil {
		return build{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.model = identity{build: has, until: time.Now().Add(c.cfg.ModelTTL)}
	return has, nil
}

// validDigest limits what is stored and shown of a digest that a server sends.
func validDigest(digest string) bool {
	const longest, others = 128, ":._-"
	return digest != "" && len(digest) <= longest && !strings.ContainsFunc(digest, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && !strings.ContainsRune(others, r)
	})
}

var errNotListed = errors.New("not in the list of models")

// askBuild asks for the build of a model. The error is nil or a *failure.
func (c *Client) askBuild(ctx context.Context, model string, timeout time.Duration) (has build, err error) {
	err = c.call(ctx, func(ctx context.Context) error {
		return withTimeout(ctx, timeout, func(ctx context.Context) error {
			list, err := c.api.List(ctx)
			if err != nil {
				return err //nolint:wrapcheck // classify wants it as it is
			}
			i := slices.IndexFunc(list.Models, func(listed api.ListModelResponse) bool {
				return fullName(listed.Name) == fullName(model)
			})
			if i < 0 {
				return &failure{kind: modelMissing, err: errNotListed}
			}
			has = build{digest: list.Models[i].Digest, installed: list.Models[i].ModifiedAt.UTC()}
			if !validDigest(has.digest) {
				return badResponse("the digest of a model is invalid")
			}
			return nil
		})
	})
	return has, err
}

func shortDigest(digest string) string { return digest[:min(12, len(digest))] }

// fullName returns a model's name as it is compared: with a tag, and in lower case
// because Ollama ignores case.
func fullName(model string) string {
	if !strings.Contains(model[strings.LastIndex(model, "/")+1:], ":") {
		model += ":latest"
	}
	return strings.ToLower(model)
}

// State describes the server.
type State struct {
	Host    string // URL without user name and password
	Version string // "" if it does not answer
	// Missing are the models of the configuration that it lacks.
	Missing []string
	// Err is why nothing more is known, and nil if it answers.
	Err error
}

// stateTimeout is for a server that hangs: somebody waits for the answer.
const stateTimeout = 5 * time.Second

// State asks the server, whatever its last answers were. It pulls nothing.
func (c *Client) State(ctx context.Context) State {
	state := State{Host: c.host}
	var list *api.ListResponse
	err := withTimeout(ctx, stateTimeout, func(ctx context.Context) (err error) {
		if state.Version, err = c.api.Version(ctx); err == nil {
			list, err = c.api.List(ctx)
		}
		return err //nolint:wrapcheck // classify wants it as it is
	})
	if err != nil {
		return State{Host: c.host, Err: c.publicError(classify(ctx, err))}
	}
	has := map[string]bool{}
	for _, model := range list.Models {
		has[fullName(model.Name)] = true
	}
	for _, model := range []string{c.cfg.EmbedModel, c.cfg.ChatModel} {
		if !has[fullName(model)] {
			state.Missing = append(state.Missing, model)
		}
	}
	return state
}

// PullMissing pulls the models that the server lacks, or those of only, one after the other, and
// calls progress now and then. Other calls wait for a model only for a moment; this one waits
// until it is there.
func (c *Client) PullMissing(ctx context.Context, progress func(model string, status PullStatus), only ...string) error {
	state := c.State(ctx)
	for _, model := range state.Missing {
		if len(only) > 0 && !slices.Contains(only, model) {
			continue
		}
		report := func(status PullStatus) { progress(model, status) }
		if err := c.awaitPull(ctx, model, c.cfg.PullLimit, report); err != nil {
			return err
		}
	}
	return state.Err
}
