// Package ollama is the client of Ollama. [model.Client] does the rest, such as retries and
// prompts. It must not know documents, passages or the database.
package ollama

import (
	"cmp"
	"fmt"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/modelhttp"
)

// DefaultHost is where Ollama listens by default.
const DefaultHost = "http://localhost:11434"

var kind = modelhttp.Kind{ //nolint:gochecknoglobals // a constant
	Name: "an Ollama server", Example: DefaultHost, Port: "11434",
	Start: "start Ollama: ollama serve", Access: "check the user name and password in the host's URL",
	Set: "run: export CDOCS_OLLAMA_HOST=", Address: "correct CDOCS_OLLAMA_HOST, --ollama-host or ollama_host of settings.json",
}

// server makes requests to Ollama. It is a [model.Server].
type server struct{ *modelhttp.Client }

// New returns a client. It does not contact the server. Host is [DefaultHost] by default, and the models are
// mxbai-embed-large and mistral.
func New(cfg model.Config) (*model.Client, error) {
	cfg.EmbedModel = cmp.Or(cfg.EmbedModel, "mxbai-embed-large")
	cfg.ChatModel = cmp.Or(cfg.ChatModel, "mistral")
	http, err := modelhttp.New(kind, cmp.Or(cfg.Host, DefaultHost), "", cfg.Key)
	if err != nil {
		return nil, fmt.Errorf("configure ollama: %w", err)
	}
	return model.New("ollama", http.Host, &server{http}, cfg), nil
}
