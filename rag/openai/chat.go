package openai

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/modelhttp"
)

type content struct {
	Content string `json:"content"`
}

// piece is an event of an answer, or the whole of it.
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
		"max_tokens": request.MaxTokens, "temperature": request.Temperature,
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
