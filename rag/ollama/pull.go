package ollama

import (
	"context"
	"fmt"

	"github.com/compound-docs/compound-docs/rag/model"
)

// maxPull bounds what a server says of the progress of a pull, in bytes.
const maxPull = 32 << 20

// PullMissing pulls those of the models that the server lacks, one after the other. It calls
// progress with the bytes of the present part; total is 0 in a step that pulls none.
func (c *Client) PullMissing(
	ctx context.Context, models []string, progress func(model string, completed, total int64),
) error {
	state := c.State(ctx, models...)
	for _, name := range state.Missing {
		err := c.server.stream(ctx, "/api/pull", map[string]any{"model": name}, maxPull, func(p part) (last bool) {
			progress(name, p.Completed, p.Total)
			return p.Status == "success"
		})
		if err != nil {
			return &model.UnavailableError{Server: "ollama at " + state.Host, CircuitState: "closed", Err: fmt.Errorf("pull %s: %w", name, err)}
		}
	}
	return state.Err
}
