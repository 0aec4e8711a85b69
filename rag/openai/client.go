// Package openai is the client of model servers with OpenAI's API, such as llama.cpp's server,
// vLLM, LM Studio and LiteLLM. [model.Client] does the rest, such as retries and prompts. It must
// not know documents, passages or the database.
package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/modelhttp"
)

var kind = modelhttp.Kind{ //nolint:gochecknoglobals // a constant
	Name: "a server with OpenAI's API", Example: "http://localhost:8080/v1",
	Start:  "start the model server",
	Access: "check the API key: CDOCS_EMBEDDING_KEY and CDOCS_GENERATION_KEY, or key_file in settings.json",
	Set:    "set the url in settings.json to ", Address: "correct embedding_host and generation_host in settings.json",
}

// server makes requests. It is a [model.Server].
type server struct {
	*modelhttp.Client

	logger *slog.Logger

	// cuts is the number of tokens to which the server cuts longer texts silently, 0 for none.
	// tried is set once a long text has been sent.
	cuts  atomic.Int64
	tried atomic.Bool
}

// New returns a client. An address without a path gets the path /v1.
func New(cfg model.Config) (*model.Client, error) {
	http, err := modelhttp.New(kind, cfg.Host, "/v1", cfg.Key)
	if err != nil {
		return nil, fmt.Errorf("configure the model server: %w", err)
	}
	s := &server{Client: http, logger: cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))}
	return model.New("model server", http.Host, s, cfg), nil
}

// State asks the server for its models.
func (s *server) State(ctx context.Context, models []string, state *model.State) error {
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := s.Ask(ctx, "/models", nil, &list, modelhttp.MaxAnswer); err != nil {
		return err
	}
	state.Name = kind.Name
	for _, m := range list.Data {
		state.Models = append(state.Models, strings.TrimSuffix(m.ID, ":latest"))
	}
	for _, name := range models {
		if !slices.Contains(state.Models, strings.TrimSuffix(name, ":latest")) {
			state.Missing = append(state.Missing, name)
		}
	}
	return nil
}

// Digest returns the model's name: the API names no build.
func (*server) Digest(_ context.Context, name string) (string, error) { return name, nil }

// Window returns 0: the API does not say. A server refuses a prompt that is too long.
func (*server) Window(context.Context, string) (tokens int, err error) { return 0, nil }

// Pull pulls nothing: the API cannot.
func (*server) Pull(context.Context, string, func(completed, total int64)) error { return nil }

// named returns an error with advice if err says that the server lacks the model, and err otherwise.
func (s *server) named(name string, err error) error {
	if !errors.Is(err, modelhttp.ErrNoSuchModel) {
		return err
	}
	const notFound = 404
	return &model.ServerError{Status: notFound, Err: fmt.Errorf("it has no model %s; "+
		"name one that it has as embedding_model or generation_model in settings.json", name)}
}
