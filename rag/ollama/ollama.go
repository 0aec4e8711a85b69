// Package ollama makes requests to Ollama. [model.Client] does the rest, such as retries and prompts. The package must
// not know documents, passages or the database.
package ollama

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

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

// New returns a client, and does not contact the server. The default host is [DefaultHost], and the default models are
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

// keepAlive is [model.KeepLoaded] in Ollama's format.
var keepAlive = model.KeepLoaded.String() //nolint:gochecknoglobals // a constant

// embedWindow is the context window for embeddings, in tokens: several times a passage's length, for little memory.
const embedWindow = 2048

// Embed makes a request for vectors.
func (s *server) Embed(ctx context.Context, request model.EmbedRequest) ([][]float32, error) {
	payload := map[string]any{
		"model": request.Model, "input": request.Texts, "keep_alive": keepAlive,
		"truncate": false, // Ollama would cut long texts silently
		// Ollama's default window may be shorter than the model's own window. Ollama lowers a number that is too high.
		"options": map[string]any{"num_ctx": embedWindow},
	}
	if request.Dimensions > 0 {
		payload["dimensions"] = request.Dimensions
	}
	var result struct {
		Embeddings [][]float32 `json:"embeddings"`
	}
	err := s.named(request.Model, s.Ask(ctx, "/api/embed", payload, &result, modelhttp.MaxVectors(len(request.Texts))))
	return result.Embeddings, err
}

// Chat makes a request for an answer.
func (s *server) Chat(ctx context.Context, request model.ChatRequest, write func(piece string)) (isFull bool, err error) {
	payload := map[string]any{
		"model": request.Model, "messages": request.Prompt.Messages(), "keep_alive": keepAlive,
		// Otherwise a reasoning model writes its reasoning into the answer.
		"think": false,
		// With truncate or shift, Ollama would silently drop the oldest text: the system prompt and sources.
		"truncate": false, "shift": false,
		"options": map[string]any{
			"num_ctx": request.Window, "num_predict": request.MaxTokens, "temperature": model.Temperature,
		},
	}
	for p, err := range s.stream(ctx, "/api/chat", payload, modelhttp.MaxChat) {
		if err != nil {
			return false, s.named(request.Model, err)
		}
		write(p.Message.Content)
		if p.Done {
			return p.DoneReason == "length", nil
		}
	}
	return false, nil
}

// Window asks for the context window that the model was trained for.
func (s *server) Window(ctx context.Context, name string) (tokens int, err error) {
	var result struct {
		Info map[string]any `json:"model_info"`
	}
	err = s.named(name, s.Ask(ctx, "/api/show", map[string]any{"model": name}, &result, modelhttp.MaxAnswer))
	architecture, _ := result.Info["general.architecture"].(string)
	length, _ := result.Info[architecture+".context_length"].(float64)
	const longest = 1 << 30
	if length < 1 || length > longest {
		return 0, err
	}
	return int(length), err
}

type listed struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

func (s *server) list(ctx context.Context) ([]listed, error) {
	var result struct {
		Models []listed `json:"models"`
	}
	err := s.Ask(ctx, "/api/tags", nil, &result, modelhttp.MaxAnswer)
	return result.Models, err
}

// Digest returns the digest of the model's manifest.
func (s *server) Digest(ctx context.Context, name string) (string, error) {
	models, err := s.list(ctx)
	if err != nil {
		return "", err
	}
	if digest, has := digestOf(models, name); has {
		return digest, nil
	}
	return "", &model.MissingError{Model: name, Host: s.Host}
}

func digestOf(models []listed, name string) (digest string, has bool) {
	for _, m := range models {
		if fullName(m.Name) == fullName(name) {
			return m.Digest, true
		}
	}
	return "", false
}

// fullName returns a model's name as it is compared: with a tag, in lower case.
func fullName(model string) string {
	if !strings.Contains(model[strings.LastIndex(model, "/")+1:], ":") {
		model += ":latest"
	}
	return strings.ToLower(model)
}

// named returns a [*model.MissingError] if err says that the server lacks the model. Otherwise it returns err.
func (s *server) named(name string, err error) error {
	if errors.Is(err, modelhttp.ErrNoSuchModel) {
		return &model.MissingError{Model: name, Host: s.Host}
	}
	return err
}

// State asks the server for its version and its models.
func (s *server) State(ctx context.Context, models []string, state *model.State) error {
	var answer struct {
		Version string `json:"version"`
	}
	err := s.Ask(ctx, "/api/version", nil, &answer, modelhttp.MaxAnswer)
	if err != nil {
		return err
	}
	if answer.Version == "" {
		return s.BadResponse("it has no version")
	}
	list, err := s.list(ctx)
	if err != nil {
		return err
	}
	state.Name = "Ollama " + answer.Version
	for _, m := range list {
		state.Models = append(state.Models, m.Name)
	}
	for _, name := range models {
		if _, has := digestOf(list, name); !has {
			state.Missing = append(state.Missing, name)
		}
	}
	if len(models) == 0 {
		return nil
	}
	var shown struct {
		Capabilities []string `json:"capabilities"` // older servers send none
	}
	err = s.Ask(ctx, "/api/show", map[string]any{"model": models[0]}, &shown, modelhttp.MaxAnswer)
	state.OnlyChat = err == nil && len(shown.Capabilities) > 0 && !slices.Contains(shown.Capabilities, "embedding")
	return nil
}

// part is a part of a streamed answer.
type part struct {
	// Message and Done belong to a chat. The last part of a chat has the reason why the answer ended.
	Message struct {
		Content string `json:"content"`
	} `json:"message"`
	Done       bool   `json:"done"`
	DoneReason string `json:"done_reason"`
	// Status, Completed and Total belong to a pull.
	Status    string `json:"status"`
	Completed int64  `json:"completed"`
	Total     int64  `json:"total"`
	// Error ends the stream.
	Error string `json:"error"`
}

// stream makes a request and yields each part of the answer. If the stream ends early, the last pair has the error.
func (s *server) stream(ctx context.Context, path string, payload any, limit int64) iter.Seq2[part, error] {
	return func(yield func(part, error) bool) {
		body, err := s.Send(ctx, path, payload, limit)
		if err != nil {
			yield(part{}, err)
			return
		}
		defer func() { _ = body.Close() }()
		for decoder := json.NewDecoder(body); ; {
			var next part
			err := decoder.Decode(&next)
			if err != nil {
				err = s.Unreadable(err)
			} else if next.Error != "" {
				err = s.Refused(0, next.Error)
			}
			if !yield(next, err) || err != nil {
				return
			}
		}
	}
}

// Pull pulls a model.
func (s *server) Pull(ctx context.Context, name string, progress func(completed, total int64)) error {
	const maxProgress = 32 << 20 // bytes
	for p, err := range s.stream(ctx, "/api/pull", map[string]any{"model": name}, maxProgress) {
		if err != nil {
			return err
		}
		progress(p.Completed, p.Total)
		if p.Status == "success" {
			break
		}
	}
	return nil
}
