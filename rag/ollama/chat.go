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
		if errors.Is(err, ErrInputTooLong) {
			c.forgetWindow()
		}
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
	no, numCtx := false, c.knownWindow()
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
			"num_ctx":     numCtx,
			"num_predict": min(c.cfg.AnswerTokens, numCtx/answerShare),
			"temperature": c.cfg.Temperature,
		},
	}
}

// What a token may become, in pieces of the stream and in bytes of text. Ollama
// sends a token a piece, and the longest tokens, of white space, have 128 bytes.
const (
	maxPieces     = 2
	maxTokenBytes = 128
)

// chat makes one request and passes its pieces to write. A host that falls
// silent, that never ends or that writes more than it was asked for is given up.
func (c *Client) chat(ctx context.Context, client *api.Client, req *api.ChatRequest, write func(string)) error {
	return withDeadline(ctx, &timeoutError{after: c.cfg.ChatLimit, unfinished: true}, func(ctx context.Context) error {
		return whileAnswering(ctx, client, c.cfg.ProbeTimeout, func(ctx context.Context) error {
			return within(ctx, chatBounds(c.cfg.AnswerTokens), func(ctx context.Context) error {
				return c.chatStream(ctx, client, req, write)
			})
		})
	})
}

func (c *Client) chatStream(ctx context.Context, client *api.Client, req *api.ChatRequest, write func(string)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(c.cfg.ChatTimeout, func() { cancel(&timeoutError{after: c.cfg.ChatTimeout}) })
	defer silence.Stop()

	var last api.ChatResponse
	pieces, size := 0, 0
	err := client.Chat(ctx, req, func(resp api.ChatResponse) error {
		silence.Reset(c.cfg.ChatTimeout)
		if resp.Message.Content != "" {
			pieces++
			size += len(resp.Message.Content)
		}
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
		// The client takes a connection that breaks for the end.
		return causeOf(ctx, io.ErrUnexpectedEOF)
	case last.DoneReason == "length":
		c.cfg.Logger.WarnContext(ctx, "the answer was cut short", "model", c.cfg.ChatModel,
			"prompt_tokens", last.PromptEvalCount, "answer_tokens", last.EvalCount, "num_ctx", req.Options["num_ctx"])
	}
	return nil
}
