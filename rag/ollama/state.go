package ollama

import (
	"context"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/modelhttp"
)

// State asks the server for its version, and for which of the models it lacks, whatever its
// last answers were. It pulls nothing.
func (c *Client) State(ctx context.Context, models ...string) model.State {
	state := model.State{Host: c.server.http.Host}
	state.Err = c.Once(ctx, func(ctx context.Context) error {
		var answer struct {
			Version string `json:"version"`
		}
		err := c.server.http.Ask(ctx, "/api/version", nil, &answer, modelhttp.MaxAnswer)
		if err != nil {
			return err
		}
		list, err := c.server.list(ctx)
		if err != nil {
			return err
		}
		state.Name = "Ollama " + answer.Version
		for _, name := range models {
			if _, has := digestOf(list, name); !has {
				state.Missing = append(state.Missing, name)
			}
		}
		return nil
	})
	return state
}
