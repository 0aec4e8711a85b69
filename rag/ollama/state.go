package ollama

import (
	"context"
	"slices"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/modelhttp"
)

// State asks the server for its version, and for which of the models it lacks, whatever its
// last answers were. It pulls nothing.
func (c *Client) State(ctx context.Context, models ...string) model.State {
	http := c.server.http
	state := model.State{Host: http.Host}
	state.Err = c.Once(ctx, func(ctx context.Context) error {
		var answer struct {
			Version string `json:"version"`
		}
		err := http.Ask(ctx, "/api/version", nil, &answer, modelhttp.MaxAnswer)
		if err == nil && answer.Version == "" {
			err = http.BadResponse("it has no version")
		}
		if err != nil {
			return err
		}
		list, err := c.server.list(ctx)
		if err != nil {
			return err
		}
		for _, m := range list {
			state.Models = append(state.Models, m.Name)
		}
		state.Name = "Ollama " + answer.Version
		for _, name := range models {
			if _, has := digestOf(list, name); !has {
				state.Missing = append(state.Missing, name)
			}
		}
		if len(models) == 0 {
			return nil
		}
		var shown struct {
			Capabilities []string `json:"capabilities"` // older servers say none
		}
		err = http.Ask(ctx, "/api/show", map[string]any{"model": models[0]}, &shown, modelhttp.MaxAnswer)
		state.OnlyChat = err == nil && len(shown.Capabilities) > 0 && !slices.Contains(shown.Capabilities, "embedding")
		return nil
	})
	state.Remedy = http.Remedy(state.Err)
	return state
}
