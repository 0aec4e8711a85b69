package ollama

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/rag/model"
)

// State describes the server.
type State struct {
	Host     string   // URL without user name and password
	Version  string   // "" if it does not answer
	Missing  []string // models of the configuration that it lacks
	Models   []string // those that it has
	OnlyChat bool     // the embedding model is made for answers
	Err      error    // why nothing more is known
	Remedy   string   // what mends Err, "" if that is not known
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
	if err == nil && answer.Version == "" {
		err = badResponse("it has no version")
	}
	if err == nil {
		models, err = c.server.list(limited)
	}
	if limited.Err() != nil {
		err = context.Cause(limited)
	}
	if err != nil {
		state.Err = &model.UnavailableError{Server: "ollama at " + state.Host, CircuitState: "closed", Err: err}
		state.Remedy = c.server.remedy(err)
		return state
	}
	for _, m := range models {
		state.Models = append(state.Models, m.Name)
	}
	state.Version = answer.Version
	for _, name := range c.models {
		if _, has := digestOf(models, name); !has {
			state.Missing = append(state.Missing, name)
		}
	}
	var shown struct {
		Capabilities []string `json:"capabilities"` // older servers say none
	}
	err = c.server.ask(limited, "/api/show", map[string]any{"model": c.models[0]}, &shown, maxAnswer)
	state.OnlyChat = err == nil && len(shown.Capabilities) > 0 && !slices.Contains(shown.Capabilities, "embedding")
	return state
}

// remedy says what mends an error of the server's address, "" if that is not known.
func (s *server) remedy(err error) string {
	set := func(scheme string) string { return "run: export CDOCS_OLLAMA_HOST=" + scheme + "://" + s.base.Host }
	failure, _ := errors.AsType[*model.ServerError](err)
	isOther := errors.Is(err, model.ErrBadResponse) || strings.HasPrefix(err.Error(), "the connection broke") ||
		failure != nil && failure.Status == http.StatusNotFound
	proxy, proxyErr := http.ProxyFromEnvironment(&http.Request{URL: s.base})
	switch {
	case errors.Is(err, http.ErrSchemeMismatch):
		return set("http")
	case strings.Contains(err.Error(), "HTTPS"):
		return set("https")
	case proxyErr == nil && proxy != nil:
		return fmt.Sprintf("run: export NO_PROXY=%s (the proxy %s is asked for it now)", s.base.Hostname(), proxy.Redacted())
	case isOther && s.base.Path != "":
		return set(s.base.Scheme)
	case isOther:
		return "another service may listen there: set CDOCS_OLLAMA_HOST to where Ollama listens, by default " + DefaultHost
	}
	return ""
}
