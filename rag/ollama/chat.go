package ollama

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

// Prompt is what the chat model is given. An empty System is left out.
type Prompt struct{ System, User string }

// Generate asks the chat model and returns its answer, without white space
// around it. onText, which may be nil, gets every piece as it arrives, on the
// calling goroutine. Cancelling the context closes the request, which stops
// the model.
//
// Until the first piece another host or another try may stand in; after it a
// failure is final, whatever onText was given already. A prompt that does not
// fit the window is ErrInputTooLong, from servers that can tell: others cut it
// silently, so it has to be fitted to [Client.ContextWindow] beforehand. An
// answer that reaches the configured number of tokens, or the end of the
// window, is returned as far as it went. An answer of nothing is ErrEmptyAnswer;
// other errors are *UnavailableError, *ModelMissingError and the context's.
func (c *Client) Generate(ctx context.Context, prompt Prompt, onText func(text string)) (string, error) {
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
	err := c.withModel(ctx, c.cfg.ChatModel, inOrder, func(ctx context.Context, h *host) error {
		err := h.call(ctx, func(ctx context.Context, client *api.Client) error {
			return c.chat(ctx, client, req, write)
		})
		if f, ok := errors.AsType[*failure](err); ok && answer.Len() > 0 && f.kind != callerGone {
			return &failure{kind: brokeOff, host: h, err: fmt.Errorf("the answer broke off: %w", f.err)}
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("generate with %s: %w", c.cfg.ChatModel, err)
	}
	text := strings.TrimSpace(answer.String())
	if text == "" {
		return "", fmt.Errorf("generate with %s: %w", c.cfg.ChatModel, ErrEmptyAnswer)
	}
	return text, nil
}

func (c *Client) chatRequest(prompt Prompt) *api.ChatRequest {
	messages := []api.Message{{Role: "user", Content: prompt.User}}
	if prompt.System != "" {
		messages = append([]api.Message{{Role: "system", Content: prompt.System}}, messages...)
	}
	no := false
	return &api.ChatRequest{
		Model:     c.cfg.ChatModel,
		Messages:  messages,
		KeepAlive: &api.Duration{Duration: c.cfg.KeepAlive},
		// A model that thinks aloud would do so in the answer.
		Think: &api.ThinkValue{Value: false},
		// Both drop the oldest text, system prompt and sources, without a word.
		Truncate: &no,
		Shift:    &no,
		Options: map[string]any{
			"num_ctx":     c.cfg.NumCtx,
			"num_predict": c.cfg.AnswerTokens,
			"temperature": c.cfg.Temperature,
		},
	}
}

// chat makes one request and passes its pieces to write.
func (c *Client) chat(ctx context.Context, client *api.Client, req *api.ChatRequest, write func(string)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(c.cfg.ChatTimeout, func() { cancel(&timeoutError{c.cfg.ChatTimeout}) })
	defer silence.Stop()

	var last api.ChatResponse
	err := client.Chat(ctx, req, func(resp api.ChatResponse) error {
		silence.Reset(c.cfg.ChatTimeout)
		write(resp.Message.Content)
		last = resp
		return nil
	})
	switch {
	case err != nil:
		return causeOf(ctx, err)
	case !last.Done:
		// The client takes a connection that breaks for the end.
		return causeOf(ctx, io.ErrUnexpectedEOF)
	case last.DoneReason == "length":
		c.cfg.Logger.WarnContext(ctx, "the answer was cut short", "model", c.cfg.ChatModel,
			"prompt_tokens", last.PromptEvalCount, "answer_tokens", last.EvalCount, "num_ctx", c.cfg.NumCtx)
	}
	return nil
}
