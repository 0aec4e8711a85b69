package ollama

import (
	"context"
	"fmt"
	"time"

	"github.com/compound-docs/compound-docs/rag/model"
)

// State describes the server.
type State struct {
	Host    string   // URL without user name and password
	Version string   // "" if it does not answer
	Missing []string // models of the configuration that it lacks
	Err     error    // why nothing more is known
}

// stateTimeout is for a server that hangs: somebody waits for the answer.
const stateTimeout = 5 * time.Second

// State asks the server, whatever its last answers were. It pulls nothing.
func (c *Client) State(ctx context.Context) State {
	state := State{Host: c.server.host}
	limited, cancel := context.WithTimeoutCause(ctx, stateTimeout, fmt.Errorf("no answer within %s", stateTimeout))
	defer cancel()
	var answer struct {
		Version string `json:"version"`
	}
	err := c.server.ask(limited, "/api/version", nil, &answer, maxAnswer)
	var models []listed
	if err == nil {
		models, err = c.server.list(limited)
	}
	if limited.Err() != nil {
		err = context.Cause(limited)
	}
	if err != nil {
		state.Err = &model.UnavailableError{Server: "ollama at " + state.Host, CircuitState: "closed", Err: err}
		return state
	}
	state.Version = answer.Version
	for _, name := range c.models {
		if _, has := digestOf(models, name); !has {
			state.Missing = append(state.Missing, name)
		}
	}
	return state
}
