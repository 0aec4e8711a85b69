package model

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

const (
	temperature = 0.1
	// answerTokens is the largest number of tokens in an answer.
	answerTokens = 1024
	// answerDivisor: an answer may take at most this fraction of the context window.
	answerDivisor = 4
)

// Generate returns the chat model's answer without surrounding white space. It
// calls onText, which may be nil, with each piece of the answer as it arrives, on
// the calling goroutine. Cancelling the context closes the request, which stops
// the model.
//
// Before the first piece, Generate retries. After it a failure is final: Generate
// returns the text so far, which is not empty, together with a *CutShortError. An answer that reaches the configured number of tokens, or the end
// of the context window, is returned as far as it went, without an error.
//
// Other errors are ErrInputTooLong for a prompt that exceeds the context window,
// ErrEmptyAnswer, *UnavailableError, *ModelMissingError and the context's. Some
// servers cut a long prompt silently instead: fit it to [Client.ContextWindow]
// first.
func (c *Client) Generate(ctx context.Context, prompt Prompt, onText func(text string)) (string, error) {
	window := c.ContextWindow(ctx)
	request := ChatRequest{
		Model: c.cfg.ChatModel, Prompt: prompt, Temperature: temperature,
		Window: window, MaxTokens: min(answerTokens, window/answerDivisor),
	}
	var answer strings.Builder
	write := func(piece string) {
		if piece == "" {
			return
		}
		answer.WriteString(piece)
		if onText != nil {
			onText(piece)
		}
	}
	text, err := retry(ctx, c, c.chats, func(ctx context.Context) (string, error) {
		err := c.chat(ctx, request, write)
		if failure, ok := errors.AsType[*Failure](err); ok && answer.Len() > 0 {
			err = &Failure{Err: failure.Err, Status: failure.Status} // the caller has seen a part
		}
		return strings.TrimSpace(answer.String()), err
	})
	if err == nil && text == "" {
		err = ErrEmptyAnswer
	}
	if err == nil {
		return text, nil
	}
	text = strings.TrimSpace(answer.String())
	if ctx.Err() != nil || text == "" {
		return "", fmt.Errorf("generate with %s: %w", c.cfg.ChatModel, err)
	}
	return text, fmt.Errorf("generate with %s: %w", c.cfg.ChatModel, &CutShortError{Err: err})
}

// chat makes one request. It gives up on a server that falls silent.
func (c *Client) chat(ctx context.Context, request ChatRequest, write func(piece string)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(firstPiece, func() { cancel(noAnswer(firstPiece)) })
	defer func() { silence.Stop() }()
	err := c.server.Chat(ctx, request, func(piece string) {
		silence.Stop()
		silence = time.AfterFunc(nextPiece, func() { cancel(noAnswer(nextPiece)) })
		write(piece)
	})
	return causeOf(ctx, err)
}

// ContextWindow returns the largest number of tokens of a prompt and its answer
// together: [Config.NumCtx], or what the chat model was trained for if that is less. While
// the server cannot be asked, the configured number holds.
func (c *Client) ContextWindow(ctx context.Context) int {
	if trained := c.window(ctx, c.cfg.ChatModel); trained > 0 {
		return min(trained, c.cfg.NumCtx)
	}
	return c.cfg.NumCtx
}
