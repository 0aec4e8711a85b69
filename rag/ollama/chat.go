package ollama

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/compound-docs/compound-docs/rag/model"
)

// temperature of the chat model.
const temperature = 0.1

// Generate returns the chat model's answer without surrounding white space. It
// calls onText, which may be nil, with each piece of the answer as it arrives, on
// the calling goroutine. Cancelling the context closes the request, which stops
// the model.
//
// Before the first piece, Generate retries. After it a failure is final: when
// [Config.ChatLimit] is over or the server fails, Generate
// returns what was written so far, which is not empty, together with a
// *model.CutShortError. An answer that reaches the configured number of tokens, or the end
// of the context window, is returned as far as it went, without an error.
//
// Other errors are model.ErrInputTooLong for a prompt that exceeds the context window,
// model.ErrEmptyAnswer, *model.UnavailableError, *model.ModelMissingError and the context's. Some
// servers cut a long prompt silently instead: fit it to [Client.ContextWindow]
// first.
func (c *Client) Generate(ctx context.Context, prompt model.Prompt, onText func(text string)) (string, error) {
	req := c.chatRequest(prompt)
	var answer strings.Builder
	write := func(text string) {
		if text == "" {
			return
		}
		answer.WriteString(text)
		if onText != nil {
			onText(text)
		}
	}
	err := c.withModel(ctx, c.cfg.ChatModel, func(ctx context.Context) error {
		err := c.call(ctx, func(ctx context.Context) error { return c.chat(ctx, req, write) })
		if f, ok := errors.AsType[*failure](err); ok && answer.Len() > 0 && f.kind != callerCanceled {
			return &failure{kind: interrupted, err: f.err}
		}
		return err
	})
	text := strings.TrimSpace(answer.String())
	switch {
	case err == nil && text == "":
		err = model.ErrEmptyAnswer
	case err == nil:
		return text, nil
	case ctx.Err() != nil:
		text = ""
	case text != "":
		err = &model.CutShortError{Err: err}
	case errors.Is(err, model.ErrInputTooLong):
		c.forgetWindow()
	}
	return text, fmt.Errorf("generate with %s: %w", c.cfg.ChatModel, err)
}

func (c *Client) chatRequest(prompt model.Prompt) *api.ChatRequest {
	messages := []api.Message{{Role: "user", Content: prompt.User}}
	if prompt.System != "" {
		messages = append([]api.Message{{Role: "system", Content: prompt.System}}, messages...)
	}
	no, numCtx := false, c.knownChatWindow()
	return &api.ChatRequest{
		Model:     c.cfg.ChatModel,
		Messages:  messages,
		KeepAlive: &api.Duration{Duration: keepAlive},
		// Otherwise a reasoning model writes its reasoning into the answer.
		Think: &api.ThinkValue{Value: false},
		// Both would silently drop the oldest text: system prompt and sources.
		Truncate: &no,
		Shift:    &no,
		Options: map[string]any{
			"num_ctx":     numCtx,
			"num_predict": min(c.cfg.AnswerTokens, numCtx/answerDivisor),
			"temperature": temperature,
		},
	}
}

// A token may arrive in at most maxPieces pieces of the stream and maxTokenBytes
// bytes of text. Ollama sends one piece per token, and the longest tokens, which
// are white space, have 128 bytes.
const (
	maxPieces     = 2
	maxTokenBytes = 128
)

// chat makes one request and passes the pieces of its answer to write. It gives up
// on a server that stops responding, exceeds the time limit or sends more tokens than
// requested.
func (c *Client) chat(ctx context.Context, req *api.ChatRequest, write func(string)) error {
	return c.whileAlive(ctx, &timeoutError{after: c.cfg.ChatLimit, unfinished: true}, func(ctx context.Context) error {
		return c.chatStream(withLimit(ctx, maxStream), req, write)
	})
}

func (c *Client) chatStream(ctx context.Context, req *api.ChatRequest, write func(string)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(c.cfg.ChatTimeout, func() { cancel(&timeoutError{after: c.cfg.ChatTimeout}) })
	defer silence.Stop()

	var last api.ChatResponse
	pieces, size := 0, 0
	err := c.api.Chat(ctx, req, func(resp api.ChatResponse) error {
		silence.Reset(c.cfg.ChatTimeout)
		pieces++
		size += len(resp.Message.Content)
		if pieces > maxPieces*c.cfg.AnswerTokens || size > maxTokenBytes*c.cfg.AnswerTokens {
			return &failure{kind: refused, err: fmt.Errorf("the answer does not end at the %d tokens asked for", c.cfg.AnswerTokens)}
		}
		write(resp.Message.Content)
		last = resp
		return nil
	})
	switch {
	case err != nil:
		return causeOf(ctx, err)
	case !last.Done:
		// Ollama's client treats a broken connection as the end of the stream.
		return causeOf(ctx, io.ErrUnexpectedEOF)
	case last.DoneReason == "length":
		c.cfg.Logger.WarnContext(ctx, "the answer was cut short", "model", c.cfg.ChatModel,
			"prompt_tokens", last.PromptEvalCount, "answer_tokens", last.EvalCount, "num_ctx", req.Options["num_ctx"])
	}
	return nil
}
