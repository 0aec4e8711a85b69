package testenv

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"

	"github.com/ollama/ollama/api"

	"github.com/compound-docs/compound-docs/test/tinymodel"
)

// Names of the models that the project uses unless it is told otherwise.
const (
	embedModel = "mxbai-embed-large"
	chatModel  = "mistral"
)

// Models tells what is behind the models' names.
type Models string

// Models of an Ollama.
const (
	RealModels Models = "real"
	TinyModels Models = "tiny" // stand-ins, see package tinymodel
)

// Ollama is an Ollama server with the models mxbai-embed-large and mistral.
type Ollama struct {
	Host    string // URL
	Route   string // how it was reached
	Version string // such as "0.10.1"
	Models  Models

	stop func() error
}

// OpenOllama returns the server that CDOCS_TEST_OLLAMA_HOST names, or starts one
// on the route that ChooseRoute returns. The caller must Stop it.
func OpenOllama(ctx context.Context, logf Logf) (*Ollama, error) {
	if host := os.Getenv(EnvOllamaHost); host != "" {
		return connectOllama(ctx, host)
	}
	route, err := ChooseRoute(ctx)
	if err != nil {
		return nil, err
	}
	if route == ContainersRoute {
		return startOllamaContainer(ctx, logf)
	}
	return startOllama(ctx, logf)
}

// Stop stops the server, if it is a private one, and removes its temporary
// files. It may be called once.
func (o *Ollama) Stop() error { return o.stop() }

// String describes the server in a line, for people.
func (o *Ollama) String() string {
	models := "real models"
	if o.Models == TinyModels {
		models = "tiny stand-in models"
	}
	return fmt.Sprintf("Ollama %s with %s (%s)", o.Version, models, o.Route)
}

// connectOllama returns a server that runs already, if it has the models. Stand-ins
// are known by the description in the model file.
func connectOllama(ctx context.Context, host string) (*Ollama, error) {
	const route = "given by " + EnvOllamaHost
	client, err := newClient(host)
	if err != nil {
		return nil, err
	}
	version, err := client.Version(ctx)
	if err != nil {
		return nil, fmt.Errorf("ollama at %s (%s): %w", host, route, err)
	}
	server := &Ollama{Host: host, Route: route, Version: version, Models: RealModels, stop: func() error { return nil }}
	for _, name := range []string{embedModel, chatModel} {
		shown, err := client.Show(ctx, &api.ShowRequest{Model: name})
		if err != nil {
			return nil, fmt.Errorf("ollama at %s (%s): ollama pull %s: %w", host, route, name, err)
		}
		if shown.ModelInfo[tinymodel.DescriptionKey] == tinymodel.Description {
			server.Models = TinyModels
		}
	}
	return server, nil
}

func newClient(host string) (*api.Client, error) {
	base, err := url.Parse(host)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("host of Ollama: %q is not a URL such as http://localhost:11434", host)
	}
	return api.NewClient(base, http.DefaultClient), nil
}
