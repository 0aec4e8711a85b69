package ollama

import (
	"context"
	"slices"
	"time"

	"github.com/ollama/ollama/api"
)

// State describes the server.
type State struct {
	Host    string // URL without user name and password
	Version string // "" if it does not answer
	// Has are the models that it has, with their tags.
	Has []string
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
		state.Has = append(state.Has, model.Name)
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
