package model

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/internal/panics"
)

// AnswerTokens returns the largest number of tokens of an answer: 1,024, or a quarter of a smaller context window.
func AnswerTokens(window int) int { return min(1024, window/4) }

// Generate returns the chat model's answer without surrounding white space. It calls onText, which may be nil, with
// each piece as it arrives, and with "" every five seconds before the first piece. Cancelling the context stops the
// model.
//
// Generate retries only before the first piece. After a later failure it returns the text so far and a *CutShortError.
// An answer that ends at the largest number of tokens comes without an error.
//
// Other errors are ErrInputTooLong, ErrEmptyAnswer, *UnavailableError, *MissingError and the context's error. Some
// servers cut a long prompt silently, so the caller must fit the prompt to [Client.ContextWindow].
func (c *Client) Generate(ctx context.Context, prompt Prompt, onText func(text string)) (string, error) {
	window, first := c.ContextWindow(ctx), c.cfg.FirstPiece
	if _, limited := ctx.Deadline(); !limited {
		first = max(first, loadChatTimeout)
	}
	request := ChatRequest{Model: c.cfg.ChatModel, Prompt: prompt, Window: window, MaxTokens: AnswerTokens(window)}
	var answer strings.Builder
	write := func(piece string) {
		if piece == "" && answer.Len() > 0 {
			return
		}
		answer.WriteString(piece)
		if onText != nil {
			onText(piece)
		}
	}
	_, err := retry(ctx, c, c.chats, longestPause, func(ctx context.Context) (struct{}, error) {
		err := c.chat(ctx, request, first, write)
		if failure, ok := errors.AsType[*ServerError](err); ok && answer.Len() > 0 {
			err = &ServerError{Err: failure.Err, Status: failure.Status} // final, because the caller has seen a part
		}
		return struct{}{}, err
	})
	text := strings.TrimSpace(answer.String())
	switch {
	case err != nil && text != "" && ctx.Err() == nil:
		return text, fmt.Errorf("generate with %s: %w", c.cfg.ChatModel, &CutShortError{Err: err})
	case err != nil:
		return "", fmt.Errorf("generate with %s: %w", c.cfg.ChatModel, err)
	case text == "":
		return "", fmt.Errorf("generate with %s: %w", c.cfg.ChatModel, ErrEmptyAnswer)
	default:
		return text, nil
	}
}

// chat makes one request. It calls write with "" while the model reads the prompt. It gives up after a silence of
// firstPiece before the first piece, or of nextPiece after a piece.
func (c *Client) chat(ctx context.Context, request ChatRequest, firstPiece time.Duration, write func(piece string)) error {
	chatting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	pieces, ended := make(chan string), make(chan error, 1)
	go func() {
		ended <- panics.Catch(func() error {
			isFull, err := c.server.Chat(chatting, request, func(piece string) {
				select {
				case pieces <- piece:
				case <-chatting.Done():
				}
			})
			if isFull {
				c.cfg.Logger.WarnContext(ctx, "the answer was cut short", "model", request.Model, "most_tokens", request.MaxTokens)
			}
			return err
		})
		cancel()
	}()
	silence := firstPiece
	late, stillReading := time.NewTimer(firstPiece), time.NewTicker(reading)
	defer late.Stop()
	defer stillReading.Stop()
	for {
		select {
		case piece := <-pieces:
			silence = nextPiece
			late.Reset(silence)
			write(piece)
			continue
		case <-stillReading.C:
			write("")
			continue
		case err := <-ended:
			return err
		case <-ctx.Done():
			cancel()
			return ctx.Err() //nolint:wrapcheck // the caller's own
		case <-late.C:
		}
		if silence == nextPiece {
			cancel()
			return noAnswer(silence)
		}
		go func() {
			defer cancel()
			select { // load the model for the next chat in the meantime
			case <-chatting.Done():
			case <-pieces:
			case <-time.After(loadChatTimeout):
			}
		}()
		return &ServerError{Err: fmt.Errorf("no answer within %s; if the model is slow, raise generation_wait_seconds "+
			"or lower generation_context_length in settings.json, or set generation_model to a smaller one", silence.Round(time.Second))}
	}
}

// ContextWindow returns the largest number of tokens of a prompt and its answer together:
// [Config.NumCtx], or the chat model's own window if that is smaller and known.
func (c *Client) ContextWindow(ctx context.Context) int {
	ctx, cancel := context.WithTimeout(ctx, smallTimeout)
	defer cancel()
	trained, err := c.server.Window(ctx, c.cfg.ChatModel)
	if err != nil {
		c.cfg.Logger.DebugContext(ctx, "ask for the context window", "model", c.cfg.ChatModel, "error", err)
	}
	if trained > 0 {
		return min(trained, c.cfg.NumCtx)
	}
	return c.cfg.NumCtx
}
