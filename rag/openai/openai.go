// Package openai makes requests to model servers with OpenAI's API, such as llama.cpp's server, vLLM, LM Studio and
// LiteLLM. [model.Client] does the rest, such as retries and prompts. The package must not know documents, passages or
// the database.
package openai

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// server makes requests to one server. It is a [model.Server].
type server struct {
	*modelhttp.Client

	// cuts is the number of tokens to which the server silently cuts longer texts, 0 if it cuts no text. tried is set once
	// [server.cutsAt] has found out this number.
	cuts  atomic.Int64
	tried atomic.Bool
}

// New returns a client. An address without a path gets the path /v1.
func New(cfg model.Config) (*model.Client, error) {
	http, err := modelhttp.New(kind, cfg.Host, "/v1", cfg.Key)
	if err != nil {
		return nil, fmt.Errorf("configure the model server: %w", err)
	}
	return model.New("model server", http.Host, &server{Client: http}, cfg), nil
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

// Digest returns the model's name, because the API does not identify builds.
func (*server) Digest(_ context.Context, name string) (string, error) { return name, nil }

// Window returns 0, because the API does not give the window. A server refuses a prompt that is too long.
func (*server) Window(context.Context, string) (tokens int, err error) { return 0, nil }

// Pull does nothing, because the API has no pull.
func (*server) Pull(context.Context, string, func(completed, total int64)) error { return nil }

// named returns an error with advice if err says that the server lacks the model. Otherwise it returns err.
func (s *server) named(name string, err error) error {
	if !errors.Is(err, modelhttp.ErrNoSuchModel) {
		return err
	}
	const notFound = 404
	return &model.ServerError{Status: notFound, Err: fmt.Errorf("it has no model %s; "+
		"name one that it has as embedding_model or generation_model in settings.json", name)}
}

// Embed makes requests for vectors. A server that cuts long texts gets one text at a time, because its count of tokens
// shows whether it has cut the text.
func (s *server) Embed(ctx context.Context, request model.EmbedRequest) ([][]float32, error) {
	cuts, err := s.cutsAt(ctx, request)
	if err != nil {
		return nil, err
	}
	atOnce := len(request.Texts)
	if cuts > 0 {
		atOnce = 1
	}
	var vectors [][]float32
	for texts := range slices.Chunk(request.Texts, atOnce) {
		request.Texts = texts
		made, tokens, err := s.embed(ctx, request)
		if err != nil {
			return nil, err
		}
		if cuts > 0 && tokens >= cuts {
			return nil, fmt.Errorf("%w (the server would cut it to %d tokens)", model.ErrInputTooLong, cuts)
		}
		vectors = append(vectors, made...)
	}
	return vectors, nil
}

// longWords is how many words the text of [server.cutsAt] has. A passage has fewer tokens.
const longWords = 2048

// cutsAt returns the number of tokens to which the server silently cuts longer texts, 0 if it cuts no text. To find
// this number, it sends one long text before the first text that the server may cut.
func (s *server) cutsAt(ctx context.Context, request model.EmbedRequest) (tokens int, err error) {
	const neverCut = 256 // bytes; a text has no more tokens than bytes, and no model has a smaller window
	if s.tried.Load() || !slices.ContainsFunc(request.Texts, func(text string) bool { return len(text) > neverCut }) {
		return int(s.cuts.Load()), nil
	}
	request.Texts = []string{strings.Repeat("word ", longWords)}
	_, tokens, err = s.embed(ctx, request)
	refused := errors.Is(err, model.ErrInputTooLong) || errors.Is(err, model.ErrUnusableText)
	if err != nil && !refused {
		return 0, err
	}
	if !refused && tokens < longWords { // without a count of tokens, the server is taken not to cut
		s.cuts.Store(int64(tokens))
	}
	s.tried.Store(true)
	return int(s.cuts.Load()), nil
}

// embed returns the vectors of texts, and how many tokens the texts had.
func (s *server) embed(ctx context.Context, request model.EmbedRequest) (vectors [][]float32, tokens int, err error) {
	payload := map[string]any{"model": request.Model, "input": request.Texts, "encoding_format": "float"}
	if request.Dimensions > 0 {
		payload["dimensions"] = request.Dimensions
	}
	type embedded struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	var result struct {
		Data  []embedded `json:"data"`
		Usage struct {
			Tokens int `json:"prompt_tokens"`
		} `json:"usage"`
	}
	err = s.named(request.Model, s.Ask(ctx, "/embeddings", payload, &result, modelhttp.MaxVectors(len(request.Texts))))
	slices.SortStableFunc(result.Data, func(a, b embedded) int { return cmp.Compare(a.Index, b.Index) })
	for _, e := range result.Data {
		vectors = append(vectors, e.Embedding)
	}
	return vectors, result.Usage.Tokens, err
}

type content struct {
	Content string `json:"content"`
}

// piece is an event of a streamed answer, or an answer that is not streamed.
type piece struct {
	Choices []struct {
		Delta        content `json:"delta"`
		Message      content `json:"message"` // of an answer in one piece
		FinishReason string  `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		Tokens int `json:"prompt_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// Chat makes a request for an answer.
func (s *server) Chat(ctx context.Context, request model.ChatRequest, write func(piece string)) (isFull bool, err error) {
	body, err := s.Send(ctx, "/chat/completions", map[string]any{
		"model": request.Model, "messages": request.Prompt.Messages(),
		"max_tokens": request.MaxTokens, "temperature": model.Temperature,
		"stream": true, "stream_options": map[string]bool{"include_usage": true},
	}, modelhttp.MaxChat)
	if err != nil {
		return false, s.named(request.Model, err)
	}
	defer func() { _ = body.Close() }()
	answer := bufio.NewReader(body)
	if first, _ := answer.Peek(1); string(first) == "{" { // the server does not stream
		whole, err := io.ReadAll(answer)
		event := bytes.NewBufferString("data:")
		if err := cmp.Or(err, json.Compact(event, whole)); err != nil { // an event is one line
			return false, s.Unreadable(err)
		}
		answer.Reset(event)
	}
	ended, tokens, lines := false, 0, bufio.NewScanner(answer)
	for lines.Buffer(nil, modelhttp.MaxChat); lines.Scan(); {
		data, isData := strings.CutPrefix(lines.Text(), "data:")
		data = strings.TrimSpace(data)
		if !isData || data == "" {
			continue
		}
		if data == "[DONE]" {
			ended = true
			break
		}
		var next piece
		if err := json.Unmarshal([]byte(data), &next); err != nil {
			return false, s.Unreadable(err)
		}
		if len(next.Error) > 0 && string(next.Error) != "null" {
			return false, s.Refused(0, modelhttp.Message([]byte(data)))
		}
		tokens = max(tokens, next.Usage.Tokens)
		for _, choice := range next.Choices {
			write(choice.Delta.Content + choice.Message.Content)
			ended = ended || choice.FinishReason != ""
			isFull = isFull || choice.FinishReason == "length"
		}
	}
	words := len(strings.Fields(request.Prompt.User))
	switch {
	case lines.Err() != nil:
		return false, s.Unreadable(lines.Err())
	case !ended:
		return false, modelhttp.Broken(io.ErrUnexpectedEOF)
	case tokens > 0 && tokens < words:
		return false, fmt.Errorf("%w (the server has cut %d words to %d tokens)", model.ErrInputTooLong, words, tokens)
	}
	return isFull, nil
}
